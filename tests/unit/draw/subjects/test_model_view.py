"""Pictures of models: the weights of every head."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.draw.ink.html import html
from capax.draw.ink.svg import svg
from capax.draw.ink.terminal import terminal
from capax.draw.subjects.model_view import bundle, example_word, model_flow
from capax.draw.view.view import CELLS
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Head, Sink, TensorHead
from capax.model.run.run import run_rows
from examples.previous_token import build
from tests.support.outcomes import count_outcome, least_share
from tests.support.random_models import models


def test_the_previous_token_head_is_drawn() -> None:
    """Each query looks at the token before it, the first at nothing."""
    view = model_flow(build(), "abca", title="previous")
    (box,) = view.layers
    (grid,) = box.heads
    assert grid.cells.rows == ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0))
    assert (grid.label, grid.name, grid.formula) == ("1.1", "before", "softmax, mask strict past")
    assert box.feed_forward[0].values == ("-", "a", "b", "c")
    assert (view.title, view.word, view.size) == ("previous", '"abca"', 4)


@least_share("drawn", 0.5)
@given(models(("float64", "float32", "fixed:16.8")), st.data())
def test_any_model_can_be_drawn(model: Model, data: st.DataObject) -> None:
    """In every ink, with the weights that the run has; or it is refused with a reason."""
    word = data.draw(st.lists(st.sampled_from(model.vocabulary.tokens), min_size=1, max_size=model.max_length or 4))
    try:
        view = model_flow(model, word)
    except CapaxError as error:
        assert error.code in REFUSED  # noqa: PT017
        count_outcome("refused")
        return
    count_outcome("drawn")
    trace: dict[str, np.ndarray] = {}
    run_rows(model, np.array([model.read(word)]), trace)
    grids = [grid for box in view.layers for grid in box.heads]
    heads = [(b, h, head) for b, block in enumerate(model.blocks) for h, head in enumerate(block.heads)]
    assert len(grids) == len(heads) + sum(isinstance(head, TensorHead) for _, _, head in heads)
    n = len(word) + len(model.prefix)
    for b, h, _ in heads:
        grid = next(g for g in grids if g.label == f"{b + 1}.{h + 1}")
        expected = trace[f"blocks.{b}.attn.pattern"][0, h][:, :n]
        np.testing.assert_allclose(np.array(grid.cells.rows), expected, atol=1e-6)
    assert view.layers[-1].feed_forward[0].size == n
    assert svg(view).startswith("<svg")
    assert "answers" in terminal(view)
    assert "</html>" in html(view)


REFUSED = ("bad-model", "bad-option", "number-system")


def test_sinks_and_third_order_heads() -> None:
    """A sink's weight stands beside its query; a head over pairs has a grid for each of its keys."""
    model = build()
    (head,) = model.blocks[0].heads
    assert isinstance(head, Head)
    sunk = replace(
        head, sink=Sink(np.array([1.0]), np.zeros(3)), mask="none", scale=1.0, key=Affine(np.zeros((7, 1)), np.ones(1))
    )
    pair = TensorHead(head.query, head.key, head.key, head.value, head.value, head.output, name="pairs")
    view = model_flow(replace(model, blocks=(replace(model.blocks[0], heads=(sunk, pair)),)), "ab")
    one, first, second = view.layers[0].heads
    assert one.outputs[0].values == ("0.333", "0.333")
    assert one.cells.rows[0] == pytest.approx((1 / 3, 1 / 3))
    assert (first.formula, second.formula) == (
        "first keys, third-order softmax",
        "second keys, third-order softmax",
    )
    assert sum(first.cells.rows[0]) == pytest.approx(1)


def test_prefixes_are_shown() -> None:
    """As tokens before the word, without answers."""
    view = model_flow(replace(build(), prefix=("c",)), "ab")
    assert view.layers[0].heads[0].keys[0].values == ("c", "a", "b")
    assert view.layers[0].feed_forward[0].values == ("", "c", "a")


def test_a_model_without_heads_shows_its_answers() -> None:
    """The answers alone."""
    view = model_flow(replace(build(), blocks=()), "ab")
    assert view.layers[0].feed_forward[0].values == ("-", "-")
    assert "answers" in terminal(view)


def test_words_to_draw() -> None:
    """A word that the model can read; and no longer one than a picture holds."""
    assert example_word(build()) == list("abcabc")
    assert example_word(replace(build(), max_length=2)) == list("ab")
    assert example_word(replace(build(), prefix=("a",))) == list("bcbcbc")
    with pytest.raises(CapaxError, match=f"1 to {CELLS} tokens"):
        model_flow(build(), "a" * (CELLS + 1))


@given(models())
def test_notebooks_show_sizes_and_heads(model: Model) -> None:
    """Show a table of the size and a row for each head; names are text, not markup."""
    shown = model._repr_mimebundle_()
    assert shown["text/plain"] == str(model)
    assert shown["text/html"] == bundle(model)["text/html"]
    assert f"<td>{model.size.parameters:,}</td>" in shown["text/html"]
    assert shown["text/html"].count("<tr><td style") == sum(len(block.heads) for block in model.blocks)


def test_markup_in_names() -> None:
    """Is escaped."""
    model = build()
    head = replace(model.blocks[0].heads[0], name="<script>")
    shown = bundle(replace(model, blocks=(replace(model.blocks[0], heads=(head,)),)))["text/html"]
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
