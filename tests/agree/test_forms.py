"""Nodes, Python, text and data are forms of one program: going from one to another gives the same node."""

import json
from typing import Any

import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

import capax
from capax import (
    CapaxError,
    Program,
    Selector,
    SOp,
    aggregate,
    best,
    indicator,
    indices,
    length,
    select,
    selector_width,
    tokens,
    where,
)
from capax.rasp import library
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Const, Indices, Input, Map, Node, SOpNode, Table
from capax.rasp.ir.ops import write_out
from tests.support.programs import graphs


def program_of(node: Node) -> Program:
    """A program for a node, as if it had been written whole."""
    return (SOp if isinstance(node, SOpNode) else Selector)(node, Construction(node))


def has_text(node: Node) -> bool:
    """Whether the text language has words for every table below a node."""
    strings = [each for each in topological(node) if isinstance(each, Table) and each.kind == "string"]
    return all(isinstance(v, str) and len(v) == 1 for each in strings for _, v in each.entries)


def keys_differ(node: Node) -> bool:
    """Whether no table below a node has a duplicate key, 1 and True being one key."""
    tables = [each for each in topological(node) if isinstance(each, Table)]
    return all(len({key for key, _ in each.entries}) == len(each.entries) for each in tables)


@given(graphs(20))
@settings(max_examples=300)
def test_data_gives_the_same_node(node: Node) -> None:
    """Through a JSON file and back."""
    assert Program.from_json(json.loads(json.dumps(program_of(node).to_json()))).node is node


@given(graphs(16), st.data())
@settings(max_examples=250)
@example(Map("==", (Input("str"), Const('"'))), None)
@example(Map("==", (Input("str"), Const("a\nb\\\t\r\0\u2028\ud800\U0001f600"))), None)
@example(Table("string", ((0, "ab"), (1, "c")), Indices()), None)
def test_text_gives_the_same_node(node: Node, data: st.DataObject | None) -> None:
    """Through the text language and back, whichever nodes have names; else the text is refused."""
    assume(keys_differ(node))
    program = program_of(node)
    if data is not None:
        order = topological(node)
        for each in data.draw(st.lists(st.sampled_from(order), max_size=3)):
            name = data.draw(st.sampled_from(["x", "s1", "sel1", "best", "for", "length", "é"]))
            program = type(program)(
                node, Construction(node, (Construction(each, (), None, name), program.construction))
            )
    event("has a text" if has_text(node) else "has none")
    if has_text(node):
        assert Program.from_text(program.to_text()).node is node
    else:
        with pytest.raises(CapaxError) as raised:
            program.to_text()
        assert raised.value.code == "not-expressible"


@pytest.mark.parametrize(
    "node",
    [
        Table("members", (("a", True), ("a", True)), Input("str")),
        Table("members", ((1, True), (True, True)), Indices()),
        Table("dict", ((1, "a"), (True, "b")), Indices()),
    ],
)
def test_a_key_that_stands_twice(node: Node) -> None:
    """the text of a table with a duplicate key gives another node; it could be refused."""
    try:
        back: Node | str = Program.from_text(program_of(node).to_text()).node
    except CapaxError as error:
        back = error.code
    assert back in (node, "not-expressible")


# the same program written in Python and in the language

Pair = tuple[Any, str]

_LEAVES: st.SearchStrategy[Pair] = st.sampled_from(
    [(tokens, "tokens"), (indices, "indices"), (length, "length"), (capax.tokens_int, "tokens_int")]
)
_ATOMS: st.SearchStrategy[Pair] = st.sampled_from(
    [(0, "0"), (1, "1"), (2.5, "2.5"), ("a", '"a"'), (True, "True"), (-1, "(-1)")]
)
_OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: a**b,
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
}


