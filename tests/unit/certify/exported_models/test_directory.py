"""Folders of exports: the row of the token before words, outputs that are answers, heads that fill blocks up."""

import numpy as np
import pytest

from capax.certify.exported_models.directory import _hinted, _row, output_map
from capax.certify.not_certified import NotCertified
from capax.model.parts import Affine, Block, Head


def test_the_row_before_every_word_is_what_token_and_position_add_up_to() -> None:
    """Where both write to a direction the sum is rounded, and no row is known exactly."""
    assert _row(np.array([1.5, 0.0, -2.0, 0.0]), np.array([0.0, 3.0, 0.0, 0.0])).tolist() == [1.5, 3.0, -2.0, 0.0]
    assert _row(np.zeros(2, np.float32), np.array([-0.1, 0.1], np.float32)).dtype == np.float64
    for token, position in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
        with pytest.raises(NotCertified, match="the row of the token before every word is rounded"):
            _row(np.array([0.0, token]), np.array([3.0, position]))


MAP = Affine(np.array([[1.0, 0.0, 2.0, 0.0], [0.5, 0.0, -1.0, 0.0]]), np.array([1.0, 7.0, 2.0, 9.0]))


def test_outputs_come_in_the_order_of_the_answers() -> None:
    """The highest of the constant ones stands for all that are no answer, under a name that no answer has."""
    assert output_map(MAP, ("a", "b"), None) == (MAP, ("a", "b"))
    map, answers = output_map(MAP, ("a", "b"), [2, 0])
    assert map.weight.tolist() == [[2.0, 1.0, 0.0], [-1.0, 0.5, 0.0]]
    assert map.bias.tolist() == [2.0, 1.0, 9.0]
    assert answers[:2] == ("a", "b")
    assert answers[2] not in ("a", "b", "<no answer>")
    map, answers = output_map(MAP, ("a", "b", "c", "d"), [3, 2, 1, 0])
    assert (map.bias.tolist(), answers) == ([9.0, 2.0, 7.0, 1.0], ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([2], "the outputs are not one for each answer"),
        ([2, 2], "the outputs are not one for each answer"),
        ([2, 0, 1], "the outputs are not one for each answer"),
        ([2, 1], "an output that is not an answer is not constant"),
        ([1, 3], "an output that is not an answer is not constant"),
    ],
)
def test_outputs_that_could_win_over_the_answers_are_refused(rows: list[int], why: str) -> None:
    with pytest.raises(NotCertified, match=why):
        output_map(MAP, ("a", "b"), rows)


def block(*written: float) -> Block:
    """A block with heads that write some numbers."""
    one = Affine(np.ones((1, 1)), np.zeros(1))
    return Block(tuple(Head(one, one, one, np.full((1, 1), w)) for w in written), np.zeros(1), None)


def test_heads_that_no_hint_names_must_write_nothing() -> None:
    """They fill up the layers of a class whose layers all have as many."""
    both = _hinted([block(2.0, 0.0, 0.0), block(0.0, 3.0)], [["x"], ["y", "z"]])
    assert [len(b.heads) for b in both] == [1, 2]
    assert [[float(h.output[0, 0]) for h in b.heads] for b in both] == [[2.0], [0.0, 3.0]]
    for hints in ([[], ["y", "z"]], [["x"], ["y"]], [7, ["y", "z"]]):
        with pytest.raises(NotCertified, match="there are more heads than the file describes"):
            _hinted([block(2.0, 0.0), block(0.0, 3.0)], hints)
    blocks = (block(2.0), block(3.0))
    for damaged in (None, [["x"]], "no", 7):
        assert _hinted(blocks, damaged) == blocks  # where hints are read these are refused
