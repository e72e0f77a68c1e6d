"""The picture of an automaton: states as discs, from the start to the right by how far they are from it."""

from collections import defaultdict, deque
from collections.abc import Set
from typing import TypeAlias

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import shorten, width
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa

RADIUS, ACROSS, DOWN, LETTERS, ASIDE = 18.0, 120.0, 90.0, 12.0, 9.0
Point: TypeAlias = tuple[float, float]
MOST_STATES = 60
"""More states make no readable picture."""


def draw_automaton(dfa: Dfa, title: str) -> str:
    """An automaton as an SVG document: accepting states have a ring, the start an arrow from outside."""
    if dfa.size > MOST_STATES:
        what = f"a picture of {dfa.size:,} states cannot be read"
        raise CapaxError("too-large", what, hint=f"automata of up to {MOST_STATES} states are drawn")
    sketch, centres = Sketch(title), _centres(dfa)
    moves: dict[tuple[int, int], list[str]] = defaultdict(list)
    for q, row in enumerate(dfa.delta):
        for symbol, t in zip(dfa.alphabet, row, strict=True):
            moves[q, t].append(symbol)
    joined = {frozenset((centres[q], centres[t])) for q, t in moves}
    labels = [
        (*_move(sketch, centres[q], centres[t], joined, both=(t, q) in moves), _label(symbols, dfa))
        for (q, t), symbols in moves.items()
    ]
    for x, y, label in labels:  # after all arrows, so that none goes through a letter
        wide = width(label, LETTERS) + 4
        sketch.box(x - wide / 2, y - 0.6 * LETTERS, wide, 1.2 * LETTERS, "page")
        sketch.text(x, y + 0.35 * LETTERS, label, LETTERS)
    x, y = centres[dfa.start]
    sketch.curve((x - 2.4 * RADIUS, y), (x - 1.7 * RADIUS, y), (x - RADIUS, y))
    for q, (x, y) in enumerate(centres):
        kind = "accepting" if q in dfa.accepting else "not accepting"
        sketch.circle(x, y, RADIUS, "panel", f"state {q}: {kind}")
        if q in dfa.accepting:
            sketch.circle(x, y, RADIUS - 4, "well", f"state {q}: {kind}")
        sketch.text(x, y + 0.35 * LETTERS, str(q), LETTERS, "result" if q in dfa.accepting else "name")
    return sketch.svg()


def _centres(dfa: Dfa) -> list[Point]:
    """The centre of each state: a column for each distance from the start, states below each other in it."""
    far, queue = {dfa.start: 0}, deque([dfa.start])
    while queue:
        q = queue.popleft()
        for t in dfa.delta[q]:
            if t not in far:
                far[t] = far[q] + 1
                queue.append(t)
    columns: dict[int, list[int]] = defaultdict(list)
    for q, distance in far.items():
        columns[distance].append(q)
    centres = [(0.0, 0.0)] * dfa.size
    for distance, states in columns.items():
        for at, q in enumerate(states):
            # columns are a little askew, so that a straight way seldom goes through a state between
            centres[q] = (distance * ACROSS, (at - (len(states) - 1) / 2) * DOWN + (distance % 2) * DOWN * 0.2)
    return centres


def _label(symbols: list[str], dfa: Dfa) -> str:
    text = "all" if len(symbols) == len(dfa.alphabet) > 3 else ", ".join(symbols)
    return shorten(text, 10 * LETTERS, LETTERS)


def _move(sketch: Sketch, one: Point, other: Point, joined: Set[frozenset[Point]], *, both: bool) -> Point:
    """Draws an arrow between two states, bent where there is one back, or where it goes far; where its letters go."""
    (x0, y0), (x1, y1) = one, other
    if one == other:
        # A loop gets out of the way of an arrow from or to the state above.
        above, below = (frozenset((one, (x0, y0 + step))) in joined for step in (-DOWN, DOWN))
        turned = above and not below
        sketch.loop(x0, y0, RADIUS, below=turned)
        return x0, y0 + (2.6 if turned else -2.6) * RADIUS
    dx, dy = x1 - x0, y1 - y0
    long = (dx * dx + dy * dy) ** 0.5
    ux, uy = dx / long, dy / long
    far = long > 1.6 * ACROSS
    bend = (0.16 * long if both or far else 0.0) + (0.12 * long if far else 0.0)
    middle = ((x0 + x1) / 2 + uy * bend, (y0 + y1) / 2 - ux * bend)
    begin, end = _rim(one, middle), _rim(other, middle)
    sketch.curve(begin, middle, end)
    top = ((begin[0] + 2 * middle[0] + end[0]) / 4, (begin[1] + 2 * middle[1] + end[1]) / 4)
    return top[0] + uy * ASIDE, top[1] - ux * ASIDE


def _rim(centre: Point, towards: Point) -> Point:
    """The point of a disc's edge that is nearest to another point."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    long = (dx * dx + dy * dy) ** 0.5
    return centre[0] + RADIUS * dx / long, centre[1] + RADIUS * dy / long
