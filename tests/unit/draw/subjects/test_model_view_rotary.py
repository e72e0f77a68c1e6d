"""Pictures of models with rotary heads: one grid for each head, which says what kind it is."""

from dataclasses import replace

from capax.draw.subjects.model_view import model_flow
from capax.model.parts import RotaryHead
from tests.support.models import Draw, Shape

SHAPE = Shape(kinds=("softmax",), masks=("causal",), sinks=False, pairs=False, functions=(), rotary=1.0, gated=1.0)


def test_rotary_heads_are_drawn() -> None:
    """Their weights sum to 1 at each query, and the formula names the positions."""
    models = (replace(Draw(SHAPE, seed).model(), prefix=()) for seed in range(50))
    model = next(m for m in models if m.blocks and m.blocks[0].heads)
    assert all(isinstance(head, RotaryHead) for head in model.blocks[0].heads)
    grids = model_flow(model, "abca").layers[0].heads
    assert len(grids) == len(model.blocks[0].heads)
    assert all("rotary positions" in grid.formula for grid in grids)
