"""The picture of a model's circuit: nodes by layer from the input up, and the edges that matter."""

from collections.abc import Sequence
from itertools import pairwise

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import shorten, width
from capax.draw.subjects.layered_graph import lay_out
from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitNode, ModelCircuit
from capax.model.interpretability.graph import letter_of

LETTERS, SMALL, DOWN, TALL, WIDEST = 12.0, 10.0, 46.0, 40.0, 190.0
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
        ends = names.index(edge.edge.source), names.index(edge.edge.reader)
        joined.setdefault(ends, []).append((letter_of(edge.edge.target) or "", edge.same_length is not None))
    sizes = [(_wide(node), TALL) for node in circuit.nodes]
    layout = lay_out(sizes, list(joined), DOWN)
    sketch = Sketch(title)
    for (low, high), kinds in joined.items():
        start, end = layout.middles[low], layout.middles[high]
        points = [(start[0], start[1] - TALL / 2), *layout.bends[low, high], (end[0], end[1] + TALL / 2)]
        _line(sketch, points, dashed=not any(same for _, same in kinds))
        letters = "".join(letter for letter, _ in kinds)
        if letters:
            (x0, y0), (x1, y1) = points[-2], points[-1]
            sketch.text(x1 + 0.25 * (x0 - x1) + 8, y1 + 0.25 * (y0 - y1), letters, SMALL, "quiet")
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


def _line(sketch: Sketch, points: Sequence[tuple[float, float]], *, dashed: bool) -> None:
    """A line through points, with a head at its end."""
    if dashed or len(points) > 2:
        sketch.trail(list(points[:-1]), dashed=dashed)
    for start, end in list(pairwise(points))[-1:]:
        if dashed:
            sketch.line(start, end, dashed=True)
        else:
            sketch.curve(start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)


def bundle(circuit: ModelCircuit) -> dict[str, str]:
    """What a notebook shows of a circuit."""
    return {"text/plain": circuit.render(), "image/svg+xml": draw_model_circuit(circuit)}
