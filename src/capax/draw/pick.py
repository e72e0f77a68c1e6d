"""A part of a flow: one layer, or one head."""

from dataclasses import replace

from capax.draw.view import Flow, HeadGrid
from capax.errors import CapaxError


def pick(view: Flow, layer: int | None, head: int | None) -> Flow | HeadGrid:
    """The flow with that layer alone, one of its heads, or the flow itself; layers and heads count from 1."""
    if layer is None:
        if head is None:
            return view
        if sum(len(box.heads) for box in view.layers) == 1:
            layer = next(box.number for box in view.layers if box.heads)
        else:
            raise CapaxError("bad-option", "a head is named together with its layer", hint="give --layer too")
    boxes = [box for box in view.layers if box.number == layer]
    if not boxes:
        last = view.layers[-1].number
        raise CapaxError("bad-option", f"`{view.title}` has no layer {layer}", hint=f"its layers are 0 to {last}")
    if head is None:
        return replace(view, layers=(boxes[0],))
    if not 1 <= head <= len(boxes[0].heads):
        counts = ", ".join(f"layer {box.number} has {len(box.heads)}" for box in view.layers if box.number)
        what = f"there is no head {head} in layer {layer} of `{view.title}`"
        raise CapaxError("bad-option", what, hint=f"heads: {counts or 'none'}")
    return boxes[0].heads[head - 1]
