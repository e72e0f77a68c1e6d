"""Arrows as lines: each source has a lane beside the layers, and its arrows turn off where they are used.

A lane is a vertical line left of the layers. It begins where its source is and ends at its last user. A dot marks
where a line turns off; lines that cross without a dot have nothing to do with each other. Short lanes lie next to the
layers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from capax.draw.shapes.shapes import Point, Port, Shape, ShapeGroup, Tip, Trunk
from capax.draw.view.view import Arrow

LANE = 8
"""From one lane to the next."""
MOST_LANES = 16
"""Where more would be needed, the longest are left out."""
APART = 8
"""Between the end of a lane and the beginning of another on the same line."""


Route: TypeAlias = tuple[str, str, tuple[Point, ...]]
"""A source, a target, and the line from one to the other."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The arrows of one source: its index counted from the layers, the ways out of it and into its users."""

    source: str
    index: int
    out: Port
    users: tuple[Port, ...]

    @property
    def top(self) -> float:
        """Where the lane begins."""
        return self.out.points[0][1]

    @property
    def bottom(self) -> float:
        """Where the last user turns off."""
        return max(user.points[0][1] for user in self.users)


@dataclass(frozen=True, slots=True)
class Wiring:
    """The lanes of a flow, and the sources whose arrows are left out."""

    lanes: tuple[Lane, ...]
    left_out: tuple[str, ...]

    def moved(self, x: float, y: float) -> "Wiring":
        """The same wiring elsewhere."""
        moved = [
            Lane(lane.source, lane.index, lane.out.moved(x, y), tuple(user.moved(x, y) for user in lane.users))
            for lane in self.lanes
        ]
        return Wiring(tuple(moved), self.left_out)

    @property
    def width(self) -> float:
        """The room that the lanes need."""
        used = max((lane.index + 1 for lane in self.lanes), default=0)
        return LANE * used + 6 if used else 0


def ports(group: ShapeGroup, x: float = 0, y: float = 0) -> list[Port]:
    """The ways to the items of a group, at their places on the page."""
    x, y = x + group.x, y + group.y
    all_ports: list[Port] = []
    for shape in group.shapes:
        match shape:
            case Port():
                all_ports.append(shape.moved(x, y))
            case ShapeGroup(name="layers" | "layer" | "line"):
                all_ports += ports(shape, x, y)
    return all_ports


def wiring(arrows: Sequence[Arrow], ways: Sequence[Port]) -> Wiring:
    """The lanes for arrows between ports; where there are too many, the longest are left out."""
    out = {port.item: port for port in ways if port.out}
    into = {port.item: port for port in ways if not port.out}
    users: dict[str, list[Port]] = {}
    for arrow in arrows:
        if arrow.source in out and arrow.target in into:
            users.setdefault(arrow.source, []).append(into[arrow.target])
    lanes = [Lane(source, 0, out[source], tuple(targets)) for source, targets in users.items()]
    lanes.sort(key=lambda lane: (lane.bottom - lane.top, lane.top))
    placed: list[Lane] = []
    left_out: list[Lane] = []
    for lane in lanes:
        index = _free(lane, placed)
        if index < MOST_LANES:
            placed.append(Lane(lane.source, index, lane.out, lane.users))
        else:
            left_out.append(lane)
    return Wiring(tuple(placed), tuple(lane.source for lane in sorted(left_out, key=lambda lane: lane.top)))


def _free(lane: Lane, placed: Sequence[Lane]) -> int:
    """The first index at which a lane touches no other."""
    taken = {p.index for p in placed if lane.top < p.bottom + APART and p.top < lane.bottom + APART}
    return next(index for index in range(len(placed) + 1) if index not in taken)


def wires(wiring: Wiring, layers: Mapping[str, int], names: Mapping[str, str]) -> list[Shape]:
    """The shapes of lanes and of the ends of arrows, in groups by layer; `layers` and `names` are those of items."""
    by_layer: dict[int, list[Shape]] = {}
    joined: dict[Port, list[float]] = {}
    for lane in wiring.lanes:
        for user in lane.users:
            joined.setdefault(user, []).append(lane_x(lane))
    for lane in wiring.lanes:
        layer = layers[lane.source]
        by_layer.setdefault(layer, []).append(_trunk(lane, joined, layer, names))
    for port, across in joined.items():
        layer = layers[port.item]
        (left, y), points = (min(across), port.points[0][1]), port.points[1:]
        by_layer.setdefault(layer, []).append(Tip(port.item, ((left, y), *points), "tip"))
    return [ShapeGroup(0, 0, 0, 0, by_layer[layer], "wires", layer) for layer in sorted(by_layer)]


def lane_x(lane: Lane) -> float:
    """Where a lane lies."""
    return lane.out.points[0][0] - 8 - LANE * lane.index


def _trunk(lane: Lane, joined: Mapping[Port, list[float]], layer: int, names: Mapping[str, str]) -> Trunk:
    x = lane_x(lane)
    dots = tuple((x, user.points[0][1]) for user in lane.users if not _is_corner(lane, user, joined[user]))
    title = f"{names[lane.source]} → {', '.join(names[user.item] for user in lane.users)}"
    points = (*reversed(lane.out.points[1:]), (x, lane.top), (x, lane.bottom))
    return Trunk(lane.source, points, dots, f"w{layer % 6}", title)


def _is_corner(lane: Lane, user: Port, joined: Sequence[float]) -> bool:
    """Whether a lane ends where the line to a user begins, so that they are one line."""
    return user.points[0][1] == lane.bottom and lane_x(lane) == min(joined)


def routes(wiring: Wiring) -> list[Route]:
    """Every arrow that is drawn: its source, its target and its whole line."""
    return [
        (
            lane.source,
            user.item,
            (
                *reversed(lane.out.points[1:]),
                (lane_x(lane), lane.top),
                (lane_x(lane), user.points[0][1]),
                *user.points[1:],
            ),
        )
        for lane in wiring.lanes
        for user in lane.users
    ]
