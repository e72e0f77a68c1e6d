"""Two codes of the maps that words make of an automaton's states, and how codes of two words give that of both."""

from dataclasses import dataclass
from itertools import product
from math import isqrt

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa


@dataclass(frozen=True, slots=True)
class Code:
    """Bits that tell a map of states: `letters[a]` and `identity` are sets of bits, `products` says how bits compose.

    Of two words, if the first has the bit f and the second the bit g, the two together have the bit h, for each (f,
    g, h) of `products`; `accepting` are the bits of which an accepted word has one.
    """

    form: str
    bits: tuple[str, ...]
    letters: tuple[tuple[int, ...], ...]
    identity: tuple[int, ...]
    products: tuple[tuple[int, int, int], ...]
    accepting: tuple[int, ...]


MOST_WEIGHTS = 20_000_000
"""So many weights are allowed in the MLP of one layer, which has a unit for each product and each bit."""


def weights(bits: int, products: int) -> int:
    """The number of weights of the MLP that composes maps: units times the directions that it reads and writes."""
    return 2 * (2 * bits + 2) * (products + 2 * bits)


def code(dfa: Dfa, form: str) -> Code:
    """The code by pairs of states or by elements of the monoid; `shorter` is the one with fewer products."""
    n = dfa.size
    small = weights(n * n, n**3) <= MOST_WEIGHTS
    monoid = None
    if form != "states":
        most = isqrt(n**3) if form == "shorter" and small else MOST_ELEMENTS
        monoid = elements(dfa, most)
    if monoid is None and (form == "monoid" or not small):
        what = f"composing the maps of {n:,} states needs more than {MOST_WEIGHTS:,} weights in a layer"
        raise CapaxError("too-large", what, hint="take an automaton with fewer states")
    return monoid or pairs_of_states(dfa)


MOST_ELEMENTS = next(m for m in range(1000, 0, -1) if weights(m, m * m) <= MOST_WEIGHTS)
"""Monoids with more elements are not composed element by element."""


def pairs_of_states(dfa: Dfa) -> Code:
    """A bit for each pair of states (q, r): the word leads from q to r."""
    n = dfa.size
    letters = [tuple(q * n + dfa.delta[q][a] for q in range(n)) for a in range(len(dfa.alphabet))]
    return Code(
        "states",
        tuple(f"{q} to {r}" for q, r in product(range(n), repeat=2)),
        tuple(letters),
        tuple(q * n + q for q in range(n)),
        tuple((q * n + r, r * n + s, q * n + s) for q, r, s in product(range(n), repeat=3)),
        tuple(dfa.start * n + q for q in sorted(dfa.accepting)),
    )


def elements(dfa: Dfa, most: int) -> Code | None:
    """A bit for each map of states that a word makes; None if there are more than `most`."""
    n = dfa.size
    maps = [tuple(dfa.delta[q][a] for q in range(n)) for a in range(len(dfa.alphabet))]
    number = {tuple(range(n)): 0}
    queue = list(number)
    for one in queue:  # the queue grows while it is read
        for then in maps:
            both = tuple(then[q] for q in one)
            if both not in number:
                number[both] = len(number)
                queue.append(both)
        if len(number) > most:
            return None
    products = ((number[f], number[g], number[tuple(g[q] for q in f)]) for f, g in product(queue, repeat=2))
    return Code(
        "monoid",
        tuple(f"map {at}" for at in range(len(queue))),
        tuple((number[one],) for one in maps),
        (0,),
        tuple(products),
        tuple(at for one, at in number.items() if one[dfa.start] in dfa.accepting),
    )
