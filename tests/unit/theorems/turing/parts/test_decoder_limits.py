"""The cells and positions up to which a decoder is right."""

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.formal.turing.machine import Action, TuringMachine
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.decoder_limits import DecoderLimits, limits, most_cells, most_positions
from capax.theorems.turing.parts.follow import follow
from capax.theorems.turing.parts.hash import hash_limits


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


@pytest.mark.parametrize("numbers", ["float32", "float64"])
def test_places_are_found_up_to_the_limit(numbers: str) -> None:
    """At the most cells, the scores of layer 2 single out the cell for every place; far beyond they do not."""
    kind = np.dtype(numbers).type

    def found(h: int, places: np.ndarray) -> bool:  # type: ignore[type-arg]
        j = np.arange(max(0, h - 40), h + 40).astype(kind)
        for n in places:
            mean, r = kind(h / n), kind(1 / n)
            scores = kind(2) * mean * j - r * (j * j)
            if (scores == scores.max()).sum() != 1 or j[scores.argmax()] != h:
                return False
        return True

    top = most_cells("hard", numbers)
    random = np.random.default_rng(0)
    for h in [*random.integers(1, top + 1, 60).tolist(), top]:
        assert found(h, random.integers(h + 1, 8 * h + 8, 60))
    assert not found(8 * top, random.integers(8 * top + 1, 64 * top, 300))


def test_the_last_write_wins_up_to_the_limit() -> None:
    """The scores of layer 3 of neighbouring places are different numbers at the most places, and not far beyond."""
    for kind, digits in ((np.float32, 24), (np.float64, 53)):
        top = most_positions("hard", np.dtype(kind).name, 10)
        assert top == 2 ** (digits - 2)
        for n, apart in ((top, True), (8 * top, False)):
            j = np.arange(n - 1000, n).astype(kind)
            scores = kind(kind(1 / n) / 2) * j
            assert bool((np.diff(scores) > 0).all()) == apart


@pytest.mark.parametrize(
    ("options", "word", "most", "what"),
    [
        ({"numbers": "float32"}, "", 2_000, "positions"),
        ({"numbers": "float32", "cells": 20}, "", 1_000, "the head is on cell 21"),
        ({"numbers": "float32", "cells": 20}, "1" * 30, 10, "30 letters"),
        ({"numbers": "float32", "cells": 1_365}, "", 1, "at most 1,364 cells"),
        ({"attention": "softmax", "cells": 30_000, "positions": 10**6}, "", 1, "at most 62,549 positions"),
    ],
)
def test_beyond_the_limits_it_refuses(options: dict[str, object], word: str, most: int, what: str) -> None:
    """A chain that is too long, a head that goes too far, a word that is too long, and limits that cannot be had."""
    made = TuringMachine("_", "right", machine("bouncer").rules, ("1",))
    with pytest.raises(CapaxError, match=what) as caught:
        follow(decoder(made, **options), made, word, most)  # type: ignore[arg-type]
    assert caught.value.code == "word-length"


def test_a_float32_decoder_drifts_where_it_would_not_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the cells that are allowed, a decoder that is made for more goes wrong: the limit is not for nothing."""
    made = TuringMachine("_", "go", {("go", "_"): Action("1", 1, "go")}, ())
    with pytest.raises(CapaxError, match="the head is on cell 1,365"):
        follow(decoder(made, numbers="float32", cells=1_364), made, "", 9_000)
    monkeypatch.setattr("capax.theorems.turing.parts.decoder.limits", lambda *_: DecoderLimits(10**6, 10**6))
    assert not follow(decoder(made, numbers="float32"), made, "", 9_000).agrees


def test_limits_are_what_the_documentation_says() -> None:
    """The figures that are printed elsewhere."""
    shown = {(a, n): limits(a, n).cells for a in ("hard", "softmax") for n in ("float64", "float32")}
    assert shown == {
        ("hard", "float64"): 31_635_421,
        ("hard", "float32"): 1_364,
        ("softmax", "float64"): 38_302,
        ("softmax", "float32"): 47,
    }
    assert hash_limits("float64", 42).cells == 145
    assert hash_limits("float32", 42).cells == 5
