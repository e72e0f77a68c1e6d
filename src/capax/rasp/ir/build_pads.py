"""Constructor of padded programs."""

from capax.errors import CapaxError, Span
from capax.rasp.ir.build import describe_value, length, sop
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Const, Map, Node, Padded
from capax.rasp.ir.pad_node import MOST_PADS, MOST_POWER, PAD
from capax.rasp.ir.types import Atom, is_atom
from capax.rasp.python.program import Program, SOp

HINT = "write a number, `length`, `length ^ 2` or `length ^ 3`, or a multiple of one of these"


def pad(value: object, count: object, token: Atom = PAD, *, span: Span | None = None) -> SOp:
    """The s-op on the word followed by pause tokens; it has a value for each letter, and those of pads are hidden.

    Args:
        value: the s-op, which sees the pause tokens as tokens like others.
        count: how many there are: a number, `length`, `length ** 2`, `length ** 3`, or a multiple of one of these.
        token: the pause token.

    >>> from capax import length, pad, tokens, select, selector_width
    >>> pad(selector_width(select(tokens, "_", "==")), length ** 2)("abc")
    [9, 9, 9]
    """
    if not isinstance(value, SOp):
        raise CapaxError("bad-pads", f"pads are added to an s-op, not to {describe_value(value)}", span)
    if not is_atom(token):
        raise CapaxError("bad-pads", f"a pause token is a value, not {describe_value(token)}", span)
    if any(isinstance(node, State) for node in topological(value.node)):
        raise CapaxError("bad-pads", "pads are declared around a loop, not inside it", span)
    factor, power = read_count(count, span)
    return sop(Padded(value.node, factor, power, token), value, span=span)


def read_count(count: object, span: Span | None = None) -> tuple[int, int]:
    """The factor and the power of a number of pads: `factor * length ** power`."""
    found = _monomial(count.node if isinstance(count, SOp) else Const(count) if type(count) is int else None)
    if found is None or not 1 <= found[0] <= MOST_PADS or not 0 <= found[1] <= MOST_POWER:
        what = f"{describe_value(count)} cannot be the number of pads"
        raise CapaxError("bad-pads", what, span, HINT)
    return found


def _monomial(node: Node | None) -> tuple[int, int] | None:
    """The factor and the power of a product of integers and of the length; None for anything else."""
    if node is length.node:
        return 1, 1
    match node:
        case Const() if type(node.value) is int:
            return node.value, 0
        case Map(op="*"):
            sides = [_monomial(arg) for arg in node.args]
            if sides[0] is None or sides[1] is None:
                return None
            return sides[0][0] * sides[1][0], sides[0][1] + sides[1][1]
        case Map(op="^"):
            base, exponent = _monomial(node.args[0]), _monomial(node.args[1])
            if base is None or exponent is None or exponent[1] or not 0 <= exponent[0] <= MOST_POWER:
                return None
            return base[0] ** exponent[0], base[1] * exponent[0]
    return None


def inner(program: Program) -> tuple[Program, Padded | None]:
    """A program without its pads, and the pads if it has any."""
    node = program.node
    if not isinstance(node, Padded):
        return program, None
    whole = program.construction.everything()
    own = next((entry for entry in whole if entry.node is node.value), None)
    assert own is not None
    without = SOp(node.value, own)
    return (without if program.name is None else without.named(program.name)), node
