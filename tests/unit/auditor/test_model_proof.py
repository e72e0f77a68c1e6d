"""Labels of models: what is proved on all inputs of a size, and what is not."""

from dataclasses import replace

import pytest

from capax import theorems
from capax.auditor.model_proof import ModelProof, prove_words, span
from capax.auditor.question import Question, question
from capax.auditor.spec import Spec
from capax.auditor.specs.languages import of_dfa
from capax.auditor.specs.programs import of_function
from capax.formal.automata.regex import regex_dfa
from capax.model.model import Model

FIRST = regex_dfa("1.*", "01")


def model(length: int = 60) -> Model:
    """A model of one softmax layer that recognises the words that begin with a one."""
    return theorems.theorem("first").build(length=length)


def definition(wrong: str | None = None) -> Spec:
    """Whether a word begins with a one, and the opposite for one word."""
    return of_function("first", "01", lambda word: (word[0] == "1") != ("".join(word) == wrong), one_answer=True)


def asked(spec: Spec) -> Question:
    """The question whether the model computes a specification, at the last letter."""
    return question(model(), spec, read="last")


def test_all_words_of_growing_lengths_are_run() -> None:
    """Until they are as many as asked for; the label has their number."""
    proof = prove_words(asked(definition()), range(1, 61), least=100)
    assert proof is not None
    assert (proof.count, proof.holds, proof.whole) == (126, True, False)
    assert proof.label == "proved on all 126 words of 1 to 6 letters"
    assert str(proof) == f"{proof.label}, by exhaustion: each was run by capax's runtime in float64"


def test_no_more_lengths_than_there_are() -> None:
    """A proof of all words of the size says that there are no others."""
    proof = prove_words(asked(definition()), range(1, 4), least=100)
    assert proof is not None
    assert (proof.count, proof.whole) == (14, True)
    assert proof.label == "proved on all 14 words of 1 to 3 letters, all that there are of this size"


@pytest.mark.parametrize("word", ["0", "010", "111111", "000000"])
def test_one_wrong_word_is_found(word: str) -> None:
    """A specification that differs on one word is never proved."""
    proof = prove_words(asked(definition(word)), range(1, 61), least=100)
    assert proof is not None
    assert not proof.holds
    assert proof.counterexample["word"] == list(word)
    assert "not proved" in str(proof)
    assert proof.to_json()["holds"] is False


def test_bounds_go_on_where_words_are_too_many() -> None:
    """With a specification that has states, and a model of one layer."""
    bounded = asked(of_dfa(FIRST, "first"))
    proof = prove_words(asked(definition()), range(1, 31), least=100, bounded=bounded)
    assert proof is not None
    assert (proof.count, proof.whole, proof.method) == (2**31 - 2, True, "exhaustion and bounds")
    assert "each of up to 6 letters was run" in str(proof)


def test_bounds_stop_at_a_wrong_word() -> None:
    """An automaton that differs at one length ends the proof before it."""
    wrong = regex_dfa("1.*|0{9}", "01")
    proof = prove_words(asked(definition()), range(1, 31), least=100, bounded=asked(of_dfa(wrong, "nearly first")))
    assert proof is not None
    assert proof.count == 2**9 - 2
    assert not proof.whole


def test_too_many_words_are_not_run() -> None:
    """A first length with too many words has no proof, and a later one ends it."""
    assert prove_words(asked(definition()), [10], most=1000) is None
    proof = prove_words(asked(definition()), range(1, 61), least=10_000, most=100)
    assert proof is not None
    assert proof.count == 126


def test_numbers_are_the_models_own() -> None:
    """A float32 model is run in float32."""
    own = replace(asked(definition()), model=model().to("float32"))
    proof = prove_words(own, range(1, 5))
    assert proof is not None
    assert proof.numbers == "float32"


def test_labels() -> None:
    """Large numbers are rounded, and one input has a label of its own."""
    assert (
        ModelProof("words of 1 to 60 letters", 2**61 - 2, "float64").extent
        == "all words of 1 to 60 letters (about 2.3e+18)"
    )
    assert ModelProof("input, the empty word", 1, "float64").label == "proved on the one input, the empty word"
    assert "over 1e300" in ModelProof("words", 2**2000, "float64").label
    assert span(range(1, 2)) == "1 letter"
    assert ModelProof("words", 3, "float64", assumptions=("a",)).to_json()["assumptions"] == ["a"]
    assert str(ModelProof("words", 3, "float64", assumptions=("this",))).endswith("\n  assuming this")


def test_a_model_without_heads_is_not_bounded() -> None:
    """Its words are run, and bounds are left out."""
    none = replace(model(), blocks=())
    whole = question(none, of_dfa(regex_dfa("[01]*", "01"), "all"), read="last")
    spec = of_function("all", "01", lambda word: bool(none(list(word))[-1]), one_answer=True)
    proof = prove_words(question(none, spec, read="last"), range(1, 9), least=10, bounded=whole)
    assert proof is not None
    assert (proof.count, proof.method) == (14, "exhaustion")
