"""Which programs stay within RASP-L, B-RASP and C-RASP, and where the others leave them."""

from typing import Any

import pytest
from hypothesis import assume, given, settings

import capax
from capax import Program, aggregate, best, indices, length, select, selector_width, tokens, where
from capax.errors import CapaxError
from capax.rasp.analysis.dialects import check_all
from capax.rasp.analysis.dialects.b_rasp import B_RASP
from capax.rasp.analysis.dialects.crasp import C_RASP
from capax.rasp.analysis.dialects.key_directions import offset, on_side
from capax.rasp.analysis.dialects.rasp_l import RASP_L
from capax.rasp.ir.build import elementwise, selector, sop
from capax.rasp.ir.nodes import Const, Node, SelectorNode, SOpNode
from capax.rasp.meaning import fast, reference
from tests.support.outcomes import count_outcome, least_share
from tests.support.programs import graphs, words

up_to_here = select(indices, indices, "<=")
before = select(indices, indices, "<")
is_a = tokens == "a"
ones = capax.indicator(is_a)
count_a = selector_width(up_to_here & select(tokens, "a", "=="))
count_b = selector_width(up_to_here & select(tokens, "b", "=="))
followers = select(tokens, tokens, "==") & before


def inside(program: Any) -> set[str]:
    """The dialects that a program is within."""
    return {verdict.dialect for verdict in check_all(program) if verdict.inside}


LIBRARY = {
    "dyck1_ptf": {"C-RASP"},  # prefix means of one selector, compared with each other; no means as numbers elsewhere
    "first_occurrence": {"RASP-L", "B-RASP", "C-RASP"},  # whether there is an equal letter before
    "last_occurrence": {"B-RASP"},  # the same to the right, where only B-RASP looks
    "induction": {"RASP-L", "B-RASP"},  # the last of the positions whose left neighbour is the letter here
}
"""The library's programs that are within a dialect; the others need `length`, whole-word means, or joined counts."""


@pytest.mark.parametrize("name", [n for n in dir(capax.library) if isinstance(getattr(capax.library, n), capax.SOp)])
def test_the_library(name: str) -> None:
    """Each program of the library is within the dialects that the table says, and has a line for the others."""
    program = getattr(capax.library, name)
    assert inside(program) == LIBRARY.get(name, set())
    for verdict in check_all(program):
        assert all(finding.span is not None for finding in verdict.findings)


