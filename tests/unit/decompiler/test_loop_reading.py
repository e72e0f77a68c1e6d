"""The loops of compiled models come back: their states, their values before the first round, and their bodies."""

from itertools import product

import numpy as np
import pytest

import capax
from capax.decompiler.loop_reading import state_codes
from capax.decompiler.naming import named_program, size
from capax.decompiler.sample import short_words
from capax.decompiler.white_box import white_box
from capax.model.adapt.rotation import anonymous
from capax.rasp.ir.loop_nodes import LoopResult


@pytest.mark.parametrize(("name", "letters"), [("parity_in_rounds", tuple("01")), ("root_of", (0, 1, 2))])
def test_a_loop_comes_back_and_holds_on_longer_words(name: str, letters: tuple[object, ...]) -> None:
    """Fitted to words of up to 4 letters, right on those of 5 and of 9, which have more rounds."""
    model = anonymous(capax.compile(getattr(capax.library, name), alphabet=letters, max_length=9).model, seed=3)
    read = white_box(model, short_words(letters, 4, 60, 0), letters)
    assert isinstance(read.answer, LoopResult), read.reason
    program = named_program(read.answer, [(head.reading.title, head.selector) for head in read.heads])
    again = capax.Program.from_text(program.to_text())
    words = [*product(letters, repeat=5), *short_words(letters, 9, 20, 1)]
    assert [list(row) for row in again.batch(words)] == [list(row) for row in model.batch(words)]
    assert size(program.node) <= 2 * size(getattr(capax.library, name).node)


def test_the_slots_of_two_states_are_found_in_a_turned_stream() -> None:
    """The codes are those that were put in, up to sign and order."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    still = rng.normal(size=(80, 3))
    codes = [np.column_stack([rng.integers(0, 3, 80), rng.integers(-1, 6, 80)]) for _ in range(2)]
    streams = [np.column_stack([still, c, np.zeros(80)]) @ turn for c in codes]
    found = np.abs(np.concatenate(state_codes(streams[0], streams[1])))
    assert sorted(map(tuple, found.T.round().tolist())) == sorted(map(tuple, np.abs(np.concatenate(codes)).T.tolist()))
    assert np.abs(found - found.round()).max() < 1e-4
