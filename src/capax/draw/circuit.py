"""The picture of a circuit: inputs on the left, gates by their depth, the output marked."""

from collections import defaultdict

from capax.draw.sketch import Sketch
from capax.errors import CapaxError
from capax.formal.circuit import Circuit, Gate

WIDE, TALL, ACROSS, DOWN, LETTERS = 46.0, 24.0, 110.0, 38.0, 12.0
MOST_WIRES = 300
"""More wires make no readable picture."""


def draw_circuit(circuit: Circuit, title: str) -> str:
    """A circuit as an SVG document."""
    total = circuit.inputs + circuit.size
    if total > MOST_WIRES:
        what = f"a picture of {total:,} gates and inputs cannot be read"
        raise CapaxError("too-large", what, hint=f"circuits of up to {MOST_WIRES} are drawn")
    columns: dict[int, list[int]] = defaultdict(list)
    for wire, deep in enumerate(circuit.depths()):
        columns[deep].append(wire)
    places = {}
    for deep, wires in columns.items():
        for at, wire in enumerate(wires):
            places[wire] = (deep * ACROSS, (at - (len(wires) - 1) / 2) * DOWN + (deep % 3 - 1) * DOWN * 0.2)
    sketch = Sketch(title)
    for wire, gate in enumerate(circuit.gates, circuit.inputs):
        for source in gate.inputs:
            (x0, y0), (x1, y1) = places[source], places[wire]
            bend = DOWN * 0.7 if x1 - x0 > 1.5 * ACROSS else 0.0  # around what stands between
            sketch.curve((x0 + WIDE / 2, y0), ((x0 + x1) / 2, (y0 + y1) / 2 - bend), (x1 - WIDE / 2, y1))
    for wire, (x, y) in places.items():
        gate_name = f"x{wire}" if wire < circuit.inputs else _name(circuit.gates[wire - circuit.inputs])
        style = "well" if wire < circuit.inputs else "panel"
        sketch.box(x - WIDE / 2, y - TALL / 2, WIDE, TALL, style, round_=6, title=f"wire {wire}")
        sketch.text(x, y + 0.35 * LETTERS, gate_name, LETTERS, "result" if wire == circuit.output else "name")
    x, y = places[circuit.output]
    sketch.curve((x + WIDE / 2, y), (x + WIDE * 0.8, y), (x + WIDE, y))
    return sketch.svg()


def _name(gate: Gate) -> str:
    return f"≥ {gate.least}" if gate.kind == "threshold" else gate.kind.upper()