PARTS = [
    # element-wise work on letters is free in all three
    (is_a | (tokens == "b"), {"RASP-L", "B-RASP", "C-RASP"}),
    (tokens.map({"a": 1, "b": 2}) * 3 % 2 + tokens.isin("ab"), {"RASP-L", "B-RASP", "C-RASP"}),
    (where(is_a, "x", tokens), {"RASP-L", "B-RASP", "C-RASP"}),
    # existence to the left, as a mean of ones and as a width
    (aggregate(followers, 1) > 0, {"RASP-L", "B-RASP", "C-RASP"}),
    (elementwise("==", 0, selector_width(followers)), {"RASP-L", "B-RASP", "C-RASP"}),
    (aggregate(up_to_here, ones) == 1, {"RASP-L", "B-RASP", "C-RASP"}),
    (selector_width(followers) == 1, {"RASP-L", "C-RASP"}),
    (selector_width(followers) >= 1, {"RASP-L", "B-RASP", "C-RASP"}),
    (elementwise("<=", 1, selector_width(followers)), {"RASP-L", "B-RASP", "C-RASP"}),
    (elementwise("<", 1, selector_width(followers)), {"RASP-L", "C-RASP"}),
    (aggregate(up_to_here, ones) > 1 / 3, {"C-RASP"}),
    # a count as an answer, compared, added, computed with
    (count_a, {"RASP-L", "C-RASP"}),
    (count_a > count_b, {"RASP-L", "C-RASP"}),
    (count_a > count_b + 2, {"RASP-L", "C-RASP"}),
    (count_a - count_b == 0, {"C-RASP"}),
    (2 * count_a > 3 * count_b, {"C-RASP"}),
    (tokens.map({"a": 1, "b": 2}) * count_a > 4, {"C-RASP"}),
    (where(count_a > count_b, count_a, count_b), {"RASP-L", "C-RASP"}),
    (count_a * count_b > 4, set()),
    (count_a % 2 == 0, set()),
    (count_a / 2 > 1, set()),
    (tokens * count_a, set()),
    (count_a.isin([1, 3]), {"C-RASP"}),
    # means up to here
    (aggregate(up_to_here, ones), set()),
    (aggregate(up_to_here, ones) > aggregate(up_to_here, capax.indicator(tokens == "b")), {"C-RASP"}),
    (aggregate(up_to_here, ones) > aggregate(before, ones), set()),
    (round((indices + 1) * aggregate(up_to_here, ones)) > 2, {"C-RASP"}),
    (round(aggregate(up_to_here, ones) * (1 + indices)) > count_b, {"C-RASP"}),
    (round(indices * aggregate(up_to_here, ones)) > 2, set()),
    (round((indices + 1) * aggregate(before, ones)) > 2, set()),
    (round((indices + 1) * aggregate(up_to_here, ones / 2)) > 2, set()),
    (aggregate(up_to_here, capax.tokens_int) > 2, {"C-RASP"}),
    (aggregate(up_to_here, capax.tokens_asis) == 2, set()),
    (aggregate(up_to_here, indices) > 2, set()),
    # attention to one position
    (aggregate(best(before, indices), tokens, ""), {"RASP-L", "B-RASP"}),
    (aggregate(best(before & select(is_a, True, "=="), -indices), tokens, ""), {"RASP-L", "B-RASP"}),
    (aggregate(best(before, 9 - indices), capax.tokens_int), {"RASP-L", "B-RASP"}),
    (aggregate(best(before, capax.tokens_int), tokens, ""), {"RASP-L"}),
    (aggregate(best(before, indices), indices, -1), {"RASP-L"}),
    (aggregate(before & select(tokens, "a", "=="), tokens, ""), {"RASP-L", "B-RASP", "C-RASP"}),
    (aggregate(~best(before, indices), is_a, False), set()),
    # neighbours and fixed places
    (aggregate(select(indices, indices - 1, "=="), tokens, ""), {"RASP-L", "B-RASP"}),
    (aggregate(select(indices + 2, indices, "=="), capax.tokens_int), {"RASP-L", "B-RASP"}),
    (aggregate(select(indices, 1 + indices, "=="), tokens, ""), {"B-RASP"}),
    (aggregate(select(indices, indices - 2, "<"), 1) > 0, {"RASP-L"}),
    (aggregate(select(indices, 0, "=="), tokens), {"B-RASP"}),
    (aggregate(select(indices, 0, "==") & up_to_here, tokens), {"RASP-L", "B-RASP", "C-RASP"}),
    (indices == 3, {"RASP-L", "B-RASP", "C-RASP"}),
    (indices % 2 == 0, set()),
    (indices, {"RASP-L", "C-RASP"}),
    (-indices, {"C-RASP"}),
    (indices + indices > 5, {"C-RASP"}),
    (tokens.isin(["a"]) & (indices > capax.tokens_int), {"C-RASP"}),
    # the whole word
    (aggregate(select(indices, indices, ">") & select(is_a, True, "=="), 1) > 0, {"B-RASP"}),
    (aggregate(capax.full_s, ones) > 0, {"B-RASP"}),
    (indices == length - 1, set()),
    (select(tokens, tokens, "=="), set()),
]


@pytest.mark.parametrize(("program", "expected"), PARTS, ids=[f"{n}" for n in range(len(PARTS))])
def test_parts(program: Program, expected: set[str]) -> None:
    """One small program for each rule."""
    assert inside(program) == expected


