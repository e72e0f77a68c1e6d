"""The changes that refinement tries: of one part, or of a table together with a head that reads it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias

from capax.lab.discrete.network import (
    INDICES,
    RANKS,
    RELATIONS,
    VIEWS,
    CountHead,
    DiscreteNetwork,
    PairTable,
    Part,
    PickHead,
    Selection,
    used,
)

Layers: TypeAlias = tuple[tuple[Part, ...], ...]
Change: TypeAlias = Callable[[Layers], Layers | None]
"""Makes other layers of those that there are; None where it does not apply."""
Variation: TypeAlias = Callable[[Part], Part | None]

SIGN, DIFFERENCE, SUM = "sign", "difference", "sum"
ARITHMETIC: Final = (SIGN, DIFFERENCE, SUM)
"""What tables are tried with as a whole: of the numbers of two codes, which are one less."""


def arithmetic(name: str, codes: int) -> tuple[int, ...]:
    """The entries of a table of arithmetic; results out of range become the nearest that is in it."""
    functions: dict[str, Callable[[int, int], int]] = {
        SIGN: lambda a, b: 1 + (a > b) - (a < b),
        DIFFERENCE: lambda a, b: a - b,
        SUM: lambda a, b: a + b,
    }
    numbers = range(-1, codes - 1)
    return tuple(min(max(functions[name](a, b) + 1, 0), codes - 1) for a, b in product(numbers, repeat=2))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands: its layer, its number there, its variable, and how many variables it may read."""

    layer: int
    number: int
    variable: int
    below: int


def _places(network: DiscreteNetwork) -> list[_Place]:
    lower, places = 2, list[_Place]()
    for depth, layer in enumerate(network.layers):
        heads = sum(not isinstance(part, PairTable) for part in layer)
        for number, part in enumerate(layer):
            below = lower + heads if isinstance(part, PairTable) else lower
            places.append(_Place(depth, number, lower + number, below))
        lower += len(layer)
    return places


def changes(network: DiscreteNetwork) -> Iterator[Change]:
    """All changes: first those of whole choices, then of tables with a head, then of entries in use."""
    needed = used(network, network.readout.first, network.readout.second)
    places = sorted(_places(network), key=lambda place: place.variable not in needed)
    for place in places:
        for variation in _choices(network.layers[place.layer][place.number], place.below, network.codes):
            yield _changed(place, variation)
    for table, head in product(places, repeat=2):
        if table.layer < head.layer and isinstance(network.layers[table.layer][table.number], PairTable):
            yield from _table_with_head(network, table, head)
    for place in (place for place in places if place.variable in needed):
        for variation in _entries(network.layers[place.layer][place.number], network.codes):
            yield _changed(place, variation)


def _changed(place: _Place, vary: Variation) -> Change:
    def to(layers: Layers) -> Layers | None:
        layer = layers[place.layer]
        part = vary(layer[place.number])
        if part is None:
            return None
        new = (*layer[: place.number], part, *layer[place.number + 1 :])
        return (*layers[: place.layer], new, *layers[place.layer + 1 :])

    return to


def _choices(part: Part, below: int, codes: int) -> Iterator[Variation]:
    """Ways to change the choices of a part that reads variables from 0 to `below` - 1."""
    if isinstance(part, PairTable):
        for first, second in product(range(below), repeat=2):
            yield _table(first, second, None)
            for name in ARITHMETIC:
                yield _table(first, second, arithmetic(name, codes))
        return
    for key, query in product(range(below), repeat=2):
        yield _selection(lambda s, k=key, q=query: replace(s, key=k, query=q))  # type: ignore[misc]
        for relation in RELATIONS[1:-2]:
            other = Selection(key, query, relation, VIEWS[0])
            yield _selection(lambda s, new=other: new)  # type: ignore[misc]
    for relation, view in product(RELATIONS[:-2], VIEWS):
        yield _selection(lambda s, r=relation, v=view: replace(s, relation=r, view=v))  # type: ignore[misc]
    for key, code, view in product(range(below), range(codes), VIEWS):
        constant = _constant(key, code, view, codes)
        yield _selection(lambda s, new=constant: new)  # type: ignore[misc]
    for shift in (-2, -1, 1, 2):
        table = tuple(min(max(code + shift, 0), codes - 1) for code in range(codes))
        yield _selection(lambda s, t=table: replace(s, relation="table", table=t))  # type: ignore[misc]
    if isinstance(part, PickHead):
        for value, rank in product(range(below), RANKS):
            yield _pick(value, rank)


def _constant(key: int, code: int, view: str, codes: int) -> Selection:
    return Selection(key, INDICES, "value", view, (code,) * codes)


def _table(first: int, second: int, entries: tuple[int, ...] | None) -> Variation:
    def vary(part: Part) -> Part:
        assert isinstance(part, PairTable)
        return PairTable(first, second, part.entries if entries is None else entries)

    return vary


def _selection(change: Callable[[Selection], Selection]) -> Variation:
    def vary(part: Part) -> Part:
        assert not isinstance(part, PairTable)
        return replace(part, selection=change(part.selection))

    return vary


def _pick(value: int, rank: str) -> Variation:
    def vary(part: Part) -> Part:
        assert isinstance(part, PickHead)
        return replace(part, value=value, rank=rank)

    return vary


def _table_with_head(network: DiscreteNetwork, table: _Place, head: _Place) -> Iterator[Change]:
    """A table of arithmetic over two counts, and a head above it that counts or picks where it has a code."""
    counts = [p.variable for p in _places(network)[: table.variable - 2] if _is_count(network, p)]
    if isinstance(network.layers[head.layer][head.number], PairTable):
        return
    for first, second in product(counts, repeat=2):
        for name, code, view in product(ARITHMETIC[:2] if first != second else (), range(3), VIEWS[:3]):
            one = _changed(table, _table(first, second, arithmetic(name, network.codes)))
            selection = _constant(table.variable, code, view, network.codes)
            two = _changed(head, _selection(lambda s, new=selection: new))  # type: ignore[misc]
            yield _both(one, two)


def _both(one: Change, two: Change) -> Change:
    def to(layers: Layers) -> Layers | None:
        between = one(layers)
        return None if between is None else two(between)

    return to


def _is_count(network: DiscreteNetwork, place: _Place) -> bool:
    return isinstance(network.layers[place.layer][place.number], CountHead)


def _entries(part: Part, codes: int) -> Iterator[Variation]:
    """Ways to change one entry of a part's table."""
    if isinstance(part, PairTable):
        for entry, code in product(range(len(part.entries)), range(codes)):
            yield lambda p, e=entry, c=code: replace(p, entries=_with(p.entries, e, c))  # type: ignore[misc]
    elif part.selection.relation == "table":
        for row, code in product(range(codes), repeat=2):
            yield lambda p, r=row, c=code: _with_row(p, r, c)  # type: ignore[misc]


def _with(entries: tuple[int, ...], number: int, code: int) -> tuple[int, ...]:
    return (*entries[:number], code, *entries[number + 1 :])


def _with_row(part: Part, row: int, code: int) -> Part | None:
    """The part with one row of its table changed, if it still has one."""
    if isinstance(part, PairTable) or part.selection.relation != "table":
        return None
    return replace(part, selection=replace(part.selection, table=_with(part.selection.table, row, code)))
