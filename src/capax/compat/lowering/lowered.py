"""An s-op of a dialect as an s-op of capax, with what its atoms stand for."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from capax.compat.lowering.functions import same
from capax.compat.lowering.sop_values import Range, Values, as_range, distinct, is_number, plain
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import SOp

MOST_CALLS = 200_000
"""A function is called for at most so many combinations of values."""
MOST_CODES = 20_000
"""A table has at most so many entries."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """An s-op whose atoms stand for the values of a dialect.

    Numbers stand for themselves, and so do strings, as long as only the one or the other occur; `coded` values
    (tuples, mixtures) are strings that tell how the value prints. `gone` is the atom that stands for None, if None
    can occur; it is not among `values`.
    """

    sop: SOp
    values: Values
    gone: Atom | None = None
    coded: bool = False

    def atom(self, value: Any) -> Atom:
        """The atom that stands for a value."""
        if value is None:
            assert self.gone is not None
            return self.gone
        atom: Atom = repr(value) if self.coded else value
        return atom

    def cases(self, needed_for: str) -> list[tuple[Any, Atom]]:
        """Each value, None included, with its atom; a range is refused."""
        if isinstance(self.values, Range):
            raise CapaxError(
                "too-many-values",
                f"`{self.sop}` has more values than can be listed, and {needed_for} must be tabulated over them",
                hint="write it with operators (`x < 0`, `x + y`), which need no table, or use a shorter maximal length",
            )
        listed = [(value, self.atom(value)) for value in self.values]
        return [*listed, (None, self.gone)] if self.gone is not None else listed

    def value(self, atom: Atom) -> Any:
        """The value that an atom stands for."""
        if self.gone is not None and same(atom, self.gone):
            return None
        if not self.coded:
            return atom
        assert not isinstance(self.values, Range)
        return next(v for v in self.values if repr(v) == atom)


def represented(sop: SOp, values: Iterable[Any], *, none: bool) -> Lowered:
    """How values are best represented; the s-op is to be made so."""
    listed = distinct(values)
    if listed and all(map(is_number, listed)):
        return Lowered(sop, listed, math.floor(min(listed)) - 1 if none else None)
    if listed and all(isinstance(v, str) for v in listed):
        return Lowered(sop, listed, fresh(listed) if none else None)
    return Lowered(sop, listed, "None" if none else None, coded=True)


def fresh(taken: Iterable[Any]) -> str:
    """A string for None that is none of the given ones."""
    name, names = "None", set(taken)
    while name in names:
        name += "'"
    return name


def constant(value: Any) -> Lowered:
    """The same value everywhere."""
    kind = represented(build.constant(0), [value], none=value is None)
    return replace(kind, sop=build.constant(kind.atom(plain(value))))


def tabulated(args: Sequence[Lowered], function: Callable[..., Any]) -> Lowered:
    """A function of some s-ops as tables; combinations for which it fails have no entry."""
    cases = [a.cases("the function") for a in args]
    if math.prod(map(len, cases)) > MOST_CALLS:
        raise too_many(args, math.prod(map(len, cases)))
    results = results_of(function, cases)
    kind = represented(args[0].sop, results.values(), none=any(r is None for r in results.values()))
    entries = {atoms: kind.atom(plain(result)) for atoms, result in results.items()}
    return replace(kind, sop=_looked_up(args, [[atom for _, atom in c] for c in cases], entries))


def results_of(function: Callable[..., Any], cases: list[list[tuple[Any, Atom]]]) -> dict[tuple[Atom, ...], Any]:
    """The results by atoms; values that are one to a table must give one result."""
    results: dict[tuple[Atom, ...], Any] = {}
    failure: Exception | None = None
    for combination in product(*cases):
        values, atoms = [v for v, _ in combination], tuple(a for _, a in combination)
        try:
            result = plain(function(*values))
        except Exception as error:  # a user's function may fail in any way
            failure = error
            continue
        if atoms in results and not same(results[atoms], result):
            raise CapaxError(
                "not-compilable",
                f"a function gives {results[atoms]!r:.40} and {result!r:.40} for equal values ({values!r:.60})",
                hint="1, 1.0 and True are one value to a transformer; let the function treat them alike",
            )
        results.setdefault(atoms, result)
    if not results:
        raise CapaxError(
            "always-fails",
            f"a function has a value for no combination of its operands' values: {type(failure).__name__}: {failure}",
            hint="run the program on a word of the vocabulary to see the error",
        ) from failure
    return results


def _looked_up(args: Sequence[Lowered], atoms: list[list[Atom]], entries: dict[tuple[Atom, ...], Atom]) -> SOp:
    """The s-op that has the entry for its arguments: each argument first becomes the number of its class."""
    classes = [_classes(argument, atoms, entries) for argument in range(len(args))]
    counts = [max(c.values()) + 1 for c in classes]
    varying = [argument for argument, count in enumerate(counts) if count > 1]
    if math.prod(counts) > MOST_CODES:
        raise too_many(args, math.prod(counts))
    if not varying:
        return build.constant(next(iter(entries.values())))
    if len(varying) == 1:
        rows = {atoms[varying[0]]: out for atoms, out in entries.items()}
        arg = args[varying[0]].sop
        unchanged = all(type(k) is type(v) and k == v for k, v in rows.items())
        complete = len(rows) == len(set(atoms[varying[0]]))
        return arg if unchanged and complete else build.table("dict", list(rows.items()), arg)
    code: SOp | None = None
    step, steps = 1, {}
    for argument in varying:
        numbered = build.table("dict", list(classes[argument].items()), args[argument].sop)
        code = numbered if code is None else code + numbered * step
        steps[argument] = step
        step *= counts[argument]
    assert code is not None
    table = {sum(classes[p][key[p]] * s for p, s in steps.items()): out for key, out in entries.items()}
    return build.table("dict", sorted(table.items()), code)


def _classes(argument: int, atoms: list[list[Atom]], entries: dict[tuple[Atom, ...], Atom]) -> dict[Atom, int]:
    """Numbers for the atoms of an argument: the same for those that make no difference to the entries."""
    others = list(product(*(a for p, a in enumerate(atoms) if p != argument)))
    numbers: dict[tuple[Any, ...], int] = {}
    number_of: dict[Atom, int] = {}
    for atom in atoms[argument]:
        seen = tuple(_marked(entries.get((*rest[:argument], atom, *rest[argument:]))) for rest in others)
        number_of[atom] = numbers.setdefault(seen, len(numbers))
    return number_of


def _marked(atom: Atom | None) -> Any:
    return (isinstance(atom, bool), atom)


def too_many(args: Sequence[Lowered], count: int) -> CapaxError:
    """The refusal of a table that is too large."""
    names = ", ".join(f"`{a.sop}`" for a in args)
    return CapaxError(
        "too-many-values",
        f"a function of {names} would need a table of {count:,} entries",
        hint="write it with operators, use a shorter maximal length, or a smaller vocabulary",
    )


def making_room(lowered: Lowered, value: Any) -> Lowered:
    """The same s-op, represented so that one more value (or None) can stand beside its values."""
    value = plain(value)
    if isinstance(lowered.values, Range):
        return _range_with(lowered, value)
    none = value is None or lowered.gone is not None
    kind = represented(lowered.sop, [*lowered.values, value], none=none)
    if kind.coded == lowered.coded and lowered.gone is None:
        return kind
    if kind.coded == lowered.coded and _apart(lowered.gone, kind.values):
        return replace(kind, gone=lowered.gone)
    moved = {atom: kind.atom(v) for v, atom in lowered.cases("it")}
    return replace(kind, sop=build.table("dict", list(moved.items()), lowered.sop))


def _apart(gone: Atom | None, values: Values) -> bool:
    """Whether an atom for None is none of the values, nor a mean of some of them."""
    span = as_range(values)
    if span is not None:
        return is_number(gone) and not isinstance(gone, str) and gone is not None and gone < span.low
    assert not isinstance(values, Range)
    return isinstance(gone, str) and gone not in values and gone not in map(repr, values)


def _range_with(lowered: Lowered, value: Any) -> Lowered:
    span = lowered.values
    assert isinstance(span, Range)
    if value is not None and not is_number(value):
        raise CapaxError(
            "too-many-values",
            f"`{lowered.sop}` has more values than can be listed, and {value!r:.40}, which is not a number, among them",
            hint="use a number as the default, or a shorter maximal length",
        )
    wide = span if value is None else Range(min(span.low, value), max(span.high, value), span.whole)
    gone = math.floor(wide.low) - 1 if value is None or lowered.gone is not None else None
    sop = lowered.sop
    if lowered.gone is not None and lowered.gone != gone:
        sop = build.elementwise("where", sop == lowered.gone, build.constant(gone), sop)
    return Lowered(sop, wide, gone)


def without_booleans(lowered: Lowered) -> Lowered:
    """The same with 1 and 0 for True and False, so that the values can be averaged."""
    values = lowered.values
    if isinstance(values, Range) or lowered.coded or not any(isinstance(v, bool) for v in values):
        return lowered
    if all(v in (0, 1) for v in values) and lowered.gone is None:
        return replace(lowered, sop=build.elementwise("indicator", lowered.sop))
    rows = {atom: int(atom) if isinstance(atom, bool) else atom for _, atom in lowered.cases("it")}
    return replace(lowered, sop=build.table("dict", list(rows.items()), lowered.sop))
