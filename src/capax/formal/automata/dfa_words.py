"""Random words of an automaton's language, every word of a length as likely."""

from functools import lru_cache

import numpy as np

from capax.formal.automata.dfa import Dfa


@lru_cache(maxsize=64)
def counts(dfa: Dfa, length: int) -> tuple[tuple[int, ...], ...]:
    """How many words of each length up to `length` lead from each state to acceptance."""
    rows = [tuple(int(q in dfa.accepting) for q in range(dfa.size))]
    for _ in range(length):
        rows.append(tuple(sum(rows[-1][t] for t in row) for row in dfa.delta))
    return tuple(rows)


def random_word(dfa: Dfa, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random accepted word of a length; None where there is none."""
    table = counts(dfa, length)
    if not table[length][dfa.start]:
        return None
    state, word = dfa.start, []
    for left in range(length, 0, -1):
        chances = [table[left - 1][t] for t in dfa.delta[state]]
        choice = _pick(random, chances)
        word.append(dfa.alphabet[choice])
        state = dfa.delta[state][choice]
    return tuple(word)


def near_word(dfa: Dfa, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random accepted word of the length, or else of the longest shorter length that has one."""
    table = counts(dfa, length)
    least = next((n for n in range(length, -1, -1) if table[n][dfa.start]), None)
    return None if least is None else random_word(dfa, random, least)


def _pick(random: np.random.Generator, chances: list[int]) -> int:
    """An index, as likely as the whole numbers say; they may be huge."""
    total = sum(chances)
    at = int.from_bytes(random.bytes((total.bit_length() + 71) // 8), "big") % total  # 64 spare bits: no bias to see
    for index, chance in enumerate(chances):
        at -= chance
        if at < 0:
            return index
    raise AssertionError("the chances sum to less than they do")
