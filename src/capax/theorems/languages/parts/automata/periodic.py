"""Automata whose groups only count positions: resets over finer letters, a letter with its position modulo m."""

from dataclasses import replace

from capax.errors import CapaxError
from capax.formal.automata.cascade import Cascade, HasGroupError, cascade
from capax.formal.automata.dfa import Dfa
from capax.model.model import Model
from capax.model.parts import Mlp
from capax.model.positions import Positions
from capax.theorems.languages.parts.automata.resets import resetting
from capax.theorems.languages.parts.automata.wider import wider_model
from capax.theorems.weights.stream import Stream, Terms

MOST_MODULUS = 12
MOST_STATES = 60


def placed(dfa: Dfa, modulus: int) -> Dfa:
    """The automaton over letters with positions modulo a number, whose states know the next position; others lead to
    failure.

    Letter a at position r has the number a m + r. It is minimal, so that it has as few sets of states as may be.
    """
    dead = dfa.size * modulus
    rows = []
    for q in range(dfa.size):
        for r in range(modulus):
            after = ((r + 1) % modulus, dfa.delta[q])
            rows.append(tuple(t * modulus + after[0] if r == s else dead for t in after[1] for s in range(modulus)))
    rows.append((dead,) * (len(dfa.alphabet) * modulus))
    alphabet = tuple(f"{symbol} at {r}" for symbol in dfa.alphabet for r in range(modulus))
    accepting = frozenset(q * modulus + r for q in dfa.accepting for r in range(modulus))
    return Dfa(alphabet, tuple(rows), dfa.start * modulus, accepting).minimal()


def modulus_of(dfa: Dfa) -> tuple[int, Dfa, Cascade] | None:
    """The least number modulo which positions make resets of an automaton that has a group; None if there is none."""
    for modulus in range(2, MOST_MODULUS + 1):
        if dfa.size * modulus > MOST_STATES:
            return None
        finer = placed(dfa, modulus)
        try:
            return modulus, finer, cascade(finer)
        except HasGroupError:
            continue
        except CapaxError:
            return None
    return None


def by_positions(dfa: Dfa, modulus: int, finer: Dfa, finer_cascade: Cascade) -> Model:
    """The model by rightmost-hard heads, strict past masks and the position modulo a number."""
    inner = resetting(finer, finer_cascade, "hard", 0, 1.0)
    letters = tuple(f"letter {a}" for a in range(len(dfa.alphabet)))
    wide = wider_model(inner, (*letters, "position"))
    stream = Stream(wide.names)
    nodes = [inner.names[int(row.argmax())] for row in inner.embedding]  # the finer letter's direction
    return replace(
        wide,
        vocabulary=replace(inner.vocabulary, tokens=dfa.alphabet),
        embedding=stream.rows([{letter: 1.0} for letter in letters]),
        positions=Positions((f"i%{modulus}",), stream.onto(["position"])),
        input_mlp=_finer(stream, letters, nodes, modulus),
    )


def _finer(stream: Stream, letters: tuple[str, ...], nodes: list[str], modulus: int) -> Mlp:
    """The finer letter from the letter and the position."""
    units: dict[str, Terms] = {letter: {letter: 1.0} for letter in letters}
    units |= {f"from {r}": {"position": 1.0, "": -float(r)} for r in range(-1, modulus + 1)}
    second: dict[str, Terms] = {}
    writes: dict[str, Terms] = {}
    for at, node in enumerate(nodes):
        a, r = divmod(at, modulus)
        # position = r: a tooth of three units
        second[node] = {letters[a]: 1.0, f"from {r - 1}": 1.0, f"from {r}": -2.0, f"from {r + 1}": 1.0, "": -1.0}
        writes[node] = {node: 1.0}
    return stream.mlp([units, second], writes)
