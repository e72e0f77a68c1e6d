"""Every test asserts something: itself, through `pytest.raises`, or through a function that asserts.

And no property test drops an example in silence: it returns early only where it has counted the outcome
(`tests/support/outcomes.py`).
"""

import ast
from pathlib import Path

import pytest

from tests.house.tree import ROOT, parse, walked

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

EXPECTING = {"raises", "warns", "fail"}


def called(node: ast.AST) -> set[str]:
    """The names of what is called below a node, `assert_equal` for `np.testing.assert_equal(...)`."""
    functions = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    return {f.id for f in functions if isinstance(f, ast.Name)} | {
        f.attr for f in functions if isinstance(f, ast.Attribute)
    }


def asserts(function: ast.AST, local: dict[str, ast.AST], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a function has an assertion that can fail, in it or in a function of the file that it calls."""
    if any(isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant) for node in ast.walk(function)):
        return True
    names = called(function)
    if names & EXPECTING or any(name.startswith("assert_") for name in names - local.keys()):
        return True
    return any(asserts(local[name], local, seen | {name}) for name in names & local.keys() - seen)


def breaches(tests: Path) -> list[str]:
    """The tests below a folder that assert nothing."""
    found = []
    for path in sorted(tests.rglob("test_*.py")):
        functions = [node for node in walked(parse(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        local: dict[str, ast.AST] = {function.name: function for function in functions}
        found += [
            f"{path}:{function.lineno}: {function.name}"
            for function in functions
            if function.name.startswith("test_") and not asserts(function, local)
        ]
    return found


def drops(function: ast.FunctionDef) -> bool:
    """Whether a property test can leave an example early: by `return`, or past an exception."""
    left = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is None]
    handlers = [node for node in ast.walk(function) if isinstance(node, ast.ExceptHandler)]
    return bool(left) or any(isinstance(node.body[-1], ast.Continue | ast.Pass) for node in handlers)


def silent(tests: Path) -> list[str]:
    """The property tests below a folder that drop examples without counting them and without a least share."""
    found = []
    for path in sorted(tests.rglob("test_*.py")):
        for function in walked(parse(path)):
            if isinstance(function, ast.FunctionDef):
                names = {name for decorator in function.decorator_list for name in called(decorator)}
                counts = "count_outcome" in called(function)
                if "given" in names and ((drops(function) and not counts) or (counts and "least_share" not in names)):
                    found.append(f"{path}:{function.lineno}: {function.name}")
    return found


def test_every_test_asserts() -> None:
    """The tests keep the rule, and there are tests to look at."""
    assert Path(__file__).resolve() in (ROOT / "tests").rglob("test_*.py")
    assert breaches(ROOT / "tests") == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("print(1)", 1),
        ("assert True", 1),
        ("helper()", 0),
        ("empty()", 1),
        ("np.testing.assert_array_equal(x, y)", 0),
        ("with pytest.raises(ValueError): f()", 0),
        ("assert f() == 1", 0),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, body: str, count: int) -> None:
    """A test that asserts nothing is found, and each way to assert is known."""
    helpers = "def helper(): inner()\ndef inner(): assert x\ndef empty(): again()\ndef again(): empty()\n"
    (tmp_path / "test_one.py").write_text(f"{helpers}def test_it():\n    {body}\n")
    assert len(breaches(tmp_path)) == count


def test_no_property_test_drops_examples_in_silence() -> None:
    """An example that is not looked at is left to `assume`, or is counted and has a least share."""
    assert silent(ROOT / "tests") == []


@pytest.mark.parametrize(
    ("decorators", "body", "count"),
    [
        ("@given(x)", "if x: return", 1),
        ("@given(x)", "try: f()\n    except E: pass", 1),
        ("@given(x)", "for i in x:\n        try: f()\n        except E: continue", 1),
        ("@given(x)", "if x: count_outcome('no'); return", 1),
        ("@least_share('yes', 0.5)\n@given(x)", "if x: count_outcome('no'); return", 0),
        ("@given(x)", "assume(x)", 0),
        ("", "if x: return", 0),
    ],
)
def test_a_dropped_example_is_seen(tmp_path: Path, decorators: str, body: str, count: int) -> None:
    """Early ends of property tests are found, and those that are counted with a share are let pass."""
    (tmp_path / "test_one.py").write_text(f"{decorators}\ndef test_it(x):\n    {body}\n    assert x\n")
    assert len(silent(tmp_path)) == count
