"""Words read together are the words read one by one, errors included."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Block, Readout
from capax.model.positions import Positions
from capax.model.run.word_rows import row_groups
from capax.model.vocabulary import Numbers, Vocabulary

TOKENS = ("a", "b", 1, 2.0, True)


def _model(**options: Any) -> Model:
    readout = Readout(Affine(np.zeros((1, 1)), np.zeros(1)))
    embedding, block = np.zeros((len(TOKENS), 1)), Block((), np.zeros(1))
    model = Model(
        Vocabulary(TOKENS),
        embedding,
        Positions((), np.zeros((0, 1))),
        (block,),
        readout,
        Numbers(),
        ("x",),
        min_length=0,
    )
    return replace(model, **options)


WORDS = st.lists(
    st.text("ab", max_size=4)
    | st.lists(st.sampled_from(TOKENS), max_size=4)
    | st.lists(st.sampled_from([1, 1]), max_size=4).map(tuple)
    | st.lists(st.sampled_from(["a", 1, 1.0, False, "z", None]), max_size=3),
    max_size=6,
)


@given(WORDS, st.sampled_from([(), ("b",), (1, "a")]), st.sampled_from([None, 3]))
def test_rows_are_those_of_each_word(words: list[Any], prefix: tuple[Any, ...], longest: int | None) -> None:
    model = _model(prefix=prefix, max_length=longest)

    def together() -> list[list[int]]:
        groups = row_groups(model, words)
        rows = {number: row for g in groups for number, row in zip(g.numbers, g.ids.tolist(), strict=True)}
        return [rows[number] for number in range(len(words))]

    assert _outcome(together) == _outcome(lambda: [model.read(word) for word in words])


def _outcome(rows: Callable[[], list[list[int]]]) -> list[list[int]] | str:
    """The rows, or the error."""
    try:
        return rows()
    except CapaxError as error:
        return str(error)


def test_words_of_one_length_are_together() -> None:
    groups = row_groups(_model(), ["ab", "a", "", "ba", iter("bb"), ""])
    assert [(g.numbers, g.ids.tolist()) for g in groups] == [
        ([0, 3, 4], [[0, 1], [1, 0], [1, 1]]),
        ([1], [[0]]),
        ([2, 5], [[], []]),
    ]


def test_what_is_no_word_is_refused() -> None:
    with pytest.raises(CapaxError, match="a list of tokens, not 5"):
        row_groups(_model(), ["a", 5])  # type: ignore[list-item]
