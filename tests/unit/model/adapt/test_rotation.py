"""Stripped and rotated models: the same answers, and nothing of the names."""

import numpy as np
import pytest

import capax
from capax.errors import CapaxError
from capax.model.adapt.rotation import anonymous
from capax.model.provenance import Provenance
from tests.support.audit_subjects import gpt


@pytest.mark.parametrize("name", ["reverse", "hist_nobos", "match3"])
def test_answers_stay(name: str) -> None:
    """On random words, with heads of second and third order."""
    letters = [0, 1, 2, 3] if name == "match3" else list("abc")
    model = capax.compile(getattr(capax.library, name), alphabet=letters, max_length=6).model
    other = anonymous(model, seed=3)
    random = np.random.default_rng(0)
    words = [[letters[k] for k in random.integers(len(letters), size=n)] for n in (1, 2, 3, 4, 5, 6) for _ in range(9)]
    assert other.batch(words) == model.batch(words)
    assert other.provenance == Provenance()
    assert other.names == tuple(f"d{k}" for k in range(model.width))
    assert all(head.name == "" and head.origin is None for block in other.blocks for head in block.heads)
    assert not np.allclose(other.embedding, model.embedding)


def test_norms_do_not_turn() -> None:
    """A LayerNorm is refused."""
    with pytest.raises(CapaxError, match="norm"):
        anonymous(gpt(1))