@pytest.mark.parametrize(
    ("check", "text", "line", "what"),
    [
        (C_RASP.check, "x = 1;\na = selector_width(select(tokens, tokens, ==));\na + x;", 2, "up to here"),
        (
            B_RASP.check,
            'a = tokens == "a";\nn = selector_width(select(a, True, ==));\nn % 2;',
            3,
            "a count as a number",
        ),
        (RASP_L.check, "a = indices + 1;\nb = a * indices;\nb + 1 > 3;", 2, "computes with a position"),
        (RASP_L.check, "a = indices;\n(a == length - 1);", 2, "`length`"),
        (B_RASP.check, "s = select(indices, indices, <);\nbest(s, tokens);", 2, "best"),
        (B_RASP.check, "a = 2;\nindices;", 2, "the answer is a position"),
    ],
)
def test_findings_say_where(check: Any, text: str, line: int, what: str) -> None:
    """A finding has the line that leaves the dialect, and its reason; what is built on it adds none."""
    (finding,) = check(Program.from_text(text)).findings
    assert what in finding.what
    assert finding.node is not None
    if text.endswith("\nindices;"):
        assert finding.span is None
    else:
        assert finding.span is not None
        assert finding.span.line == line


def test_a_function_called_twice_is_one_finding() -> None:
    """Equal reasons at one place are given once."""
    text = "def f(x) { y = x % 2; return y; }\nf(indices) + f(indices + 1);"
    assert len(C_RASP.check(Program.from_text(text)).findings) == 1


@pytest.mark.parametrize(
    ("sel", "left", "here", "right"),
    [
        (up_to_here, True, True, False),
        (~up_to_here, False, False, True),
        (before | select(indices, indices, "=="), True, True, False),
        (select(indices, indices - 1, "=="), None, False, False),
        (select(indices, indices - 1, "<="), True, False, False),
        (select(indices, indices + 10**15, "<"), True, True, None),
        (select(indices + 3, indices, ">="), None, True, True),
        (select(tokens, tokens, "==") & before, None, False, False),
        (capax.full_s, True, True, True),
        (~capax.full_s, False, False, False),
        (best(before, tokens), None, False, False),
        (select(tokens, "a", "=="), None, None, None),
    ],
)
def test_sides(sel: Any, left: bool | None, here: bool | None, right: bool | None) -> None:
    """What positions alone tell about a selector."""
    assert (on_side(sel.node, "left"), on_side(sel.node, "self"), on_side(sel.node, "right")) == (left, here, right)


def test_offsets() -> None:
    """The written forms of a shifted position."""
    assert [offset(s.node) for s in (indices, indices + 2, 3 + indices, indices - 4)] == [0, 2, 3, -4]
    assert [offset(s.node) for s in (4 - indices, tokens, length, indices * 1)] == [None] * 4


def as_program(node: Node) -> Program:
    """A program of a bare node."""
    if isinstance(node, SelectorNode):
        return selector(node)
    assert isinstance(node, SOpNode)
    return sop(node)


def values(node: Node, word: Any) -> list[str] | None:
    """The values on a word, to the last bit, or None for an error."""
    try:
        return [repr(v) for v in reference.evaluate(node, word)]
    except CapaxError:
        return None


@pytest.mark.parametrize("check", [RASP_L.check, C_RASP.check])
@least_share("values", 0.5)
@given(node=graphs(), word=words())
@settings(max_examples=150)
def test_causal_dialects_do_not_look_right(check: Any, node: Node, word: Any) -> None:
    """Within RASP-L and C-RASP what stands to the right changes no value."""
    assume(check(as_program(node)).inside)
    whole = values(node, word)
    count_outcome("an error" if whole is None else "values")
    for n in range(1, len(word)):
        part = values(node, word[:n])
        assert whole is None or part is None or part == whole[:n]


@pytest.mark.parametrize("check", [B_RASP.check, C_RASP.check])
@least_share("booleans or text", 0.2)
@given(node=graphs())
@settings(max_examples=150)
def test_no_dialect_counts_modulo(check: Any, node: Node) -> None:
    """On words of one letter a boolean of B-RASP or C-RASP is the same from some length on: neither counts modulo."""
    assume(not isinstance(node, (SelectorNode, Const)) and check(as_program(node)).inside)
    outcomes = fast.evaluate_batch(node, ["a" * n for n in range(60, 66)])
    assume(not any(isinstance(o, CapaxError) for o in outcomes))
    last = [o.values[-1] for o in outcomes]  # type: ignore[union-attr]
    numbers = not all(isinstance(v, (bool, str)) for v in last)
    count_outcome("numbers" if numbers else "booleans or text")
    assert numbers or len(set(last)) == 1
