"""Where bounds leave open whether rounding changes an outcome: all words settle it, or an assumption about them.

Bounds are about sets of values. Where all words can be gone through (`analysis/exhaustion.py`), each outcome is seen.
Where they are too many, and none of those that were tried has two sides that are equal up to rounding, a comparison may
be assumed to have none: then the model follows the exact numbers, and its report names the assumption. The certificate
does not rest on it.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from capax.compiler.analysis.analysis import Analysis
from capax.compiler.analysis.value_sets import Finite, Interval, is_numeric, least_difference
from capax.compiler.rounding.near_ties import size_of
from capax.compiler.rounding.rounding_error import Slack
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import COMPARISONS, Map, Node, Select, SOpNode
from capax.rasp.ir.types import Atom


def same_on_all_words(node: Node, analysis: Analysis) -> bool:
    """Whether a node was run on all words, and rounding changes no outcome on any."""
    operands = [o for o in node.operands if isinstance(o, SOpNode)]
    listed = {o: v for o in operands if isinstance(v := analysis.values(o), Finite)}
    return analysis.words is not None and len(listed) == len(set(operands)) and analysis.words.decides(node, listed)


def slack_on_all_words(node: SOpNode, analysis: Analysis) -> Slack | None:
    """The slack of a node that was run on all words; None where it was not, or its values are not all listed."""
    words, values = analysis.words, analysis.values(node)
    distances = words.distances(node, values) if words is not None and isinstance(values, Finite) else None
    return None if distances is None else Slack(distances)


def apart(node: Node, analysis: Analysis, slacks: Mapping[Node, Slack]) -> bool:
    """Whether rounding cannot change the order of the sides of a comparison where they are different numbers.

    Likewise for `round`, and numbers that are no halves.
    """
    if isinstance(node, Map) and node.op == "round":
        values = analysis.values(node.args[0])
        near = Fraction(1, 2 * values.most * values.unit.denominator) if isinstance(values, Interval) else Fraction(0)
        return near > 4 * _greatest(slacks[node.args[0]], size_of(values))
    if not isinstance(node, Select) and not (isinstance(node, Map) and node.op in COMPARISONS):
        return False
    sides = (node.key, node.query) if isinstance(node, Select) else node.args
    sets = [analysis.values(side) for side in sides]
    if not all(is_numeric(s) for s in sets):
        return False
    most = sum(_greatest(slacks[side], size_of(s)) for side, s in zip(sides, sets, strict=True))
    return least_difference(*sets) > 4 * most


def _greatest(slack: Slack, size: float) -> float:
    """No number of at most a size is further off than this."""
    return max([slack.zero, slack.absolute + slack.relative * size, *slack.listed.values()])


def untied_assumptions(untied: Iterable[Node]) -> tuple[str, ...]:
    """What is assumed of comparisons, a sentence for each."""
    return tuple(
        f"no word makes {_ties(node)} `{describe(node, longest=200)}` but for rounding; none that was tried does"
        for node in sorted(untied, key=describe)
    )


def _ties(node: Node) -> str:
    return "a half of the number in" if isinstance(node, Map) and node.op == "round" else "equal the sides of"


def rests_on_rounding(node: Node, value: Atom) -> CapaxError:
    """The error for a node whose outcome depends on the last bits of floats near a value."""
    return CapaxError(
        "rests-on-rounding",
        f"`{describe(node)}` depends on how floats are rounded: values near {value} come in several roundings",
        hint="`round` such numbers first, compare them with a margin, or use tokens whose sums are exact (integers)",
        node=node,
    )