@st.composite
def _sops(draw: st.DrawFn, depth: int = 3) -> Pair:
    """An s-op in Python, and the same in the language."""
    if depth == 0:
        return draw(_LEAVES)
    inner = _sops(depth - 1)
    a, text = draw(inner)
    match draw(st.integers(0, 9)):
        case 0 | 1:
            op = draw(st.sampled_from([op for op in _OPERATORS if op not in ("==", "<")]))
            b, other = draw(inner | _ATOMS)
            if draw(st.booleans()) and not isinstance(b, SOp):
                return _OPERATORS[op](b, a), f"({other} {op} {text})"
            return _OPERATORS[op](a, b), f"({text} {op} {other})"
        case 2:
            op = draw(st.sampled_from(["==", "<"]))
            b, other = draw(inner | _ATOMS)
            return _OPERATORS[op](a, b), f"({text} {op} {other})"
        case 3:
            return draw(st.sampled_from([(-a, f"(-{text})"), (~a, f"(not {text})"), (round(a), f"round({text})")]))
        case 4:
            (b, then), (c, other) = draw(inner | _ATOMS), draw(inner | _ATOMS)
            return where(a, b, c), f"({then} if {text} else {other})"
        case 5:
            return a.isin(["a", 1]), f'({text} in ["a", 1])'
        case 6:
            return a.map({"a": 1, 2: "b"}), f'({{"a": 1, 2: "b"}}[{text}])'
        case 7:
            place = draw(st.integers(-2, 2))
            return a[place], f"({text}[{place}])"
        case 8:
            sel, made = draw(_selectors(depth - 1))
            return selector_width(sel), f"selector_width({made})"
        case _:
            (sel, made), (default, other) = draw(_selectors(depth - 1)), draw(_ATOMS)
            return aggregate(sel, a, default), f"aggregate({made}, {text}, {other})"


@st.composite
def _selectors(draw: st.DrawFn, depth: int = 2) -> Pair:
    """A selector in Python, and the same in the language."""
    if depth == 0 or draw(st.booleans()):
        (a, one), (b, other) = draw(_sops(max(depth - 1, 0))), draw(_LEAVES | _ATOMS)
        op = draw(st.sampled_from(COMPARISONS))
        return select(a, b, op), f"select({one}, {other}, {op})"
    (a, one), (b, other) = draw(_selectors(depth - 1)), draw(_selectors(depth - 1))
    score, by = draw(_LEAVES)
    return draw(
        st.sampled_from(
            [
                (a & b, f"({one} and {other})"),
                (a | b, f"({one} or {other})"),
                (~a, f"(not {one})"),
                (best(a, score), f"best({one}, {by})"),
            ]
        )
    )


@given(_sops() | _selectors())
@settings(max_examples=200)
def test_python_and_text_build_the_same_node(pair: Pair) -> None:
    """A program written in Python is the one written in the language."""
    program, text = pair
    assert Program.from_text(text).node is program.node


# the library


def _programs() -> dict[str, Program]:
    """The programs of the library, and those that its functions make in their own examples."""
    found = {}
    for name, entry in library.entries().items():
        if entry.params is None:
            found[name] = getattr(capax.library, name)
        for i, text in enumerate(entry.examples):
            called = text[: text.index('("')] if '("' in text else ""
            if called.count("(") == called.count(")") and called.endswith(")"):
                load = "" if entry.module == library.STANDARD else f'load "{entry.module}"; '
                found[f"{name}.{i}"] = Program.from_text(f"{load}{called};")
    return found


PROGRAMS = _programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_library_programs_travel(name: str) -> None:
    """Every program of the library goes through text and data."""
    program = PROGRAMS[name]
    assert Program.from_text(program.to_text()).node is program.node
    assert Program.from_json(json.loads(json.dumps(program.to_json()))).node is program.node


SAME = select(tokens, tokens, "==")
BEFORE = select(indices, indices, "<")
UP_TO = select(indices, indices, "<=")
AT_START = select(indices, 0, "==")
IS_START = indicator(indices == 0)


def has_focus(selector: Selector) -> SOp:
    """As in the library."""
    return aggregate(selector, 1, 0) > 0


