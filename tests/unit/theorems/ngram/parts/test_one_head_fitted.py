"""Transformers of n-gram models that were fitted to a text."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.formal.ngram.fit import fit
from capax.theorems.ngram.parts.equivalence import distributions
from capax.theorems.ngram.parts.one_head import fitted

ATTENTIONS = ("hard", "sparsemax", "softmax")


@settings(max_examples=40)
@given(
    st.lists(st.text(alphabet="abcdefgh", max_size=8), min_size=1, max_size=6).filter(any),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from(ATTENTIONS),
    st.text(alphabet="abcdefgh", max_size=9),
)
def test_fitted_models(words: list[str], order: int, smooth: float, attention: str, word: str) -> None:
    """A table that lacks histories: the transformer says the rest after them, as the n-gram model does."""
    language = fit(words, order, smooth=smooth, alphabet="abcdefgh")
    model = fitted(language, attention=attention, numbers="float64")
    got = distributions(model, np.array([language.numbers(word)], dtype=np.int64))[0]
    right = language.conditionals(word)
    np.testing.assert_allclose(got, right, atol=1e-10)
    np.testing.assert_array_equal(got == 0, right == 0)
