"""The figures of certificates are those that were recorded: bounds that become looser, or tighter, do not pass unseen.

That bounds hold is tested elsewhere, against what models compute. Here every figure of some certificates is compared
with a file, up to the order of sums: a slip in a bound, on either side, changes some of them. So is the work that they
took, in numbers gone through: a search that tries other lengths, or a check that goes through more, shows in it.
`pytest tests/golden --update-golden` writes them anew; say in the commit why they changed.
"""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import capax
from capax import aggregate, best, full_s, indicator, indices, select, selector_width, tokens, tokens_asis, tokens_int
from capax.certify import certify
from capax.certify.certify_budget import WorkBudget
from capax.certify.exported_models.exported import proof_json
from capax.certify.recheck.recheck import spec_of
from capax.compiler.compile_program import build
from capax.compiler.domain import domain
from capax.compiler.target.fit_to_target import fit
from capax.model.export.hugging_face.target import write
from tests.support.perturbed import PROGRAMS, SMALLER

FILE = Path(__file__).parent / "figures.json"
LIBRARY = capax.library
BACK = select(indices, indices, "<=")
EQUAL = select(tokens, tokens, "==")


def _compile(program: Any, alphabet: Any, longest: int, dtype: str = "float32", **options: Any) -> Any:
    return capax.compile(
        program, alphabet=alphabet, max_length=longest, dtype=dtype, words=4, **options
    ).certificate.to_json()


def _exported(program: Any, alphabet: str, longest: int, dtype: str, causal: bool = False) -> Any:
    made = capax.compile(
        program, alphabet=alphabet, max_length=longest, causal=causal, dtype=dtype, words=4, certify=False
    )
    files = dict(write(fit(made.model, "hf").model, Path(), proof_json))
    return json.loads(files["certificate.json"])["answers"]


def _built(program: Any, alphabet: str, longest: int) -> Any:
    model = build(program.node, domain(list(alphabet), longest), program.names()).model
    return certify(model, spec_of(model, program.node, causal=False)).to_json()


CASES: dict[str, Callable[[], Any]] = {
    **{name: lambda name=name: _compile(*PROGRAMS[name]) for name in PROGRAMS},
    **{
        f"{name}, float64": lambda name=name: _compile(*PROGRAMS[name], "float64")
        for name in ("reverse", "histogram", "fraction of previous", "latest greatest")
    },
    "counts, longer": lambda: _compile(selector_width(EQUAL), "ab", 40),
    "brackets, longer": lambda: _compile(LIBRARY.dyck1_ptf, "()", 24),
    "brackets of two kinds, as far as float32 goes": lambda: _built(LIBRARY.dyck2_ptf, "(){}", 64),
    "counts from one": lambda: _compile(aggregate(select(selector_width(BACK), indices, "=="), tokens, "-"), "ab", 4),
    "numbers in parts": lambda: _compile(selector_width(SMALLER), [0, 1, 2, 3], 7),
    "means of integers": lambda: _compile(aggregate(BACK, tokens_int), [0, 1, 3], 7),
    "means of tenths": lambda: _compile(aggregate(full_s, tokens_asis), [0.1, 0.7, -2], 4),
    "counted means": lambda: _compile(aggregate(EQUAL, indices) + selector_width(EQUAL), "ab", 5),
    "a mean times a count": lambda: _compile(aggregate(BACK, indicator(tokens == "a")) * (indices + 1), "ab", 9),
    "best by score and place": lambda: _compile(aggregate(best(EQUAL, indices), indices + 1), "abc", 5),
    "induction, causal": lambda: _compile(LIBRARY.induction, "abc", 6, causal=True),
    "sink token": lambda: _compile(LIBRARY.hist_nobos, "abc", 6, target="plain"),
    "sink token, best": lambda: _compile(LIBRARY.dyck2_best, "(){}", 4, target="plain"),
    "exported, reverse": lambda: _exported(LIBRARY.reverse, "abc", 6, "float32"),
    "exported, reverse, float64": lambda: _exported(LIBRARY.reverse, "abc", 6, "float64"),
    "exported, brackets": lambda: _exported(LIBRARY.dyck1_ptf, "()", 8, "float32"),
    "exported, induction": lambda: _exported(LIBRARY.induction, "abc", 8, "float32", causal=True),
    "exported, brackets of two kinds": lambda: _exported(LIBRARY.dyck2_ptf, "(){}", 3, "float32"),
}


@cache
def recorded() -> dict[str, Any]:
    """The certificates of the file."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def found(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The verdicts of a case as JSON has them, and the work that they took."""
    work: list[int] = []
    spend = WorkBudget.spend

    def counted(budget: WorkBudget, more: int) -> None:
        spend(budget, more)
        work.append(int(more))

    monkeypatch.setattr(WorkBudget, "spend", counted)
    verdicts = [{key: part for key, part in v.items() if key != "help"} for v in CASES[name]()["verdicts"]]
    return json.loads(json.dumps({"verdicts": verdicts, "work": sum(work)}))


def differences(one: Any, two: Any, where: str) -> list[str]:
    """Where two JSON values differ, but for the last digits of floats."""
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return [d for key in one for d in differences(one[key], two[key], f"{where}.{key}")]
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return [d for k, (a, b) in enumerate(zip(one, two, strict=True)) for d in differences(a, b, f"{where}.{k}")]
    numbers = isinstance(one, float) and isinstance(two, float)
    same = math.isclose(one, two, rel_tol=1e-9) if numbers else one == two
    return [] if same else [f"{where}: {one}, recorded was {two}"]


@pytest.mark.parametrize("name", CASES)
def test_figures(name: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each figure of a certificate, what it says where it breaks off, and its work."""
    now = found(name, monkeypatch)
    if pytestconfig.getoption("--update-golden", default=False):
        recorded()[name] = now
        FILE.write_text(json.dumps(recorded(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert differences(now, recorded().get(name), name) == []


def test_a_difference_is_seen() -> None:
    """In a figure, a word, a length or a part that is missing."""
    known: dict[str, Any] = {"a": [1.0, 2], "b": "x"}
    assert differences({"a": [1.0 + 1e-12, 2], "b": "x"}, known, "c") == []
    changed: list[Any] = [
        {"a": [1.0 + 1e-6, 2], "b": "x"},
        {"a": [1.0, 3], "b": "x"},
        {"a": [1.0], "b": "x"},
        {"a": [1.0, 2]},
    ]
    assert all(len(differences(c, known, "c")) == 1 for c in changed)