def sort(values: SOp, keys: SOp) -> SOp:
    """As in the library."""
    rank = selector_width(select(keys, keys, "<") | (select(keys, keys, "==") & BEFORE))
    return aggregate(select(rank, indices, "=="), values)


def sort_bos() -> SOp:
    """As in the library."""
    goes_before = select(tokens, tokens, "<") | (SAME & BEFORE)
    rank = round(1 / aggregate(goes_before | AT_START, IS_START))
    return aggregate(select(where(indices == 0, 0, rank), indices, "=="), tokens)


def dyck1() -> SOp:
    """As in the library."""
    opened, closed = (aggregate(UP_TO, indicator(tokens == bracket)) for bracket in "()")
    went_below = aggregate(UP_TO, indicator(closed > opened)) > 0
    return where(went_below, "F", where(opened == closed, "T", "P"))


def dyckk(pairs: list[str]) -> SOp:
    """As in the library."""
    opens, closes = tokens.isin([p[0] for p in pairs]), tokens.isin([p[1] for p in pairs])
    depth = round((indices + 1) * aggregate(UP_TO, indicator(opens) - indicator(closes)))
    level = where(opens | closes, depth + indicator(closes), -1)
    on_level = select(level, level, "==")
    turn = selector_width(on_level & UP_TO)
    partner = on_level & select(turn, turn - 1, "==")
    matches = (aggregate(partner, tokens, "") + tokens).isin(pairs)
    wrong = (depth < 0) | (closes & ~matches)
    failed = aggregate(UP_TO, indicator(wrong)) > 0
    return where(failed, "F", where(depth == 0, "T", "P"))


def induction() -> SOp:
    """As in the library."""
    before = aggregate(select(indices, indices - 1, "=="), tokens, "")
    follows = select(before, tokens, "==") & select(indices, 0, ">") & UP_TO
    return aggregate(best(follows, indices), tokens, "")


def count(values: SOp, atom: object) -> SOp:
    """As in the library."""
    return round(length * aggregate(capax.full_s, indicator(values == atom)))


REWRITTEN = {
    "length": round(1 / aggregate(select(1, 1, "=="), IS_START)),
    "full_s": select(1, 1, "=="),
    "reverse": aggregate(select(indices, length - indices - 1, "=="), tokens),
    "hist_nobos": selector_width(SAME),
    "hist_bos": round(1 / aggregate(SAME | AT_START, IS_START)) - 1,
    "sort_bos": sort_bos(),
    "dyck1_ptf": dyck1(),
    "dyck2_ptf": dyckk(["()", "{}"]),
    "dyck3_ptf": dyckk(["()", "{}", "[]"]),
    "parity": count(tokens, "1") % 2 == 1,
    "majority": aggregate(capax.full_s, indicator(tokens == "1")) > 1 / 2,
    "first_occurrence": ~has_focus(SAME & BEFORE),
    "last_occurrence": ~has_focus(SAME & select(indices, indices, ">")),
    "induction": induction(),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_library_programs_written_in_python(name: str) -> None:
    """The library's definitions, copied into Python, are the same nodes."""
    assert REWRITTEN[name].node is getattr(capax.library, name).node


def test_library_functions_written_in_python() -> None:
    """Also the functions, on the same arguments."""
    lib = capax.library
    assert lib.sort(tokens, -indices).node is sort(tokens, -indices).node
    assert lib.count(tokens, "a").node is count(tokens, "a").node
    assert lib.has_focus(SAME & BEFORE).node is has_focus(SAME & BEFORE).node
    assert lib.selector_width(SAME).node is selector_width(SAME).node
    assert write_out(lib.max(indices, 2).node) is where(indices > 2, indices, 2).node
    shifted = aggregate(select(indices, indices - 1, "=="), tokens, "-")
    assert lib.shift(tokens, 1, "-").node is shifted.node
    assert lib.dyckk_ptf(["()", "{}"]).node is dyckk(["()", "{}"]).node
