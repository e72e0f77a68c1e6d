"""What kind of regular language an automaton has: the exact analysis, in one value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, is_partially_ordered
from capax.formal.automata.green import EggBox, egg_boxes
from capax.formal.automata.monoid import MOST_ELEMENTS, Monoid, period, transition_monoid
from capax.formal.automata.subgroup import Structure, structure, subgroup
from capax.formal.crasp.decide import CRaspDecision, decide_crasp

MOST_STEPS: Final = 20_000
"""A stability index that needs more steps is refused."""


@dataclass(frozen=True, slots=True)
class Stable:
    """The elements of words of `index` symbols, where those of twice as many are the same: a semigroup.

    Every group in the image of the set of all words of a length lies in it, and it is one such image. The language is
    in AC0 exactly if it has no group of more than one element.
    """

    index: int
    elements: tuple[int, ...]
    periodic: int | None
    """An element of a group of more than one element, or None."""


def stable_semigroup(monoid: Monoid) -> Stable:
    """The images of the words of lengths 1, 2, ... up to the first s at which that of 2 s is the same."""
    images, seen = [b""], dict[bytes, int]()
    here = np.zeros(monoid.size, dtype=bool)
    here[0] = True
    while True:
        after = np.zeros(monoid.size, dtype=bool)
        after[monoid.right[here]] = True
        here, key = after, np.packbits(after).tobytes()
        if key in seen:
            break
        if len(images) > MOST_STEPS:
            raise CapaxError("too-large", f"the stability index of the language is more than {MOST_STEPS:,}")
        seen[key] = len(images)
        images.append(key)
    first, length = seen[key], len(images) - seen[key]  # images repeat with this length from the first on
    index = max(length, -(-first // length) * length)
    bits = np.unpackbits(np.frombuffer(images[index], dtype=np.uint8))[: monoid.size]
    elements = tuple(int(e) for e in np.flatnonzero(bits))
    periodic = next((e for e in elements if period(monoid.maps[e]) > 1), None)
    return Stable(index, elements, periodic)


MOST_BOXED = 20_000
"""Larger monoids are not divided into egg-boxes, and their groups are not taken apart."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The classes of a regular language, from its minimal automaton and syntactic monoid. None: not decided.

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
    crasp: CRaspDecision | None
    why: Mapping[str, str]

    @property
    def factors(self) -> tuple[str, ...] | None:
        """The simple groups of which the groups are made, each once; None where some are not known."""
        if self.groups is None or any(one.factors is None for one in self.groups):
            return None
        return tuple(dict.fromkeys(name for one in self.groups for name in one.factors or ()))

    def to_json(self) -> dict[str, Any]:
        """The classes as plain data."""
        classes = ("trivial", "piecewise_testable", "partially_ordered", "two_variable", "star_free", "in_ac0")
        groups = self.groups and [
            {"order": g.order, "solvable": g.solvable, "factors": g.factors and list(g.factors)} for g in self.groups
        ]
        return {
            "states": self.dfa.size,
            "monoid": None if self.monoid is None else self.monoid.size,
            "stability_index": None if self.stable is None else self.stable.index,
            **{name: getattr(self, name) for name in (*classes, "solvable", "group_language")},
            "groups": None if groups is None else list(groups),
            "c_rasp": None if self.crasp is None else self.crasp.holds("last"),
            "c_rasp_end": None if self.crasp is None else self.crasp.holds("end"),
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
    periodic, stable = monoid.periodic(), stable_semigroup(monoid)
    boxes = egg_boxes(monoid) if monoid.size <= MOST_BOXED else None
    groups = _groups(monoid, boxes, periodic)
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
        solvable=None if groups is None else all(one.solvable for one in groups),
        group_language=all(len(set(images)) == least.size for images in monoid.maps),
        crasp=_decided(least),
        why=dict(_reasons(monoid, stable, groups, periodic, ordered)),
    )


def _decided(least: Dfa) -> CRaspDecision | None:
    """The decision on C-RASP; None for an automaton of thousands of states that is too large for it."""
    try:
        return decide_crasp(least)
    except CapaxError:
        return None


def _groups(monoid: Monoid, boxes: tuple[EggBox, ...] | None, periodic: int | None) -> tuple[Structure, ...] | None:
    """The groups of more than one element; None where the monoid is too large to find them."""
    if boxes is None:
        return () if periodic is None else None
    return tuple(structure(subgroup(monoid, box)) for box in boxes if box.regular and box.cell_size > 1)


def _reasons(
    monoid: Monoid, stable: Stable, groups: tuple[Structure, ...] | None, periodic: int | None, ordered: bool
) -> Iterator[tuple[str, str]]:
    """The classes that the language is not in, each with what shows it."""
    if periodic is not None:
        yield "star_free", _cycle(monoid, periodic)
    if stable.periodic is not None:
        cycle = _cycle(monoid, stable.periodic)
        yield "in_ac0", f"the words of {stable.index} symbols generate a group: {cycle}"
    worst = next((one for one in groups or () if not one.solvable), None)
    if worst is not None:
        factors = f" ({', '.join(worst.factors)})" if worst.factors else ""
        yield "solvable", f"a group of {worst.order} elements{factors} in the monoid is not solvable"
    if not ordered:
        yield "partially_ordered", "the minimal automaton returns to a state that it left"


def _without_monoid(least: Dfa, ordered: bool, what: str) -> Classification:
    """What can be said without the monoid: a letter that cycles already shows a group."""
    letters = [tuple(row[a] for row in least.delta) for a in range(len(least.alphabet))]
    round_ = next((a for a, images in enumerate(letters) if period(images) > 1), None)
    why = {"monoid": what}
    if round_ is not None:
        why["star_free"] = f"repetitions of {least.alphabet[round_]!r} cycle"
    counted = _decided(least)
    # what counting logic defines has no groups
    free = (
        True if ordered or (counted is not None and counted.holds("last")) else (False if round_ is not None else None)
    )
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
    return f"repetitions of {word!r:.60} cycle with period {period(monoid.maps[element])}"
