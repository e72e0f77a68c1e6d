"""Programs as data: the form is stable, and damaged data is refused."""

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax import (
    CapaxError,
    Program,
    aggregate,
    best,
    indices,
    length,
    select,
    selector_width,
    tokens,
    where,
)
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import Node
from tests.support.programs import graphs


def whole() -> Program:
    """A program with a node of every kind."""
    before = select(indices, indices, "<").named("before")
    same = select(tokens, tokens, "==") | ~before
    nearest = best(same & before, indices)
    letter = tokens.map({"a": 1, "b": float("-inf")})
    return aggregate(nearest, where(tokens.isin("ab"), letter, selector_width(same)), -0.0).named("all")


def document(*rows: dict[str, Any]) -> dict[str, Any]:
    """The data of a program of these nodes."""
    return {"format": "capax-program", "version": 1, "nodes": list(rows), "names": {}}


def hold(data: Any) -> None:
    """Data is refused as a bad program, or it is a program that can be run, written and read again."""
    code, program = None, indices
    try:
        program = Program.from_json(data)
    except CapaxError as error:
        code = error.code
    assert code in (None, "bad-program")
    assert Program.from_json(program.to_json()).node is program.node
    with suppress(CapaxError):
        program("ab")


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in data with each of its keys or positions."""
    if isinstance(data, (dict, list)):
        for at in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, at
            yield from places(data[at])


JUNK: list[Any] = [
    *(None, True, False, -1, 0, 1, 3, 10**30, 0.5, float("nan"), float("inf"), "", "0", "x", "inf", "and", "Map"),
    *(
        [],
        [[]],
        [0],
        [0, 0],
        [[0, 0]],
        [["a", 1]],
        [[[], {}]],
        {},
        {"float": "inf"},
        {"float": []},
        {"node": "Indices"},
    ),
]


def test_the_form() -> None:
    """Nodes after their operands, the program last; infinities, names, plain JSON."""
    data = aggregate(select(indices, 0, "=="), tokens, float("inf")).named("first").to_json()
    assert data == {
        "format": "capax-program",
        "version": 1,
        "nodes": [
            {"node": "Indices"},
            {"node": "Const", "value": 0},
            {"node": "Select", "key": 0, "query": 1, "op": "=="},
            {"node": "Input", "kind": "str"},
            {"node": "Aggregate", "selector": 2, "value": 3, "default": {"float": "inf"}},
        ],
        "names": {"4": "first"},
    }
    json.dumps(data, allow_nan=False)


def test_atoms_keep_type_and_sign() -> None:
    """1, 1.0 and True, and the signs of zero, survive a file."""
    for value in (1, 1.0, True, 0, 0.0, -0.0, "", "1", '"\n', 10**400, float("inf"), 5e-324, 0.1):
        program = indices == value
        assert Program.from_json(json.loads(json.dumps(program.to_json()))).node is program.node


def test_every_node_kind_travels() -> None:
    """The program with a node of every kind comes back as it was."""
    program = whole()
    back = Program.from_json(json.loads(json.dumps(program.to_json())))
    assert back.node is program.node
    assert back.names() == program.names()
    assert back("abba") == program("abba")


def test_every_part_can_be_lost() -> None:
    """Each part deleted, and replaced by each kind of junk, gives a bad program or another one."""
    original = whole().to_json()
    count = sum(1 for _ in places(original))
    for which in range(count):
        for junk in ["delete", *JUNK]:
            data = copy.deepcopy(original)
            owner, at = list(places(data))[which]
            if junk == "delete":
                del owner[at]
            else:
                owner[at] = junk
            hold(data)
    assert count > 60


@settings(max_examples=200)
@given(graphs(6), st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["delete", "swap", *JUNK])), max_size=3))
def test_damaged_data(node: Node, damage: list[tuple[int, Any]]) -> None:
    """Random damage to random programs."""
    data: Any = json.loads(json.dumps(Program(node, Construction(node)).to_json()))
    for number, junk in damage:
        found = list(places(data))
        if not found:
            break
        owner, at = found[number % len(found)]
        if junk == "delete":
            del owner[at]
        else:
            owner[at] = copy.deepcopy(found[number // 7 % len(found)][0] if junk == "swap" else junk)
    hold(json.loads(json.dumps(data)))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda x: st.lists(x) | st.dictionaries(st.text(max_size=3), x),
    )
)
@example("text")
@example([])
@example(None)
def test_anything_else_is_refused(data: Any) -> None:
    """Data that never was a program."""
    with pytest.raises(CapaxError) as raised:
        Program.from_json(data)
    assert raised.value.code == "bad-program"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({**document(), "format": "other"}, "not a program"),
        ({**document({"node": "Indices"}), "version": 2}, "version 2"),
        (document(), "empty"),
        (document({"node": "Idnices"}), "node 0 has an unknown kind"),
        (document({"node": "Const"}), "node 0 (Const) has no `value`"),
        (document({"node": "Const", "value": None}), "`value` is not a string, number or boolean"),
        (document({"node": "Indices"}, {"node": "Map", "op": "neg", "args": [1]}), "does not name an earlier node"),
        (document({"node": "Indices"}, {"node": "Map", "op": "+", "args": [0]}), "1 operands for `+`"),
        (document({"node": "Indices"}, {"node": "Width", "selector": 0}), "is not a selector"),
        (document({"node": "Input", "kind": "bytes"}), "not one of asis, str"),
    ],
)
def test_the_message_has_the_place(data: dict[str, Any], what: str) -> None:
    """The node, the field and what is wrong with it."""
    with pytest.raises(CapaxError) as raised:
        Program.from_json(data)
    assert raised.value.code == "bad-program"
    assert what in raised.value.what


def test_bad_names_are_left_out() -> None:
    """A name that is none does not stop a program."""
    for names in (3, None, {"0": 5}, {"0": "a b"}, {"x": "y"}, {"99": "far"}):
        program = Program.from_json({**document({"node": "Indices"}), "names": names})
        assert program.node is indices.node
        assert program.name is None


def test_a_deep_program_travels() -> None:
    """No recursion over the nodes."""
    deep = indices
    for _ in range(5000):
        deep = deep + length
    assert Program.from_json(deep.to_json()).node is deep.node
    assert Program.from_text(deep.to_text()).node is deep.node


def test_a_kind_that_cannot_be_hashed() -> None:
    """TypeError, unhashable."""
    with pytest.raises(CapaxError, match="unknown kind"):
        Program.from_json(document({"node": []}))


@pytest.mark.parametrize("kind", ["list", "string"])
def test_a_list_has_entries_for_its_positions(kind: str) -> None:
    """entries at other positions are accepted, and running the program raises KeyError."""
    table = {"node": "Table", "kind": kind, "entries": [[5, "a"]], "arg": 0}
    with pytest.raises(CapaxError) as raised:
        Program.from_json(document({"node": "Indices"}, table))("a")
    assert raised.value.code == "bad-program"
