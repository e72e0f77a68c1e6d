"""Random discrete networks, with tokens and outputs of their own, and a slow definition of what they answer."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from capax.lab.discrete.changes import ARITHMETIC, arithmetic
from capax.lab.discrete.examples import Lexicon
from capax.lab.discrete.network import (
    RANKS,
    RELATIONS,
    VIEWS,
    CountHead,
    DiscreteNetwork,
    PairTable,
    Part,
    PickHead,
    Selection,
)

LEXICONS = st.builds(
    lambda letters, count, outputs, longest: Lexicon(letters[:count], outputs, longest),
    st.sampled_from([("a", "b", "c", "d", "e", "f"), (5, 6, 7, 8, 9, 10)]),
    st.sampled_from([2, 3, 6]),
    st.sampled_from([("x", "y", "z"), (4, 5, 6), (False, True, True)]),
    st.integers(1, 4),
)


@st.composite
def networks(draw: st.DrawFn) -> tuple[DiscreteNetwork, Lexicon]:
    """A network of up to two layers with up to five parts each, and its lexicon.

    Choices come from a drawn seed: there are thousands of entries in tables.
    """
    lexicon = draw(LEXICONS)
    sizes = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), max_size=2))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes, variables = lexicon.codes, 2
    layers = []
    for counts, picks, tables in sizes:
        parts: list[Part] = [CountHead(_selection(random, variables, codes)) for _ in range(counts)]
        for _ in range(picks):
            rank = RANKS[random.integers(len(RANKS))]
            parts.append(PickHead(_selection(random, variables, codes), int(random.integers(variables)), rank))
        parts += [_table(random, variables + len(parts), codes) for _ in range(tables)]
        variables += len(parts)
        layers.append(tuple(parts))
    first, second = (int(k) for k in random.integers(0, variables, 2))
    readout = PairTable(first, second, tuple(random.integers(0, len(lexicon.outputs), codes * codes).tolist()))
    return DiscreteNetwork(codes, tuple(layers), readout), lexicon


def _selection(random: np.random.Generator, variables: int, codes: int) -> Selection:
    key, query = (int(k) for k in random.integers(0, variables, 2))
    relation, view = RELATIONS[random.integers(len(RELATIONS))], VIEWS[random.integers(len(VIEWS))]
    table = random.integers(0, codes, codes).tolist()
    return Selection(key, query, relation, view, tuple(table[:1] * codes if relation == "value" else table))


def _table(random: np.random.Generator, variables: int, codes: int) -> PairTable:
    first, second = (int(k) for k in random.integers(0, variables, 2))
    if random.random() < 0.5:
        return PairTable(first, second, arithmetic(ARITHMETIC[random.integers(len(ARITHMETIC))], codes))
    return PairTable(first, second, tuple(random.integers(0, codes, codes * codes).tolist()))


def slow_outputs(network: DiscreteNetwork, word: list[int]) -> list[int]:
    """The numbers of the outputs of one word, by loops over positions."""
    values: list[list[int]] = [[token + 1 for token in word], [k + 1 for k in range(len(word))]]
    for part in network.parts:
        values.append([_value(network, part, values, i) for i in range(len(word))])
    readout = network.readout
    return [_entry(network, readout, values, i) for i in range(len(word))]


def _value(network: DiscreteNetwork, part: Part, values: list[list[int]], i: int) -> int:
    if isinstance(part, PairTable):
        return _entry(network, part, values, i)
    at = part.selection
    keys = [j for j in range(len(values[0])) if _related(at, values, i, j)]
    if isinstance(part, CountHead):
        return len(keys) + 1
    order: dict[str, Any] = {"last": lambda j: j, "first": lambda j: -j, "greatest": lambda j: (values[at.key][j], j)}
    return values[part.value][max(keys, key=order[part.rank])] if keys else 0


def _related(at: Selection, values: list[list[int]], i: int, j: int) -> bool:
    key, query = values[at.key][j], values[at.query][i]
    sees = {"all": True, "before": j < i, "up to": j <= i, "after": j > i, "from": j >= i}[at.view]
    holds = {
        "any": True,
        "==": key == query,
        "<": key < query,
        "<=": key <= query,
        ">": key > query,
        ">=": key >= query,
        "value": key == at.table[0],
        "table": key == at.table[query],
    }
    return sees and holds[at.relation]


def _entry(network: DiscreteNetwork, table: PairTable, values: list[list[int]], i: int) -> int:
    return table.entries[values[table.first][i] * network.codes + values[table.second][i]]
