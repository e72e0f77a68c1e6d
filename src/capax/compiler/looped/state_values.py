"""Pass: the values that the states of a loop can have, in any round: the least sets that the body does not leave.

They are found by running the analysis of values on the body, again and again, until it adds nothing. A state to which
every round adds values grows, and is rejected: no fixed directions of a residual stream could hold it.
"""

from collections.abc import Sequence

from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.analysis.value_sets import Finite, finite
from capax.compiler.domain import Domain, domain
from capax.errors import CapaxError
from capax.rasp.analysis.output_types import Unknown, cast, kind_of
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.split_loop import LoopSpec, SplitLoop, split_loop, with_values

MOST_ROUNDS = 300
"""A state to which so many rounds each add a value grows."""
LEAST_VALUES = 256
"""A state may have so many values whatever the length."""
SHORT_DIGITS, SHORT_WORDS = "012", 4
"""The alphabet and the length on which it is tried whether states grow."""


def loop_spec(split: SplitLoop, domain: Domain) -> LoopSpec:
    """The parts of a program with the values of its states; a state that grows is rejected, by name and round."""
    starts = analyse(split.starts, domain, Budget.of_units(domain.budget))
    values = [_typed(start, _listed(starts, start, name), domain) for start, name in _named(split)]
    most = max(LEAST_VALUES, 2 * domain.max_length + 2)
    for count in range(1, MOST_ROUNDS + 1):
        spec = with_values(split, values, domain.alphabet, domain.max_length)
        try:
            body = analyse(spec.nexts, domain, Budget.of_units(domain.budget))
            more = [
                _joined(own, _listed(body, node, name))
                for own, node, name in zip(values, spec.nexts, split.names, strict=True)
            ]
        except CapaxError as error:
            raise _in_round(error, count) from None
        grown = [i for i, (old, new) in enumerate(zip(values, more, strict=True)) if len(new) > len(old)]
        if not grown:
            return spec
        for i in grown:
            if len(more[i]) > most or count == MOST_ROUNDS:
                raise _grows(split.names[i], count, values[i], more[i])
        values = more
    raise AssertionError("the last round returns or raises")


def grows(root: SOpNode) -> bool:
    """Whether a state of a program's loop grows already on short words of digits, so that no length compiles."""
    try:
        loop_spec(split_loop(root), domain(SHORT_DIGITS, SHORT_WORDS))
    except CapaxError as error:
        return error.code in ("state-grows", "too-many-values")
    return False


def _named(split: SplitLoop) -> list[tuple[SOpNode, str]]:
    return list(zip(split.starts, split.names, strict=True))


def _listed(analysis: Analysis, node: SOpNode, name: str) -> tuple[Atom, ...]:
    """The values of an s-op, which have to be a list."""
    values = analysis.values(node)
    if isinstance(values, Finite):
        return values.values
    what = f"the state `{name}` has too many values to list"
    raise CapaxError("too-many-values", what, hint="round it, or shorten max_length", node=node)


def _typed(start: SOpNode, values: Sequence[Atom], domain: Domain) -> tuple[Atom, ...]:
    """The values before the first round, all of the type that the state has."""
    try:
        kind = kind_of(start, domain.alphabet)
    except Unknown:
        return tuple(values)
    return tuple(cast(v, kind) for v in values) if isinstance(kind, int) else tuple(values)


def _joined(old: tuple[Atom, ...], new: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The values of a state with those that a round adds, of the type of the old ones."""
    both = finite([*old, *new]).values
    kinds = {type(v) for v in old}
    return tuple(v if isinstance(v, str) or len(kinds) > 1 else _same_type(v, kinds) for v in both)


def _same_type(value: Atom, kinds: set[type]) -> Atom:
    kind = next(iter(kinds))
    as_old: Atom = value if kind is str else kind(value)
    return as_old if as_old == value else value


def _grows(name: str, count: int, old: tuple[Atom, ...], new: tuple[Atom, ...]) -> CapaxError:
    example = next(v for v in new if v not in old)
    return CapaxError(
        "state-grows",
        f"the state `{name}` grows: round {count} still adds values, such as {example!r:.40}; it has {len(new):,} then",
        hint="bound it, by `%` or a table for instance; a fixed number of rounds can be written with `for`",
        state=name,
        round=count,
    )


def _in_round(error: CapaxError, count: int) -> CapaxError:
    """The error of the analysis of a body, with the round in which it came up."""
    error.what = f"in round {count} of the loop: {error.what}"
    error.args = (error.what,)
    return error
