"""What helps where a program is refused: changes are tried, and those that can be compiled are named in the hint."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeAlias

from capax.compiler.domain import CompileSettings
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import conjuncts, rebuild, topological
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import COMPARISONS, Aggregate, Best, Const, Indices, Map, Node, Select, SelectorNode, SOpNode

Build: TypeAlias = Callable[[SOpNode, CompileSettings], object]
"""Compiles a node, or raises."""

TRIED_BUDGET: Final = 5_000
"""A try takes at most this budget: a hint should not take longer than the refusal."""

MOST_PARTS: Final = 300
"""Nothing is tried for larger programs."""

LONGEST: Final = 200
"""Parts are written with at most about so many characters."""

FEWEST: Final = 4
"""Shorter words are not proposed."""


def with_what_helps(error: CapaxError, root: SOpNode, settings: CompileSettings, build: Build) -> CapaxError:
    """A refusal whose hint names changes that were tried, and with which the program compiles; or as it was."""
    if error.code not in ("too-many-values", "rests-on-rounding") or "can be compiled" in (error.hint or ""):
        return error
    if settings.target is not None or has_loop(root) or len(topological(root)) > MOST_PARTS:
        return error
    settings = replace(settings, budget=min(settings.budget, TRIED_BUDGET))
    tries = (_by_numbers(root, settings, build), _by_a_change(error, root, settings, build))
    ways = [way for tried in tries for way in tried] or list(_by_length(root, settings, build))
    if ways:
        error.hint = "; or ".join(ways)
    return error


def _compiles(root: SOpNode, settings: CompileSettings, build: Build) -> bool:
    with suppress(CapaxError):
        build(root, settings)
        return True
    return False


def _by_numbers(root: SOpNode, settings: CompileSettings, build: Build) -> Iterator[str]:
    """Wider numbers."""
    if settings.dtype != "float64" and _compiles(root, replace(settings, dtype="float64"), build):
        yield 'compile with dtype="float64", in which it can be compiled'


def _by_length(root: SOpNode, settings: CompileSettings, build: Build) -> Iterator[str]:
    """Shorter words: half as long, or a quarter, and so on."""
    length = settings.max_length // 2
    while length >= FEWEST:
        if _compiles(root, replace(settings, max_length=length), build):
            yield f"it can be compiled with max_length={length}"
            return
        length //= 2


def _by_a_change(error: CapaxError, root: SOpNode, settings: CompileSettings, build: Build) -> Iterator[str]:
    """A number rounded, or one key in place of a mean, where the refusal names a part."""
    part = error.data.get("node")
    value = output_spec(root, settings.alphabet, causal=settings.causal, longest=settings.max_length).value
    if part not in topological(value):
        return
    for old, new, meaning in _changes(part):
        changed = rebuild(value, lambda n, old=old, new=new: new if n is old else n)[value]  # type: ignore[misc]
        if isinstance(changed, SOpNode) and _compiles(changed, settings, build):
            one, other = (describe(n, {}, LONGEST) for n in (new, old))
            yield f"if {meaning}, write `{one}` for `{other}`, with which it can be compiled"
            return


def _changes(part: Node) -> Iterator[tuple[Node, Node, str]]:
    """Parts near to one, what may be meant in their place, and when."""
    compared = isinstance(part, Map) and part.op in COMPARISONS
    with_fractions = compared and any(map(_is_fraction, part.operands))
    for node in () if with_fractions else part.operands if compared else (part,):
        if isinstance(node, (Map, Aggregate)) and not (isinstance(node, Map) and node.op == "round"):
            yield node, Map("round", (node,)), "integers are compared" if compared else "an integer is meant"
    means = [node for node in topological(part) if isinstance(node, Aggregate)]
    for mean in means:
        if isinstance(part, Map) and part.op == "%" and isinstance(part.args[1], Const):
            # of a sum only the remainder counts, and that of each term will do
            rests = Aggregate(mean.selector, Map("%", (mean.value, part.args[1])), mean.default)
            total = rebuild(part.args[0], lambda n, old=mean, new=rests: new if n is old else n)[part.args[0]]  # type: ignore[misc]
            if isinstance(total, SOpNode):
                yield part, Map("%", (Map("round", (total,)), part.args[1])), "integers are summed"
        if any(_asks_for_one(c) for c in conjuncts(mean.selector)):
            one = Aggregate(Best(mean.selector, Indices()), mean.value, mean.default)
            yield mean, one, "one key is selected, or the last of several is meant"


def _is_fraction(node: Node) -> bool:
    """Whether a node is a constant between two integers: what is compared with it is none."""
    return isinstance(node, Const) and isinstance(node.value, float) and not node.value.is_integer()


def _asks_for_one(selector: SelectorNode) -> bool:
    """Whether a selector asks keys for one value, as `select(tokens, "+", ==)` does: there may be one such key."""
    return (
        isinstance(selector, Select)
        and selector.op == "=="
        and isinstance(selector.query, Const)
        and not isinstance(selector.key, Const)
    )
