"""What kind of regular language an automaton has: the exact analysis, in one value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.green import EggBox, egg_boxes
from capax.formal.automata.monoid import MOST_ELEMENTS, Monoid, period, transition_monoid
from capax.formal.automata.stable import Stable, stable_semigroup
from capax.formal.automata.subgroup import Structure, structure, subgroup
from capax.formal.logic.crasp import CRasp, crasp, is_partially_ordered

MOST_BOXED = 20_000
"""Larger monoids are not divided into egg-boxes, and their groups are not taken apart."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The classes of a regular language, from its minimal automaton and syntactic monoid. None: not found out.

    - `trivial`: empty or all words.
    - `piecewise_testable`: the monoid is J-trivial (Simon).
    - `partially_ordered`: it is R-trivial; the automaton never returns to a state that it left.
    - `two_variable`: it is in DA; first-order logic with two variables and <.
    - `star_free`: it is aperiodic; first-order logic with <, and linear temporal logic (Schützenberger; McNaughton and
      Papert; Kamp).
    - `in_ac0`: it is quasi-aperiodic; first-order logic with < and position modulo m (Barrington, Compton, Straubing,
      Thérien).
    - `solvable`: all its groups are solvable; in ACC0. If not, the language is complete for NC1 (Barrington, Thérien).
    - `group_language`: the monoid is a group.

    `groups` are the groups of more than one element, one for each egg-box that has one. `why` says, for each class that
    the language is not in, what shows it.
    """

    dfa: Dfa
    monoid: Monoid | None
    boxes: tuple[EggBox, ...] | None
    stable: Stable | None
    groups: tuple[Structure, ...] | None
    trivial: bool
    piecewise_testable: bool | None
    partially_ordered: bool
    two_variable: bool | None
    star_free: bool | None
    in_ac0: bool | None
    solvable: bool | None
    group_language: bool | None
    crasp: CRasp
    why: Mapping[str, str]

    @property
    def factors(self) -> tuple[str, ...] | None:
        """The simple groups of which the groups are made, each once; None where some are not known."""
        if self.groups is None or any(one.factors is None for one in self.groups):
            return None
        return tuple(dict.fromkeys(name for one in self.groups for name in one.factors or ()))

    def to_json(self) -> dict[str, Any]:
        """The classes as plain data."""
        return {
            "states": self.dfa.size,
            "monoid": None if self.monoid is None else self.monoid.size,
            "stability_index": None if self.stable is None else self.stable.index,
            "trivial": self.trivial,
            "piecewise_testable": self.piecewise_testable,
            "partially_ordered": self.partially_ordered,
            "two_variable": self.two_variable,
            "star_free": self.star_free,
            "in_ac0": self.in_ac0,
            "solvable": self.solvable,
            "group_language": self.group_language,
            "groups": None
            if self.groups is None
            else [
                {"order": g.order, "solvable": g.solvable, "factors": g.factors and list(g.factors)}
                for g in self.groups
            ],
            "c_rasp": self.crasp.holds,
            "why": dict(self.why),
        }


def classify(dfa: Dfa, *, budget: int = MOST_ELEMENTS) -> Classification:
    """The classes of the language of an automaton, as far as a monoid of at most `budget` elements says."""
    least = dfa.minimal()
    ordered = is_partially_ordered(least)
    try:
        monoid = transition_monoid(least, budget=budget)
    except CapaxError as error:
        return _without_monoid(least, ordered, error.what)
    periodic = monoid.periodic()
    why: dict[str, str] = {}
    if periodic is not None:
        why["star_free"] = _cycle(monoid, periodic)
    stable = stable_semigroup(monoid)
    if stable.periodic is not None:
        why["in_ac0"] = f"what the words of {stable.index} symbols do has a group: {_cycle(monoid, stable.periodic)}"
    boxes = egg_boxes(monoid) if monoid.size <= MOST_BOXED else None
    groups = None
    if boxes is not None:
        groups = tuple(structure(subgroup(monoid, box)) for box in boxes if box.regular and box.cell_size > 1)
    elif periodic is None:
        groups = ()
    solvable = None if groups is None else all(one.solvable for one in groups)
    if groups and not solvable:
        worst = next(one for one in groups if not one.solvable)
        parts = f" ({', '.join(worst.factors)})" if worst.factors else ""
        why["solvable"] = f"a group of {worst.order} elements{parts} in the monoid is not solvable"
    if not ordered:
        why["partially_ordered"] = "the minimal automaton returns to a state that it left"
    return Classification(
        dfa=least,
        monoid=monoid,
        boxes=boxes,
        stable=stable,
        groups=groups,
        trivial=least.size == 1,
        piecewise_testable=None if boxes is None else all(box.size == 1 for box in boxes),
        partially_ordered=ordered,
        two_variable=None if boxes is None else periodic is None and all(map(_is_band, boxes)),
        star_free=periodic is None,
        in_ac0=stable.periodic is None,
        solvable=solvable,
        group_language=all(len(set(found)) == least.size for found in monoid.maps),
        crasp=crasp(least, monoid),
        why=why,
    )


def _without_monoid(least: Dfa, ordered: bool, what: str) -> Classification:
    """What can be said without the monoid: a letter that goes round already shows a group."""
    letters = [tuple(row[a] for row in least.delta) for a in range(len(least.alphabet))]
    round_ = next((a for a, found in enumerate(letters) if period(found) > 1), None)
    why = {"monoid": what}
    if round_ is not None:
        why["star_free"] = f"repetitions of {least.alphabet[round_]!r} go round"
    counted = crasp(least, None)
    # what counting logic defines has no groups
    free = True if ordered or counted.holds else (False if round_ is not None else None)
    return Classification(
        dfa=least,
        monoid=None,
        boxes=None,
        stable=None,
        groups=() if free else None,
        trivial=least.size == 1,
        piecewise_testable=None,
        partially_ordered=ordered,
        two_variable=True if ordered else None,
        star_free=free,
        in_ac0=True if free else None,
        solvable=True if free else None,
        group_language=None,
        crasp=counted,
        why=why,
    )


def _is_band(box: EggBox) -> bool:
    """Whether every cell of a regular box has an idempotent."""
    return not box.regular or len(box.groups) == box.rows * box.columns


def _cycle(monoid: Monoid, element: int) -> str:
    word = "".join(monoid.word(element))
    return f"repetitions of {word!r:.60} go round, with period {period(monoid.maps[element])}"
