"""A program in a model's file that would run for long is refused after a bounded number of steps."""

import pytest

import capax
from capax import library
from capax.app.commands.verify import recorded
from capax.budget import STEPS_PER_UNIT
from capax.certify.recheck.recheck import program_in, recheck
from capax.compiler.target.fit_to_target import fit
from capax.errors import CapaxError
from capax.rasp.text import module
from capax.rasp.text.module import stored_program
from tests.support.perturbed import PROGRAMS, compiled, with_provenance

LOOPS = """def f(n) {
    x = n;
    for i in range(10000) { for j in range(10000) { x = x + 1; } }
    return x;
}
y = f(indices);"""
CALLS = "def a0(x) { return x; }\n" + "".join(
    f"def a{k}(x) {{ return a{k - 1}(a{k - 1}(x)); }}\n" for k in range(1, 31)
)
"""2^30 calls."""


@pytest.mark.parametrize("text", [LOOPS, f"{CALLS}y = a30(indices);"], ids=["loops", "calls"])
def test_a_hostile_program(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a program is read out of a model."""
    monkeypatch.setattr(module, "STORED_BUDGET", 200)  # to be quick
    model = with_provenance(compiled("fraction of previous").model, program=text)
    other = with_provenance(
        capax.compile(library.hist2_nobos, alphabet="ab", max_length=3).model, program=text, heads=None
    )
    for read in (
        lambda: stored_program(text),
        lambda: program_in(model),
        lambda: recheck(model),
        lambda: recorded(model, "file"),
        lambda: fit(other, "transformer-lens"),
    ):
        with pytest.raises(CapaxError) as caught:
            read()
        assert caught.value.code == "too-many-steps"
        steps = 20_000 + 2 * len(text)
        assert caught.value.what == (
            f"the program in the model's file takes more than {steps:,} steps to build, with a budget of 200"
        )
        assert caught.value.hint is not None
        assert caught.value.hint.endswith("if you trust it, raise the budget (--budget)")


def test_the_bound_is_one() -> None:
    """Steps and calls have a bound of some seconds' work; a long text is not parsed."""
    most = module.CHARACTERS_PER_UNIT * module.STORED_BUDGET
    assert STEPS_PER_UNIT * module.STORED_BUDGET + module.PER_CHARACTER * most < 2_000_000
    deep = f"def f(n) {{ return n if n == 0 else f(n - 1); }}\nx = indices + f({module.CALL_DEPTH + 1});"
    with pytest.raises(CapaxError) as caught:
        stored_program(deep)
    assert caught.value.code == "call-depth"
    assert stored_program(" " * (most - 8) + "indices;").node is capax.indices.node
    long = " " * (most - 7) + "indices;"
    with pytest.raises(CapaxError) as caught:
        stored_program(long)
    assert caught.value.code == "too-many-steps"
    assert "500,001 characters; at most 500,000 are read" in caught.value.what
    assert caught.value.hint == "if you trust the file: a budget of 2001 reads it (--budget)"
    assert stored_program(long, budget=2001).node is capax.indices.node


def test_a_larger_budget_builds_it() -> None:
    """Wherever a program is read out of a model; a budget is a positive number."""
    text = "x = 0; for i in range(100) { x = x + i; } y = indices + x;"
    model = with_provenance(compiled("fraction of previous").model, program=text)
    for read in (
        lambda budget: stored_program(text, budget=budget),
        lambda budget: program_in(model, budget=budget)[0],
        lambda budget: recorded(model, "file", budget=budget)[0],
    ):
        with pytest.raises(CapaxError) as caught:
            read(1)
        assert caught.value.code == "too-many-steps"
        assert read(100).node is (capax.indices + 4950).node
        with pytest.raises(CapaxError) as caught:
            read(0)
        assert caught.value.code == "bad-option"


def test_other_errors_stay_what_they_are() -> None:
    """A text that is wrong, or makes no program."""
    for text, code in [("x = ;", "syntax"), ("x = 1;", "not-a-program"), ("y = nothing;", "undefined-name")]:
        with pytest.raises(CapaxError) as caught:
            stored_program(text)
        assert code in caught.value.code


def test_programs_of_our_own_take_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far fewer than the bound."""
    monkeypatch.setattr(module, "STORED_BUDGET", 50)
    monkeypatch.setattr(module, "PER_CHARACTER", 1)
    for name in PROGRAMS:
        model = compiled(name).model
        assert program_in(model)[0].to_text() == model.provenance.program
    for program in (library.dyck2_ptf, library.sort_by_most_freq, library.dyck3_ptf):
        assert stored_program(program.to_text()).node is program.node
