"""Programs for Tracr: run as Tracr runs them, and the same as capax programs and as models."""

import itertools
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.compat import to_capax
from capax.compat.lowering.interpret import interpret
from capax.compat.lowering.translate import near
from capax.compat.tracr import causal_eval, compiling, lib, rasp
from capax.errors import CapaxError
from tests.support.tracr_library import LIBRARY
from tests.support.tracr_programs import program

RECORDED = json.loads((Path(__file__).parents[1] / "support" / "tracr_answers.json").read_text())
"""What Tracr 1.0.0 answers, with and without later keys being seen."""

NAMES = {"rasp": rasp, "lib": lib}


def expression(text: str, names: dict[str, Any] = NAMES) -> Any:
    """The expression of a text."""
    return eval(text, dict(names))


def outcome(function: Any, *args: Any) -> Any:
    """What a call gives, or that it fails."""
    try:
        return function(*args)
    except Exception:
        return "error"


def alike(one: Any, two: Any) -> bool:
    """Whether two outcomes are the same up to rounding."""
    if isinstance(one, str) or isinstance(two, str):
        return bool(one == two)
    return len(one) == len(two) and all(map(near, one, two))


@pytest.mark.parametrize("row", RECORDED, ids=[f"{n}" for n in range(len(RECORDED))])
def test_answers_are_those_of_tracr(row: dict[str, Any]) -> None:
    """Library and random programs give what Tracr's interpreters gave when the file was recorded."""
    made = expression(row["program"])
    assert alike(outcome(rasp.evaluate, made, row["word"]), row["answer"])
    assert alike(outcome(causal_eval.evaluate, made, row["word"]), row["causal"])


def roughly(one: Any, two: Any) -> bool:
    """Whether a model's answer is right: numbers up to the rounding of float32."""
    return near(one, two) or (isinstance(two, float) and abs(one - two) < 1e-5)


def words(vocabulary: Any, longest: int) -> list[list[Any]]:
    """All words up to a length."""
    return [list(w) for n in range(1, longest + 1) for w in itertools.product(vocabulary, repeat=n)]


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_compiles(name: str) -> None:
    """Each library program as a model gives the interpreter's answers, on all short words and on long ones."""
    text, vocabulary, longest = LIBRARY[name]
    made = expression(text)
    model = compiling.compile_rasp_to_model(made, set(vocabulary), longest, compiler_bos="BOS", words=30)
    chance = Random(name)
    tried = words(vocabulary, 3) + [[chance.choice(vocabulary) for _ in range(longest)] for _ in range(40)]
    held = 0
    for word in tried:
        wanted = outcome(made, word)
        if wanted != "error":
            held += 1
            found = model.apply(["BOS", *word]).decoded
            assert found[0] == "BOS"
            assert len(found) == len(word) + 1
            assert all(map(roughly, found[1:], wanted))
    assert held > 30


@pytest.mark.parametrize("name", ["frac_prevs", "shift_by", "detect_pattern", "hist", "count"])
def test_the_library_compiles_causally(name: str) -> None:
    """A causal model gives what the causal interpreter gives."""
    text, vocabulary, longest = LIBRARY[name]
    made = expression(text)
    model = compiling.compile_rasp_to_model(made, set(vocabulary), longest, causal=True, words=30, certify=False)
    assert model.model_config.causal
    for word in words(vocabulary, 3):
        assert alike(model.apply(["compiler_bos", *word]).decoded[1:], causal_eval.evaluate(made, word))


REFUSALS = {"always-fails", "not-compilable", "too-many-values", "rests-on-rounding"}


def check_random(chance: Random, size: int, *, compiled: bool) -> bool:
    """Whether a random program could be turned into a program (or model); if so it agrees on all short words."""
    text, causal = program(chance, size), chance.random() < 0.3
    made = expression(text)
    try:
        found = to_capax(made, "abc", 4, causal=causal)
        run: Any = found.compile(certify=False, words=20) if compiled else found
    except CapaxError as error:
        if error.code in REFUSALS:
            return False
        raise
    for word in words("abc", 3):
        wanted = outcome(lambda w: interpret(made.to_core(), w, causal=causal), word)
        if wanted != "error":
            got = run(word)
            assert len(got) == len(wanted)
            assert all(map(roughly, got, wanted)), text
    return True


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.integers(1, 5))
def test_random_programs_become_capax_programs(seed: int, size: int) -> None:
    """A random program is refused, or agrees with its interpreter on all short words."""
    check_random(Random(seed), size, compiled=False)
    assert True in (check_random(Random(seed + n), 1, compiled=False) for n in range(20))


@settings(max_examples=25)
@given(st.integers(0, 10**9), st.integers(1, 4))
def test_random_programs_become_models(seed: int, size: int) -> None:
    """The same through the compiler."""
    check_random(Random(seed), size, compiled=True)
    assert True in (check_random(Random(seed + n), 1, compiled=True) for n in range(20))


@pytest.mark.deep
def test_random_programs_against_tracr_itself() -> None:
    """Where Tracr is installed, random programs give what it gives."""
    theirs = pytest.importorskip("tracr.rasp.rasp")
    their_causal = pytest.importorskip("tracr.rasp.causal_eval")
    chance = Random(7)
    for _ in range(3000):
        text = program(chance, chance.randrange(1, 5))
        word = [chance.choice("abc") for _ in range(chance.randint(1, 6))]
        ours, other = expression(text), expression(text, {"rasp": theirs})
        assert alike(outcome(rasp.evaluate, ours, word), outcome(theirs.evaluate, other, word)), text
        assert alike(outcome(causal_eval.evaluate, ours, word), outcome(their_causal.evaluate, other, word)), text
