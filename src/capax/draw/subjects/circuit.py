"""The picture of a circuit: inputs on the left, gates by their depth, the output marked."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from capax.draw.shapes.sketch import Sketch
from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit, Gate

WIDE, TALL, ACROSS, DOWN, LETTERS, SMALL = 46.0, 24.0, 110.0, 38.0, 12.0, 10.0
MOST_WIRES = 300
"""More wires make no readable picture."""


def draw_circuit(circuit: Circuit, title: str, bits: Sequence[bool] | None = None) -> str:
    """A circuit as an SVG document; with `bits`, what each wire says of them."""
    total = circuit.inputs + circuit.size
    if total > MOST_WIRES:
        what = f"a picture of {total:,} gates and inputs cannot be read"
        raise CapaxError("too-large", what, hint=f"circuits of up to {MOST_WIRES} are drawn")
    columns: dict[int, list[int]] = defaultdict(list)
    for wire, deep in enumerate(circuit.depths()):
        columns[deep].append(wire)
    centres = {}
    for deep, wires in columns.items():
        for at, wire in enumerate(wires):
            centres[wire] = (deep * ACROSS, (at - (len(wires) - 1) / 2) * DOWN + (deep % 3 - 1) * DOWN * 0.2)
    sketch = Sketch(title)
    for wire, gate in enumerate(circuit.gates, circuit.inputs):
        for source, times in Counter(gate.inputs).items():
            (x0, y0), (x1, y1) = centres[source], centres[wire]
            bend = (
                (DOWN * 0.7 if y0 <= y1 else -DOWN * 0.7) if x1 - x0 > 1.5 * ACROSS else 0.0
            )  # around what is between
            sketch.curve((x0 + WIDE / 2, y0), ((x0 + x1) / 2, (y0 + y1) / 2 - bend), (x1 - WIDE / 2, y1))
            if times > 1:
                x, y = x1 - 0.8 * WIDE, y1 + 0.25 * (y0 - y1) - 0.4 * bend
                sketch.text(x, y + (SMALL if bend < 0 else -4), f"×{times}", SMALL, "quiet")
    values = None if bits is None else circuit.values(bits)
    for wire, (x, y) in centres.items():
        gate_name = f"x{wire}" if wire < circuit.inputs else _name(circuit.gates[wire - circuit.inputs])
        style = "well" if wire < circuit.inputs else "panel"
        sketch.box(x - WIDE / 2, y - TALL / 2, WIDE, TALL, style, round_=6, title=f"wire {wire}")
        sketch.text(x, y + 0.35 * LETTERS, gate_name, LETTERS, "result" if wire == circuit.output else "name")
        if values is not None:
            sketch.text(x + WIDE / 2 + 4, y - 4, str(int(values[wire])), SMALL, "result", "start")
    x, y = centres[circuit.output]
    sketch.curve((x + WIDE / 2, y), (x + WIDE * 0.8, y), (x + WIDE, y))
    return sketch.svg()


def _name(gate: Gate) -> str:
    return f"≥ {gate.least}" if gate.kind == "threshold" else gate.kind.upper()
