"""The words of the reference implementation for our errors."""

from typing import Any

from capax.app.repl.classic.names import described
from capax.errors import CapaxError
from capax.rasp.ir.nodes import Input
from capax.rasp.python.program import Program, Selector
from capax.rasp.text.text_values import Builtin, Function


def classic_error(error: CapaxError) -> tuple[str, str]:
    """The message, and how the reference introduces it: `ignoring`, `wrong` (went wrong) or `bare`."""
    d = error.data
    if error.code == "not-callable":
        return "not implemented this command yet! ignoring", "bare"
    if error.code == "average-of-non-numbers":
        return f"asked to average multiple values, but they are non-numbers: {d['values']}", "wrong"
    if "python" in d:
        return str(d["python"]), "wrong"
    known = _MESSAGES.get(error.code)
    return (known(d) if known else error.what), "ignoring"


def _count(d: Any) -> str:
    return f"wrong number of args for {d['function']}- expected: {d['expected']}, got: {d['got']}."


def _not_iterable(d: Any) -> str:
    match d["loop"]:
        case "example":
            return f"example not iterable: {d['value']}"
        case "a for loop":
            return f"for loop needs to iterate over a list or dict, but got: {d['value']}"
        case loop:
            kind = loop.removeprefix("a ")
            return f"{kind} should have got a list or dict to loop over, but got: {d['value']}"


def _unpack(d: Any) -> str:
    if "loop" not in d:
        return f"expected {d['names']} values, but got: {d['got']}"
    if "got" not in d:
        return f"iterating with multiple iterator names, but got single iterator value: {d['value']}"
    return f"iterating with {d['names']} names but got {d['got']} values ( {d['value']} )"


def _index_type(d: Any) -> str:
    got = d["got"] if "got" in d else described(d["value"])
    match d["container"]:
        case "sequence":
            return f"index into sequence has to be integer, got: {got}"
        case "dict":
            return f"index into dict has to be s-op or atom (i.e., string, int, float, bool), got: {got}"
        case kind:
            return f"index into {kind} has to be s-op or integer, got: {got}"


def _range(d: Any) -> str:
    if "got" in d:
        return f"wrong number of inputs to range, expected: 1, 2, or 3, got: {d['got']}"
    return f"range expects all integer inputs, but got: {described(d['values'])}"


def _zip(d: Any) -> str:
    if "first" in d:
        return f"attempting to zip lists of length {d['first']} , but {d['argument']} -th list has length {d['got']}"
    if "argument" in d:
        return f"attempting to zip lists, but {d['argument']} -th element is not list: {described(d['value'])}"
    return "zip needs at least one list"


def _contains(d: Any) -> str:
    item, box = d["item"], d["box"]
    if isinstance(item, (Selector, Function, Builtin)):
        kind = "select" if isinstance(item, Selector) else "function"
        return (
            f"don't check if {kind} is contained in list/dict: unless exact same instance, "
            f"unable to check equivalence of {kind}s"
        )
    if isinstance(item, Program):
        if isinstance(box, list):
            return f'"[s-op] in X" expects X to be list of atoms, but got list with values: {described(box)}'
        return f'"[s-op] in X" expects X to be list of atoms, but got non-list: {described(box)}'
    if isinstance(item, (list, dict)):
        return f'"A in X" expects A to be s-op or atom, but got A: {described(item)}'
    return f'"[atom] in X" expects X to be list or s-op, but got: {described(box)}'


def _expected_sop(d: Any) -> str:
    match d.get("operator"):
        case "indicator":
            return f"indicator operator expects s-op, got: {d['value']}"
        case "draw":
            return f"draw expects unfinished sequence, got: {d['value']}"
        case _:
            return _ILLEGAL + f"({described(d['value'])},)"


def _sequence(d: Any) -> str:
    """The values that make no sequence: the reference has tuples of what it computed, lists of what it was given."""
    return str(list(d["values"]) if isinstance(d.get("node"), Input) else tuple(d["values"]))


def _bad_input(d: Any) -> str:
    if isinstance(d["value"], list):
        return _ILLEGAL + str(d["value"])
    return f"RASP sequences/selectors expect non-empty iterables, got: {d['value']}"


_ILLEGAL = "attempted to create sequence with illegal val types (vals must be bool, float, int or string):\n\t\t "

_MESSAGES = {
    "undefined-name": lambda d: f"Error: Undefined variable: {d['name']}",
    "reserved-name": lambda d: f"Error: Cannot set reserved name: {d['name']}",
    "argument-count": _count,
    "file-not-found": lambda d: f"could not find file: {d['path']}",
    "not-iterable": _not_iterable,
    "empty-input": lambda d: f"RASP sequences/selectors expect non-empty iterables, got: {d['value']}",
    "bad-input": _bad_input,
    "mixed-types": lambda d: "attempted to create sequence with vals of different types:\n\t\t " + _sequence(d),
    "illegal-value": lambda d: _ILLEGAL + _sequence(d),
    "expected-selector": lambda d: f"Expected selector, got: {described(d['value'])}",
    "expected-atom": lambda d: f"Expected atom, got: {described(d['value'])}",
    "expected-sop": _expected_sop,
    "selector-operator": lambda d: f"Cannot apply {d['op']} to selector(s)",
    "mixed-selector": lambda d: "Cannot apply and/or between selector and non-selector",
    "unpack": _unpack,
    "index-range": lambda d: f"index {d['index']} out of range for {d['container']} of length {d['size']}",
    "index-type": _index_type,
    "missing-key": lambda d: f"index [ {described(d['key'])} ] not in dict.",
    "not-indexable": lambda d: (
        f"can only index into a list, dict, string,or sequence, but instead got: {described(d['value'])}"
    ),
    "dict-key": lambda d: f"dictionary keys can only be atoms, but instead got: {described(d['value'])}",
    "range-arguments": _range,
    "zip-arguments": _zip,
    "length-of": lambda d: f"attempting to compute length of non-list: {described(d['value'])}",
    "contains": _contains,
}
