"""The runner of mutants: what it changes, what it leaves alone, and how a change comes into force."""

import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("cosmic_ray", reason="install the extra `mutation`")

from tests.mutation.equivalent import Equivalent, read_equivalents, stale
from tests.mutation.forks import Cover
from tests.mutation.mutants import Mutant, function_at, on_lines, sample
from tests.mutation.swap import load_instead, note_calls, swap

SOURCE = textwrap.dedent('''
    """A module."""
    from dataclasses import dataclass

    LIMIT = 3

    @dataclass(frozen=True)
    class Box:
        size: int | None = None

        def fits(self, n: int | float) -> bool:
            """Whether n fits."""
            assert n > 0
            return n < LIMIT

    def pairs(a, b, *, c=None):
        return [x - y for x, y in zip(a, b, strict=True)]

    def told(n):
        raise ValueError(f"{n + 1} is too many")
''')


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    """The source as a loaded module."""
    path = tmp_path / "boxes.py"
    path.write_text(SOURCE)
    made = ModuleType("boxes")
    made.__file__ = str(path)
    exec(compile(SOURCE, str(path), "exec"), vars(made))
    return made


def changed(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1
    return SOURCE.replace(old, new)


def test_only_what_is_computed_is_changed() -> None:
    """No annotation, assertion, message, option of a dataclass or `strict`; other operators of the same kind alone."""
    lines = {m.line for m in sample("boxes.py", SOURCE, 100, 1)}
    assert lines == {
        "LIMIT = 3",
        "return n < LIMIT",
        "return [x - y for x, y in zip(a, b, strict=True)]",
    }
    made = {m.becomes for m in on_lines("boxes.py", SOURCE, "return [x - y for x, y in zip(a, b, strict=True)]")}
    assert {f"return [x {op} y for x, y in zip(a, b, strict=True)]" for op in ("+", "*", "/", "//", "%", "**")} <= made
    assert not any("<<" in m or "|" in m for m in made)


def test_samples_are_reproducible() -> None:
    """By the seed and the module; smaller samples are part of larger ones."""
    one = sample("boxes.py", SOURCE, 2, 1)
    assert one == sample("boxes.py", SOURCE, 2, 1)
    assert set(one) <= set(sample("boxes.py", SOURCE, 9, 1))
    assert len({tuple(sample("boxes.py", SOURCE, 9, seed)) for seed in range(9)}) > 1


def test_functions_are_named_in_full() -> None:
    """The outermost function, with its class."""
    numbers = {text.strip(): n for n, text in enumerate(SOURCE.splitlines(), 1)}
    assert function_at(SOURCE, numbers["return n < LIMIT"]) == "Box.fits"
    assert function_at(SOURCE, numbers["LIMIT = 3"]) == ""


def test_a_change_in_a_function_is_swapped_in(module: ModuleType) -> None:
    """For objects that exist already, too."""
    box, pairs = module.Box(), module.pairs
    assert swap(module, SOURCE, changed("n < LIMIT", "n >= LIMIT"))
    assert swap(module, SOURCE, changed("x - y", "x + y"))
    assert (box.fits(1), pairs([1], [2])) == (False, [3])


def test_a_change_outside_of_functions_is_not_swapped_in(module: ModuleType) -> None:
    """Then the module must be loaded anew."""
    assert not swap(module, SOURCE, changed("LIMIT = 3", "LIMIT = 4"))
    assert not swap(module, SOURCE, SOURCE)
    assert module.Box().fits(2)


def test_calls_are_noted(module: ModuleType) -> None:
    """By their names, and the functions still do what they did."""
    calls: list[str] = []
    note_calls(module, SOURCE, calls.append)
    assert module.Box().fits(2)
    assert module.pairs([3], [1]) == [2]
    assert calls == ["Box.fits", "pairs"]


def test_a_module_is_loaded_from_another_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its file is left alone."""
    path = tmp_path / "boxes_anew.py"
    path.write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    load_instead("boxes_anew", str(path), changed("LIMIT = 3", "LIMIT = 4"))
    import boxes_anew  # type: ignore[import-not-found]

    assert (boxes_anew.LIMIT, boxes_anew.__file__) == (4, str(path))
    assert path.read_text() == SOURCE
    del sys.modules["boxes_anew"]


def test_tests_of_a_mutant() -> None:
    """Those that call its function: the module's own, then in their order, up to a limit."""
    names = ["a", "b", "c", "test_m.py::d", "e", "test_m.py::constants", "none"]
    calls = [{"m.py": ["f"]}, {"m.py": ["f", "g"]}, {"m.py": ["f"]}, {"m.py": ["f"]}, {"m.py": ["g"]}, {}, {}]
    cover = Cover(names, [9.0, 0.02, 2.0, 0.03, 1.0, 0.01, 0.01], calls)
    mutant = Mutant("m.py", "f", 1, "a", "b", "")
    assert cover.tests(mutant, 100.0) == [3, 0, 1, 2]
    assert cover.tests(mutant, 9.5) == [3, 0, 1]
    assert cover.tests(mutant, 0.01) == [3]
    assert cover.tests(Mutant("m.py", "g", 1, "a", "b", ""), 100.0) == [1, 4]
    assert cover.tests(Mutant("m.py", "", 1, "a", "b", ""), 100.0) == [3, 5, 0, 1, 2, 4]
    assert cover.tests(Mutant("m.py", "h", 1, "a", "b", ""), 100.0) == []


def test_entries_that_match_no_more_are_told(tmp_path: Path) -> None:
    """Whatever stands above the line; but not if the line or its change is another one."""
    (tmp_path / "boxes.py").write_text("# more above\n" + SOURCE)
    reason = "it is only an example here"
    fine = Equivalent("boxes.py", "Box.fits", "return n < LIMIT", "return n <= LIMIT", reason)
    others = [
        Equivalent("boxes.py", "Box.fits", "return n < BOUND", "return n <= BOUND", reason),
        Equivalent("boxes.py", "fits", "return n < LIMIT", "return n <= LIMIT", reason),
        Equivalent("boxes.py", "Box.fits", "return n < LIMIT", "return n is LIMIT", reason),
        Equivalent("gone.py", "Box.fits", "return n < LIMIT", "return n <= LIMIT", reason),
    ]
    assert set(stale([fine, *others], tmp_path)) == set(others)


def test_every_entry_of_the_project_matches() -> None:
    """So that equivalent.toml follows the sources."""
    assert stale(read_equivalents().values()) == []


@pytest.mark.deep
def test_the_whole_run_on_one_module() -> None:
    """A sample of two places of the fast means: both are killed, and the table says so."""
    words = ["fast-means", "--sample", "3", "--seconds", "1", "--jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "fast-means, all" in done.stdout, done.stderr
    assert done.returncode == 0, done.stdout
