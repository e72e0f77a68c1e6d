"""Compiling as causal says whether the answers change, with the first word on which they do."""

import itertools
from typing import Any

import pytest

import capax
from capax import SOp, aggregate, full_s, indices, length, select, selector_width, tokens, tokens_int
from capax.app.commands.compile import compile_to
from capax.compiler.check.causal_change import LONGEST, SHORT, causal_change
from capax.compiler.domain import domain

REVERSE = aggregate(select(indices, length - 1 - indices, "=="), tokens)
PREVIOUS = aggregate(select(indices, indices - 1, "=="), tokens, "-")
LATER = selector_width(select(indices, indices, ">=") & select(tokens, "b", "=="))


def changed(program: SOp, alphabet: str = "ab", longest: int = 6) -> dict[str, Any]:
    """What making a program causal changes."""
    return causal_change(program.node, domain(alphabet, longest, causal=True)).to_json()  # type: ignore[arg-type]


@pytest.mark.parametrize("program", [REVERSE, LATER, length, aggregate(full_s, indices)])
@pytest.mark.parametrize("alphabet", ["ab", "ba", "abc"])
def test_the_word_is_the_first_of_all(program: SOp, alphabet: str) -> None:
    found = changed(program, alphabet, 4)
    causal = capax.compile(program, alphabet=alphabet, max_length=4, causal=True, certify=False)
    words = [w for n in range(1, 5) for w in itertools.product(alphabet, repeat=n)]
    first = next(w for w in words if list(causal(w)) != list(program(w)))
    assert found["changes"]
    assert found["word"] == list(first)
    assert found["program"] == {"values": list(program(first))}
    assert found["causal"] == {"values": list(causal(first))}


def test_a_program_that_looks_back_is_not_changed() -> None:
    found = changed(PREVIOUS, longest=30)
    assert not found["changes"]
    assert found["word"] is None
    assert found["words"] <= SHORT + 200


def test_a_change_on_long_words_alone_is_found() -> None:
    program = aggregate(select(indices, 20, "=="), indices, 0)
    found = changed(program, "abcdefghij", 100)
    assert found["changes"]
    assert found["all_up_to"] < 21 <= len(found["word"]) <= LONGEST


def test_an_error_that_goes_away_is_a_change() -> None:
    program = aggregate(select(indices, 1, "==") & select(indices, indices, ">"), tokens_int + 0, "none")
    found = changed(program, "01", 3)
    assert found["program"] == {"error": "mixed-types"}
    assert "values" in found["causal"]


def test_it_is_in_the_file_the_data_and_the_text(tmp_path: Any) -> None:
    file = str(tmp_path / "reverse.safetensors")
    result = compile_to("reverse", file, alphabet=list("ab"), max_length=4, causal=True, certify=False)
    change = result.to_json()["causal_change"]
    assert change["word"] == ["a", "b"]
    assert capax.load_model(file).provenance.causal_change == change
    shown = result.render()
    assert 'causal: the program as written differs, first on "ab": it gives [b, a], the weights' in shown
    plain = compile_to("reverse", None, alphabet=list("ab"), max_length=4, certify=False)
    assert plain.to_json()["causal_change"] is None
    assert "causal" not in plain.render()
