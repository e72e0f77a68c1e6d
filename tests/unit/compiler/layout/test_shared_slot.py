"""What is read out, in a slot with a column of the embedding."""

from itertools import product

import pytest

import capax
from capax import aggregate, select, selector_width, tokens
from capax.compiler.compiled import Compiled
from capax.compiler.layout.shared_slot import with_shared_slot

HISTOGRAM = selector_width(select(tokens, tokens, "=="))


def compiled(alphabet: str, longest: int, dtype: str = "float32") -> Compiled:
    return capax.compile(HISTOGRAM, alphabet=alphabet, max_length=longest, dtype=dtype)


@pytest.mark.parametrize(
    ("alphabet", "longest", "most"), [("abcd", 100, 354), ("abcd", 300, 954), ("abcdefgh", 100, 382)]
)
def test_a_histogram_needs_two_slots_and_is_certified_whole(alphabet: str, longest: int, most: int) -> None:
    model = compiled(alphabet, longest)
    assert (model.size.width, model.size.parameters) == (2, most)
    assert model.certified_length == longest


def test_all_short_words_are_right() -> None:
    model = compiled("abcd", 100)
    for word in (w for n in range(1, 6) for w in product("abcd", repeat=n)):
        assert model.model(word) == [word.count(token) for token in word]


def test_the_column_is_taken_away_before_the_readout() -> None:
    model = compiled("abcd", 20).model
    trace = model.run("abcdabca", trace=True)
    shared = next(i for i, name in enumerate(model.names) if ", then " in name)
    counts = [2 + ("abcdabca".count(t) - 1) for t in "abcdabca"]
    assert trace["blocks.0.resid_post"][..., shared].ravel() == pytest.approx([1 / k for k in counts], abs=1e-6)
    added = trace["blocks.0.resid_mid"][..., shared] - trace["blocks.0.resid_post"][..., shared]
    assert sorted(set(added.round(3).ravel().tolist())) == [0, 1, 4, 9]


def test_no_sharing_where_rounding_would_show() -> None:
    assert compiled("abcd", 1000).size.width == 3
    assert compiled("abcd", 1000, "float64").size.width == 2
    assert compiled("abcdefghijklmnopqrstuvwxyz", 100).size.width == 3


def test_no_sharing_where_every_value_is_kept() -> None:
    kept = capax.compile(HISTOGRAM, alphabet="abcd", max_length=20, keep_all=True)
    assert len(set(kept.passes.layout.slots.values())) == len(kept.passes.layout.slots)


def test_no_sharing_where_a_count_is_not_all_that_is_read() -> None:
    both = capax.compile(aggregate(select(tokens, tokens, "=="), HISTOGRAM), alphabet="abcd", max_length=8)
    assert with_shared_slot(both.passes.layout, both.passes.network) is None
