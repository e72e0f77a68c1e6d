"""The picture of a protocol: a line for each player, an arrow for each message, with its bits."""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import shorten, width

NAME, SMALL = 13.0, 10.5
STEP, TOP, APART = 30.0, 64.0, 40.0
MOST = 60
"""More messages than this are drawn in part, with a line that says how many are left out."""
SEATS = 16


def draw_transcript(run: Mapping[str, Any]) -> str:
    """A run of a protocol, as its JSON has it, as an SVG document."""
    seats = run["players"][:SEATS]
    sketch = Sketch(f"The protocol {run['protocol']}")
    x = _columns(seats)
    messages = [m for m in run["messages"] if not m["free"]]
    drawn_messages = [m for m in messages if m["from"] in x and (m["to"] in x or m["to"] == "everyone")][:MOST]
    left_out = len(messages) - len(drawn_messages)
    bottom = TOP + STEP * (len(drawn_messages) + _rounds(drawn_messages)) + STEP
    for seat in seats:
        at = x[seat["name"]]
        wide = width(seat["name"], NAME) + 18
        sketch.line((at, 42), (at, bottom), dashed=True)
        sketch.box(at - wide / 2, -8, wide, 26, "panel", round_=6, title=seat["holds"])
        sketch.text(at, 10, seat["name"], NAME, "name")
        sketch.text(at, 34, shorten(seat["holds"], _room(seats), SMALL), SMALL, "quiet")
    _arrows(sketch, drawn_messages, x)
    _below(sketch, run, min(x.values()), bottom, left_out, len(run["players"]) - len(seats))
    return sketch.svg()


def _room(seats: Sequence[Mapping[str, Any]]) -> float:
    return 250.0 if len(seats) <= 4 else 190.0 if len(seats) <= 8 else 60.0


def _columns(seats: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The place of each player's line."""
    middles, at = {}, 0.0
    for seat in seats:
        half = max(width(seat["name"], NAME) + 18, min(width(seat["holds"], SMALL), _room(seats)), 80.0) / 2
        middles[seat["name"]] = at + half
        at += 2 * half + APART
    return middles


def _rounds(messages: Sequence[Mapping[str, Any]]) -> int:
    return len({m["round"] for m in messages})


def _arrows(sketch: Sketch, messages: Sequence[Mapping[str, Any]], x: Mapping[str, float]) -> None:
    left, right = min(x.values()), max(x.values())
    y, last = TOP, None
    for message in messages:
        if message["round"] != last:
            last = message["round"]
            sketch.text(left - 50, y + 4, f"round {last}", SMALL, "quiet", "end")
            y += STEP
        start, label = x[message["from"]], f"{message['bits']:,} bits"
        if message["to"] == "everyone":
            sketch.circle(start, y, 3.5, "arrowhead")
            for end in (left, right):
                if abs(end - start) > 1:
                    sketch.curve((start, y), ((start + end) / 2, y), (end, y))
            sketch.text(right + 12, y + 4, f"{message['from']}: {label}", SMALL, "text", "start")
        else:
            end = x[message["to"]]
            sketch.curve((start, y), ((start + end) / 2, y), (end, y))
            # beside the sender, where no other line crosses it
            side = 1 if end > start else -1
            sketch.text(start + 6 * side, y - 5, label, SMALL, "text", "start" if side > 0 else "end")
        y += STEP


def _below(sketch: Sketch, run: Mapping[str, Any], left: float, bottom: float, left_out: int, unseen: int) -> None:
    """The sums below the lines."""
    count = run["compared"]
    agreed = f"{count:,} integer{'s' * (count != 1)} compared"
    name = "the paper's count" if run["counted_by"] == "paper" else "our bound"
    lines = [
        f"{run['bits']:,} bits were sent ({run['exact_bits']:,} before whole bytes), {name} is "
        f"{run['counted_bits']:,}: {run['formula']}",
        f"output {_short(run['output'])}, identical with the whole model's ({agreed}); "
        f"the task asks for {_short(run['truth'])}",
    ]
    if left_out:
        lines.append(f"{left_out:,} more messages are not drawn")
    if unseen > 0:
        lines.append(f"{unseen:,} more players are not drawn")
    for number, line in enumerate(lines):
        sketch.text(left - 50, bottom + 22 + 16 * number, line, SMALL, "quiet", "start")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
