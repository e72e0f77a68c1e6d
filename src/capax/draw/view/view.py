"""What a picture shows, before any ink: plain frozen data.

A `Flow` is a program at work: layers, in them heads and feed-forward results, and arrows from what is computed to
what uses it. A `HeadGrid` is one selector with its keys, queries, values and outputs. A `RowTable` is a few
sequences one below the other. A `SideBySide` is a prediction and a matrix of weights.
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeAlias

from capax.errors import CapaxError

FULL = 50
"""Words up to this length are drawn with every value as text."""
CELLS = 300
"""Words up to this length are drawn with a cell for every pair; longer ones as an overview."""

NOWHERE = -1
"""The layer of a sequence that is not part of a program."""

Kind: TypeAlias = Literal["selected", "average", "weights", "density"]


@dataclass(frozen=True, slots=True)
class Row:
    """A sequence: its name, its values as text (none when the word is too long), and where it comes from.

    `layer` is the layer that computes it, 0 for what is there from the start, `NOWHERE` outside of programs. `uses`
    names the sequences that an element-wise result is made from, with their layers.
    """

    name: str
    values: tuple[str, ...]
    type: str
    size: int
    layer: int
    formula: str = ""
    uses: tuple[tuple[str, int], ...] = ()
    is_result: bool = False
    ends: tuple[str, ...] = ()
    """The first values, for words that are too long to show."""
    item: str = ""
    """The one place of a flow where this sequence is computed or there from the start; constants have none."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The pairs of a head, a row for each query: weights from 0 to 1.

    `selected` holds 0 and 1; in `average` a query that selects m keys gives each the weight 1/m; `weights`
    are given from outside. In a `density` a cell stands for `step` by `step` pairs and holds the share that is
    selected; when `sampled`, the share among some of its queries.
    """

    kind: Kind
    size: int
    step: int
    rows: tuple[tuple[float, ...], ...]
    sampled: bool = False

    def to_json(self) -> dict[str, Any]:
        """The cells as plain data: a string of `#` and `.` for each row of equal weights, else numbers."""
        return {"kind": self.kind, "size": self.size, "step": self.step, "rows": [_row_json(r) for r in self.rows]} | (
            {"sampled": True} if self.sampled else {}
        )


def _row_json(row: tuple[float, ...]) -> str | list[float]:
    if len(set(row) - {0}) <= 1 and (sum(row) == 0 or abs(sum(row) - 1) < 1e-9 or max(row) == 1):
        return "".join("#" if weight else "." for weight in row)
    return [round(weight, 6) for weight in row]


class Shown:
    """Something that notebooks show as a picture."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The forms that a notebook can choose from, by media type."""
        from capax.draw.ink.html import fragment  # the inks know the views
        from capax.draw.ink.svg import svg
        from capax.draw.ink.terminal import terminal

        assert isinstance(self, Flow | HeadGrid | RowTable | SideBySide)
        return {"text/html": fragment(self), "image/svg+xml": svg(self), "text/plain": terminal(self)}


@dataclass(frozen=True, slots=True)
class HeadGrid(Shown):
    """One head: keys on top, queries at the left, values below, outputs at the right.

    `shares` is the weight of each selected key, for each query, where a head averages; a head that `counts` has
    no values. `where` defines the names of selectors that `name` and `formula` use. A head of third order shows the
    weights of first keys, and has a slice for each query: the pairs that it selects, first keys down and second across.
    """

    label: str
    name: str
    formula: str
    keys: tuple[Row, ...]
    queries: tuple[Row, ...]
    cells: Cells
    values: tuple[Row, ...] = ()
    outputs: tuple[Row, ...] = ()
    shares: tuple[str, ...] = ()
    counts: bool = False
    where: str = ""
    slices: tuple["HeadGrid", ...] = ()
    across: str = "key"
    down: str = "query"
    """What the columns and the rows are."""


Role: TypeAlias = Literal["key", "query", "value", "part"]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A dependency: the sequence of the item `source` is used by `target`, in one or more roles.

    A target is a head (`head 2.1`), which uses keys, queries and values, or the item of a feed-forward result, which
    uses parts.
    """

    source: str
    target: str
    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class LayerBox:
    """A layer: its heads, then what its feed-forward part computes. Layer 0 is what is there before attention."""

    number: int
    heads: tuple[HeadGrid, ...]
    feed_forward: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Flow(Shown):
    """A program on a word, layer by layer; `word` is as a program would write it, cut if it is long.

    `rounds` are the pictures of a loop, with their titles: before it, each round, after it. A page shows one of them
    at a time, where other pictures show all layers one after the other.
    """

    title: str
    word: str
    size: int
    layers: tuple[LayerBox, ...]
    arrows: tuple[Arrow, ...] = ()
    rounds: "tuple[tuple[str, Flow], ...]" = ()


@dataclass(frozen=True, slots=True)
class RowTable(Shown):
    """Sequences one below the other."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SideBySide(Shown):
    """A prediction and a matrix of weights, and for each query how far they are apart (0 equal, 1 disjoint)."""

    title: str
    left: HeadGrid
    right: HeadGrid
    difference: tuple[float, ...]


View: TypeAlias = Flow | HeadGrid | RowTable | SideBySide


def to_json(view: Any) -> Any:
    """A view as plain data; what is empty is left out."""
    if isinstance(view, Cells):
        return view.to_json()
    if is_dataclass(view):
        entries = {f.name: to_json(getattr(view, f.name)) for f in fields(view)}
        return {"view": type(view).__name__} | {k: v for k, v in entries.items() if v not in ((), [], "", False)}
    if isinstance(view, tuple):
        return [to_json(item) for item in view]
    return round(view, 6) if isinstance(view, float) else view


def head_item(label: str) -> str:
    """What arrows call a head."""
    return f"head {label}"


def size_of(view: View) -> int:
    """The length of the word in a view."""
    match view:
        case Flow():
            return view.size
        case HeadGrid():
            return view.cells.size
        case RowTable():
            return view.rows[0].size if view.rows else 0
        case SideBySide():
            return view.left.cells.size


def grids(view: View) -> list[HeadGrid]:
    """The heads of a view, in the order in which they are drawn."""
    match view:
        case Flow():
            return [grid for layer in view.layers for head in layer.heads for grid in (head, *head.slices)]
        case HeadGrid():
            return [view, *view.slices]
        case RowTable():
            return []
        case SideBySide():
            return [view.left, view.right]


def pick(view: Flow, layer: int | None, head: int | None) -> Flow | HeadGrid:
    """The flow with that layer alone, one of its heads, or the flow itself; layers and heads count from 1."""
    if layer is None:
        if head is None:
            return view
        if sum(len(box.heads) for box in view.layers) == 1:
            layer = next(box.number for box in view.layers if box.heads)
        else:
            raise CapaxError("bad-option", "a head is named together with its layer", hint="give --layer too")
    view = replace(view, rounds=())
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
