"""What an element-wise operation gives for values of which only the size is known, not the type."""

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Map, SOpNode, Table
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import look_up


def evaluate_entry(node: SOpNode, *args: Atom) -> tuple[Atom | None, list[CapaxError]]:
    """The value, if there is one, and the errors that there can be.

    In a set of values equal numbers are one value, whatever their types. So there can be both: where a float is
    rejected, as an index into a list is, the integer that equals it is tried.
    """
    errors: list[CapaxError] = []
    whole = tuple(int(a) if isinstance(a, float) and a.is_integer() else a for a in args)
    tries = [args] if all(type(a) is type(b) for a, b in zip(args, whole, strict=True)) else [args, whole]
    for values in tries:
        try:
            return _applied(node, values), errors
        except CapaxError as error:
            errors.append(error)
    return None, errors


def _applied(node: SOpNode, args: tuple[Atom, ...]) -> Atom:
    if isinstance(node, Table):
        value: Atom = look_up(node.kind, dict(node.entries), args[0])
    else:
        assert isinstance(node, Map)
        value = apply_op(node.op, *args)
    if not isinstance(value, (str, int, float)) or value != value:
        raise CapaxError("illegal-value", "the result is not a number, a string or a boolean")
    return value
