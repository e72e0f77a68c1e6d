"""Automata and circuits as plain data, for files.

An automaton is `{"alphabet": ["a", "b"], "start": "even", "accepting": ["even"], "transitions": {"even": {"a": "odd",
"b": "even"}, "odd": {"a": "even", "b": "odd"}}}`. States have names of any kind of text; a move that is not there leads
to a state of failure. A circuit is `{"inputs": 2, "gates": [{"kind": "or", "inputs": [0, 1]}], "output": 2}`, with the
kinds `not`, `and`, `or` and `threshold` (which has `"least"`); wires are numbered, the inputs first.
"""

from collections.abc import Mapping
from typing import Any

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.circuits.circuit import Circuit, Gate

MOST_STATES = 20_000
"""Files with more states are refused."""
MOST_WIRES = 20_000
"""Circuits with more inputs and gates are refused."""


def dfa_from_json(data: Any) -> Dfa:
    """The automaton that plain data describes."""
    fields = _object(data, ("alphabet", "start", "accepting", "transitions"))
    alphabet = _texts(fields["alphabet"], "the alphabet")
    _require("" not in alphabet, "a symbol of the alphabet is the empty text")
    moves = fields["transitions"]
    _require(
        isinstance(moves, dict) and all(isinstance(row, dict) for row in moves.values()), "transitions is not a table"
    )
    named = [fields["start"], *_texts(fields["accepting"], "accepting"), *moves]
    named += [state for row in moves.values() for state in row.values()]
    _require(all(isinstance(state, str) for state in named), "a state is not named by a text")
    _known_states(fields)
    number = {state: at for at, state in enumerate(dict.fromkeys(named))}
    _require(len(number) <= MOST_STATES, f"more than {MOST_STATES:,} states")
    outside = next((symbol for row in moves.values() for symbol in row if symbol not in alphabet), None)
    _require(outside is None, f"a transition has the symbol {outside!r:.60}, which is not in the alphabet")
    dead = len(number)
    rows = [[number.get(moves.get(state, {}).get(symbol), dead) for symbol in alphabet] for state in number]
    if any(dead in row for row in rows):
        rows.append([dead] * len(alphabet))
    accepting = frozenset(number[state] for state in fields["accepting"])
    return Dfa(alphabet, tuple(map(tuple, rows)), number[fields["start"]], accepting)


def _known_states(fields: Mapping[str, Any]) -> None:
    """Refuses a start or an accepting state that no transition speaks of: it is a slip of the pen."""
    moves = fields["transitions"]
    known = {*moves, *(state for row in moves.values() for state in row.values())}
    for what, states in (("start", [fields["start"]]), ("accepting", fields["accepting"])):
        lost = next((state for state in states if state not in known and (moves or state != fields["start"])), None)
        _require(lost is None, f"no transition mentions the {what} state {lost!r:.60}")


def circuit_from_json(data: Any) -> Circuit:
    """The circuit that plain data describes."""
    fields = _object(data, ("inputs", "gates", "output"))
    _require(isinstance(fields["gates"], list), "gates is not a list")
    gates = []
    for gate in fields["gates"]:
        parts = _object(gate, ("kind", "inputs"))
        wires, least = parts["inputs"], parts.get("least", 0)
        _require(parts["kind"] != "threshold" or "least" in parts, "a threshold gate has no least")
        _require(
            isinstance(wires, list) and all(map(_is_number, [*wires, least])), "a gate has wires that are not numbers"
        )
        gates.append(Gate(parts["kind"], tuple(wires), least))
    _require(_is_number(fields["inputs"]) and _is_number(fields["output"]), "inputs and output are numbers")
    wires = fields["inputs"] + len(gates)
    _require(wires <= MOST_WIRES, f"{wires:,} wires are more than {MOST_WIRES:,}")
    return Circuit(fields["inputs"], tuple(gates), fields["output"])


def _object(data: Any, needed: tuple[str, ...]) -> Mapping[str, Any]:
    _require(isinstance(data, dict), "the data is not an object")
    missing = [name for name in needed if name not in data]
    _require(not missing, f"there is no {', '.join(missing)}")
    fields: Mapping[str, Any] = data
    return fields


def _texts(data: Any, what: str) -> tuple[str, ...]:
    _require(isinstance(data, list) and all(isinstance(item, str) for item in data), f"{what} is not a list of texts")
    return tuple(data)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _require(right: bool, what: str) -> None:
    if not right:
        hint = "the page on recognising languages shows the form of a file"
        raise CapaxError("bad-automaton", f"this is not an automaton or circuit: {what}", hint=hint)
