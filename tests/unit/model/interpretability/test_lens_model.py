"""The own run of plain models: it gives the model's logits, and a patch changes what one reader reads."""

import numpy as np
import pytest

import capax as cx
from capax.model.export.hugging_face.answers import with_logits
from capax.model.interpretability.lens_model import (
    LensModel,
    Patch,
    lens_model,
    run,
    tokens_of,
    with_heads,
    words_of_length,
)
from capax.model.run.run import logits


def lens_of(name: str, *, causal: bool = False) -> tuple[cx.Model, LensModel]:
    """A compiled program of the library, and its form for TransformerLens with two heads a layer."""
    compiled = cx.compile(
        getattr(cx.library, name), alphabet="abc", max_length=6, causal=causal, keep_all=True, target="transformer-lens"
    )
    return with_logits(compiled.model), lens_model(compiled.model, heads=2)


@pytest.mark.parametrize(("name", "causal"), [("induction", True), ("reverse", False), ("hist2_nobos", False)])
def test_a_run_gives_the_logits_of_the_model(name: str, causal: bool) -> None:
    """On all words of length 4, and from the middle of a run that is known."""
    model, lens = lens_of(name, causal=causal)
    rows = words_of_length(lens, 4, 100)
    base = run(lens, rows)
    expected = logits(model, [tokens_of(lens, row) for row in rows])
    np.testing.assert_allclose(base.logits[:, lens.start :], np.stack(expected), atol=1e-5)
    last = f"m{lens.shape.layers - 1}"
    again = run(lens, rows, [Patch("input", last, base.outputs["input"])], base)
    np.testing.assert_allclose(again.logits, base.logits, atol=1e-4)


def test_a_patch_is_what_one_reader_reads() -> None:
    """The values of the copying head from another word: its answers are those of that word."""
    _, lens = lens_of("reverse")
    rows = words_of_length(lens, 3, 100)
    base, turned = run(lens, rows), run(lens, rows[::-1])
    changed = run(lens, rows, [Patch("input", "a1.h0<v>", turned.outputs["input"])], base)
    assert (changed.logits.argmax(-1)[:, lens.start :] == turned.logits.argmax(-1)[:, lens.start :]).all()


def test_further_heads_are_zeros() -> None:
    """They change nothing, bit for bit."""
    _, lens = lens_of("induction", causal=True)
    rows = words_of_length(lens, 4, 100)
    wide = with_heads(lens, 5)
    assert wide.shape.heads == 5
    assert (run(wide, rows).logits == run(lens, rows).logits).all()
