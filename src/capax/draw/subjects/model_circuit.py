"""The picture of a model's circuit: nodes by layer from the input up, and the edges that matter."""

from collections.abc import Sequence

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import shorten, width
from capax.draw.subjects.layered_graph import GraphLayout, lay_out
from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitNode, ModelCircuit
from capax.model.interpretability.graph import INPUT, POSITIONS, letter_of

LETTERS, SMALL, DOWN, TALL, WIDEST = 12.0, 10.0, 56.0, 40.0, 190.0
APART, TURN = 24.0, 20.0
"""How far the ends of lines are apart at most, and how far below a box they turn to it."""
MOST = 80
"""More nodes make no readable picture."""


def draw_model_circuit(circuit: ModelCircuit, title: str = "circuit") -> str:
    """A circuit as an SVG document; edges that matter only between lengths or positions are dashed."""
    names = [node.name for node in circuit.nodes]
    if len(names) > MOST:
        what = f"a picture of {len(names)} nodes cannot be read"
        raise CapaxError("too-large", what, hint=f"circuits of up to {MOST} nodes are drawn")
    joined: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    for edge in circuit.edges:
        pair = names.index(edge.edge.source), names.index(edge.edge.reader)
        joined.setdefault(pair, []).append((letter_of(edge.edge.target) or "", edge.same_length is not None))
    sizes = [(_wide(node), TALL) for node in circuit.nodes]
    ground = [number for number, name in enumerate(names) if name in (INPUT, POSITIONS)]
    layout = lay_out(sizes, list(joined), DOWN, ground)
    sketch = Sketch(title)
    ends = _ends(layout, [wide for wide, _ in sizes])
    for (low, high), kinds in joined.items():
        x, y = layout.middles[low]
        points = [(x, y - TALL / 2), *layout.bends[low, high], ends[low, high]]
        _line(sketch, points, dashed=not any(same for _, same in kinds))
    for pair, kinds in joined.items():
        if letters := "".join(letter for letter, _ in kinds):
            _label(sketch, ends[pair], letters)
    for node, (x, y), (wide, tall) in zip(circuit.nodes, layout.middles, sizes, strict=True):
        sketch.box(x - wide / 2, y - tall / 2, wide, tall, "panel", round_=6, title=f"{node.name}: {node.note}")
        sketch.text(x, y - 4, node.name, LETTERS, "name")
        sketch.text(x, y + 12, _note(node), SMALL, "quiet")
    return sketch.svg()


def _note(node: CircuitNode) -> str:
    """The note in short; the whole of it is the box's title."""
    return shorten(node.note.partition(" = ")[0].partition(";")[0], WIDEST - 12, SMALL)


def _wide(node: CircuitNode) -> float:
    return min(WIDEST, max(width(_note(node), SMALL), width(node.name, LETTERS)) + 18)


def _ends(layout: GraphLayout, wide: Sequence[float]) -> dict[tuple[int, int], tuple[float, float]]:
    """Where each line ends: beside each other at the lower side of a box, in the order in which they come."""
    ends = {}
    for high, (x, y) in enumerate(layout.middles):
        coming = [edge for edge in layout.bends if edge[1] == high]
        coming.sort(key=lambda edge: [layout.middles[edge[0]], *layout.bends[edge]][-1])
        apart = min(APART, (wide[high] - 14) / max(1, len(coming)))
        for number, edge in enumerate(coming):
            ends[edge] = (x + apart * (number - (len(coming) - 1) / 2), y + TALL / 2)
    return ends


def _label(sketch: Sketch, end: tuple[float, float], letters: str) -> None:
    """What of a head a line leads to, under the head of the line."""
    wide, (x, y) = width(letters, SMALL) + 2, end
    sketch.box(x - wide / 2, y + 8, wide, SMALL, "page")
    sketch.text(x, y + 16, letters, SMALL, "quiet")


def _line(sketch: Sketch, points: Sequence[tuple[float, float]], *, dashed: bool) -> None:
    """A line through points, with a head at its end, where it comes from straight below."""
    x, y = points[-1]
    turn = (x, y + TURN)
    sketch.trail([*points[:-1], turn], dashed=dashed)
    sketch.curve(turn, (x, y + TURN / 2), (x, y), dashed=dashed)


def bundle(circuit: ModelCircuit) -> dict[str, str]:
    """What a notebook shows of a circuit."""
    return {"text/plain": circuit.render(), "image/svg+xml": draw_model_circuit(circuit)}
