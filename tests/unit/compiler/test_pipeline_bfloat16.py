"""Models in bfloat16: compiled for its eight digits, run in its arithmetic, and certified in it."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import capax
from capax import CapaxError, aggregate, best, indices, length, select, selector_width, tokens
from capax.certify import verdict_at
from capax.certify.recheck.recheck import recheck, spec_of
from capax.certify.systems import cast
from capax.compiler.check.agreement import random_words
from capax.compiler.compiled import Compiled
from tests.support.perturbed import changed, right

BEFORE = select(tokens, tokens, "<") | (select(tokens, tokens, "==") & select(indices, indices, "<"))
PREVIOUS = aggregate(select(indices, indices - 1, "=="), tokens, "")
COUNT = selector_width(select(tokens, tokens, "=="))
PROGRAMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "reverse": (aggregate(select(indices, length - 1 - indices, "=="), tokens), {"alphabet": "abcd"}),
    "histogram": (COUNT, {"alphabet": "abc"}),
    "sort": (aggregate(select(selector_width(BEFORE), indices, "=="), tokens), {"alphabet": "ab"}),
    "induction": (
        aggregate(best(select(PREVIOUS, tokens, "=="), indices), tokens, "-"),
        {"alphabet": "abcd", "causal": True},
    ),
}


@cache
def compiled(name: str) -> Compiled:
    """A program on words of up to 16 tokens."""
    program, settings = PROGRAMS[name]
    return capax.compile(program, max_length=16, dtype="bfloat16", **settings)


@pytest.mark.parametrize("name", PROGRAMS)
def test_certified_at_length_16(name: str, tmp_path: Path) -> None:
    """The weights are numbers of the system, and so is the certificate about it, also when it is read from a file."""
    made = compiled(name)
    assert made.model.numbers == "bfloat16"
    assert made.certified_length == 16
    assert all(np.array_equal(cast(np.asarray(a, np.float64), "bfloat16"), a) for _, a in made.model.arrays())
    file = tmp_path / "model.safetensors"
    made.model.save(file)
    if name != "sort":  # it takes two seconds
        assert recheck(capax.load_model(file)).holds
    words = random_words(made.domain, 30, 7)
    wide = made.model.to("float32")
    assert made.model.batch(words) == wide.batch(words)  # finer numbers change no answer


def test_a_head_counts_few_keys() -> None:
    """Of 16 keys four heads count four each; in float32 one head counts all."""
    heads = compiled("histogram").model.provenance.heads
    assert heads is not None
    assert [head.keys for head in heads[0]] == [(0, 4), (4, 8), (8, 12), (12, 16)]
    wide = capax.compile(COUNT, alphabet="abc", max_length=16, words=20, certify=False).model.provenance.heads
    assert wide is not None
    assert [head.keys for head in wide[0]] == [None]


def test_changed_numbers_that_are_accepted_are_right() -> None:
    """Every number that is not zero is changed, by little and by much, in a model that counts in two heads."""
    made = capax.compile(COUNT, alphabet="ab", max_length=6, dtype="bfloat16", words=20)
    spec = spec_of(made.model, COUNT.node, causal=False)  # type: ignore[arg-type]
    accepted = 0
    for array, values in made.model.arrays():
        for place in np.flatnonzero(values)[::3].tolist():
            for by in (0.0625, -1.0):
                model = changed(made.model, array, place, by)
                if verdict_at(model, spec, "bfloat16", 6).length:
                    accepted += 1
                    assert right(made, model, 126), (array, place, by)
    assert accepted


@pytest.mark.parametrize(("name", "n"), [("induction", 40), ("reverse", 270), ("histogram", 300)])
def test_what_needs_more_digits_is_refused(name: str, n: int) -> None:
    """The error names the limit, and a number system that does: integers beyond 256 have no room in eight digits."""
    program, settings = PROGRAMS[name]
    with pytest.raises(CapaxError, match="bfloat16 has 8 binary digits: all integers up to 256") as refused:
        capax.compile(program, max_length=n, dtype="bfloat16", **settings)
    assert refused.value.code == "too-many-values"
    assert refused.value.hint is not None
    assert refused.value.hint.startswith('compile with dtype="float32", in which it can be compiled; or shorten')


def test_positions_beyond_256_are_refused() -> None:
    assert capax.compile(indices, alphabet="a", max_length=257, dtype="bfloat16", certify=False).check.holds
    with pytest.raises(CapaxError, match="the integer 257"):
        capax.compile(indices, alphabet="a", max_length=258, dtype="bfloat16")


def test_a_model_that_is_wrong_in_eight_digits_is_refused_for_them() -> None:
    """Ranks of 200 letters are below 256, and their sums are not: the check sees it, and float32 is named."""
    program, settings = PROGRAMS["sort"]
    with pytest.raises(CapaxError, match="bfloat16 has 8 binary digits, too few for this program") as refused:
        capax.compile(program, max_length=200, dtype="bfloat16", words=20, **settings)
    assert refused.value.code == "too-many-values"
    assert "float32" in (refused.value.hint or "")


@pytest.mark.parametrize("target", ["hf", "plain", "transformer-lens"])
def test_targets_are_compiled_in_wider_numbers(target: str) -> None:
    with pytest.raises(CapaxError, match="not in bfloat16") as refused:
        capax.compile(COUNT, alphabet="ab", max_length=4, dtype="bfloat16", target=target)
    assert refused.value.code == "bad-option"
