"""A part of a flow: one layer, or one head."""

from dataclasses import replace

from capax.draw.view.view import Arrow, Flow, HeadGrid, LayerBox
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
        return replace(view, layers=(boxes[0],), arrows=_inside(boxes[0], view.arrows))
    if not 1 <= head <= len(boxes[0].heads):
        counts = ", ".join(f"layer {box.number} has {len(box.heads)}" for box in view.layers if box.number)
        what = f"there is no head {head} in layer {layer} of `{view.title}`"
        raise CapaxError("bad-option", what, hint=f"heads: {counts or 'none'}")
    return boxes[0].heads[head - 1]


def _inside(box: LayerBox, arrows: tuple[Arrow, ...]) -> tuple[Arrow, ...]:
    """The arrows that have both ends in a layer: those of its feed-forward part."""
    rows = {row.item for row in (*box.feed_forward, *(o for head in box.heads for o in head.outputs))}
    return tuple(arrow for arrow in arrows if arrow.source in rows and arrow.target in rows)
