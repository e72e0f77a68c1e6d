"""Pictures of automata, monoids and circuits."""

from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings

from capax import CapaxError
from capax.draw.subjects.automaton import draw_automaton
from capax.draw.subjects.circuit import draw_circuit
from capax.draw.subjects.egg_box import draw_monoid
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.green import egg_boxes
from capax.formal.automata.monoid import transition_monoid
from capax.formal.automata.regex import regex_dfa
from capax.formal.circuits.circuit import Circuit, Gate, majority_circuit, table_circuit
from capax.formal.languages.catalogue import language
from tests.support.formal_objects import automata

SVG = "{http://www.w3.org/2000/svg}"


def parts(text: str, kind: str) -> list[ElementTree.Element]:
    """The elements of a kind in a document, which is well-formed."""
    return list(ElementTree.fromstring(text).iter(SVG + kind))


@settings(max_examples=40, deadline=None)
@given(automata(most=6))
def test_an_automaton_has_its_states_and_letters(dfa: Dfa) -> None:
    """A disc for each state, a ring for each that accepts, an arrow for each pair and the start; all in the page."""
    drawn = draw_automaton(dfa, "<&>")
    discs = [one for one in parts(drawn, "circle") if one.get("class") == "panel"]
    rings = [one for one in parts(drawn, "circle") if one.get("class") == "well"]
    assert (len(discs), len(rings)) == (dfa.size, len(dfa.accepting))
    pairs = {(q, t) for q, row in enumerate(dfa.delta) for t in row}
    assert len([one for one in parts(drawn, "path") if one.get("class") == "arrowhead"]) == len(pairs) + 1
    labels = [one.text or "" for one in parts(drawn, "text")]
    assert sum(label.count("a") + label.count("b") for label in labels) == 2 * dfa.size
    left, top, wide, tall = map(float, (ElementTree.fromstring(drawn).get("viewBox") or "").split())
    for disc in discs:
        x, y = float(disc.get("cx") or 0), float(disc.get("cy") or 0)
        assert left <= x - 18 <= x + 18 <= left + wide
        assert top <= y - 18 <= y + 18 <= top + tall
    centres = {(disc.get("cx"), disc.get("cy")) for disc in discs}
    assert len(centres) == dfa.size


@settings(max_examples=30, deadline=None)
@given(automata(most=4))
def test_a_monoid_has_its_cells(dfa: Dfa) -> None:
    """A box for each cell and a star for each group."""
    monoid = transition_monoid(dfa)
    boxes = egg_boxes(monoid)
    assume(len(boxes) <= 120 and all(box.rows <= 12 and box.columns <= 12 for box in boxes))
    drawn = draw_monoid(monoid, boxes, "one")
    cells = [one for one in parts(drawn, "rect") if one.get("class") in ("panel", "shade1")]
    assert len(cells) == sum(box.rows * box.columns for box in boxes)
    assert [one.text for one in parts(drawn, "text")].count("*") == sum(len(box.groups) for box in boxes)


def test_what_cannot_be_read_is_refused() -> None:
    """Large automata and circuits; a large cell shows a few words."""
    s5 = language("s5").automaton
    assert s5 is not None
    with pytest.raises(CapaxError, match="120 states"):
        draw_automaton(s5, "s5")
    with pytest.raises(CapaxError):
        draw_circuit(majority_circuit(400), "majority")
    monoid = transition_monoid(s5)
    assert "and 116 more" in draw_monoid(monoid, egg_boxes(monoid), "s5")
    wide = transition_monoid(regex_dfa("(a|b)*a(a|b){6}"))
    with pytest.raises(CapaxError, match="egg-boxes"):
        draw_monoid(wide, egg_boxes(wide), "wide")


def test_letters_do_not_lie_on_each_other() -> None:
    """The loop of the sink of (ab)* is below it, away from the arrow that comes from the state above."""
    drawn = draw_automaton(regex_dfa("(ab)*"), "(ab)*")
    places = [(float(one.get("x") or 0), float(one.get("y") or 0)) for one in parts(drawn, "text")]
    assert len(places) == 3 + 5
    for (x0, y0), (x1, y1) in combinations(places, 2):
        assert abs(x0 - x1) > 20 or abs(y0 - y1) > 12


def test_a_circuit_has_its_gates() -> None:
    """A box for each input and gate, an arrow for each wire and for the output."""
    made = table_circuit(2, [(True, False), (False, True)])
    drawn = draw_circuit(made, "xor")
    names = [one.text for one in parts(drawn, "text")]
    assert sorted(names) == sorted(["x0", "x1", "NOT", "NOT", "AND", "AND", "OR"])
    arrows = [one for one in parts(drawn, "path") if one.get("class") == "arrowhead"]
    assert len(arrows) == 1 + sum(len(gate.inputs) for gate in made.gates)
    assert "≥ 2" in draw_circuit(Circuit(3, (Gate("threshold", (0, 1, 2), 2),), 3), "two of three")
