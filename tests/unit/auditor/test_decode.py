"""Requirements, margins and decodings agree with one another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.auditor.decode import ClassDecode, Decode, NumberDecode, SignDecode, decode_of, same
from capax.errors import CapaxError
from capax.model.vocabulary import Classes, Fractions, Nearest, Numbers

logit = st.floats(-4, 4).map(lambda x: round(x, 3))
DECODES: list[tuple[Decode, int, list[object]]] = [
    (ClassDecode(("a", "b", "c")), 3, ["a", "b", "c"]),
    (ClassDecode((0, 1), {False: 0, True: 1}), 2, [False, True]),
    (SignDecode(("a", "b")), 2, [frozenset(), frozenset("a"), frozenset("ab")]),
    (NumberDecode(Nearest((0.0, 1.0, 3.0), ("x", "y", "z"))), 1, ["x", "y", "z"]),
    (NumberDecode(Fractions(3)), 1, [0.0, 0.5, 1.0]),
    (NumberDecode(Numbers()), 1, [0.0, 1.5]),
]


@pytest.mark.parametrize(("decode", "outputs", "answers"), DECODES, ids=lambda x: getattr(x, "what", "")[:20])
@given(data=st.data())
def test_a_positive_margin_means_right(decode: Decode, outputs: int, answers: list, data: st.DataObject) -> None:
    """Margins are the least of the requirement's functions, and above 0 only where the decoded answer is right."""
    rows = np.array(data.draw(st.lists(st.lists(logit, min_size=outputs, max_size=outputs), min_size=1, max_size=5)))
    right = [data.draw(st.sampled_from(answers)) for _ in rows]
    margins = decode.margins(rows, right)
    for row, answer, margin in zip(rows, right, margins, strict=True):
        assert margin == pytest.approx(decode.requirement(answer).margin(row))
    is_right = decode.right(rows, right)
    assert all(is_right[margins > 1e-9])
    if not isinstance(decode, NumberDecode):  # a fraction may be right outside of the interval that is sure
        assert not any(is_right[margins < 0])


def test_truth_values_are_read_off_known_names() -> None:
    """Outputs called 0 and 1 stand for no and yes; an ambiguous pair does not."""
    decode = decode_of(Classes(("0", "1")), (False, True))
    assert decode.decoded(np.array([[0.0, 1.0]])) == [True]
    assert decode_of(Classes(("<s>", "false", "true")), (False, True)).decoded(np.eye(3))[1:] == [False, True]
    ambiguous = decode_of(Classes(("0", "1", "no", "yes")), (False, True))
    assert not ambiguous.has(True)
    with pytest.raises(CapaxError, match="none of the model's outputs"):
        ambiguous.requirement(True)


def test_the_empty_text_is_read_off_the_end_token() -> None:
    """Exports write it as `<end>`; not where that is a right answer itself, or another output is named."""
    values = ("a", "<end>", "x")
    logits = np.eye(3)
    assert decode_of(Classes(values), ["a", ""]).decoded(logits)[1] == ""
    unknown = decode_of(Classes(values), None)
    assert (unknown.decoded(logits)[1], unknown.has(""), unknown.has("<end>")) == ("", True, False)  # it is taken
    assert decode_of(Classes(values), ["a", ""], {"": "x"}).decoded(logits)[1:] == ["<end>", ""]
    both = decode_of(Classes(values), ["a", "", "<end>"])
    assert not both.has("")
    assert both.decoded(logits)[1] == "<end>"
    assert decode_of(Classes((*values, "")), ["a", ""]).decoded(np.eye(4))[1::2] == ["<end>", ""]


def test_named_outputs_and_sets_that_the_model_does_not_have() -> None:
    """The error is about the output that was named, and shows a set by its letters."""
    with pytest.raises(
        CapaxError, match="'zz', named for the right answer True, is not an output of the model: 'a', 'b'"
    ):
        decode_of(Classes(("a", "b")), (False, True), {False: "a", True: "zz"})
    with pytest.raises(CapaxError, match=r"the set of letters [$] a, is not a set of the model's outputs: 'a', 'b'"):
        decode_of(Classes(("a", "b")), (frozenset("a$"),)).requirement(frozenset("a$"))


def test_answers_are_compared_with_their_types() -> None:
    """1 is not True, floats are equal up to rounding, sets are sets."""
    assert same(1.0, 1 + 1e-9)
    assert not same(1, True)
    assert not same(1.0, True)
    assert same(frozenset("ab"), frozenset("ba"))
    assert ClassDecode((1.0, 2.0)).has(1)
