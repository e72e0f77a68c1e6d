"""`for` loops whose rounds have one shape, written as `repeat` loops.

A `for` loop of the language is run while the program is built: each round makes nodes of its own. Where the rounds do
not use what the loop goes over, and only pass s-ops on from one to the next, they have one shape, also if a state is
carried element-wise. The rewrite is checked: written out, the new loop gives the very nodes of the old one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from capax.errors import CapaxError, Source
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.unroll import unrolled
from capax.rasp.python.program import SOp
from capax.rasp.text import syntax as s
from capax.rasp.text.module import open_module
from capax.rasp.text.parser import parse
from capax.rasp.text.syntax_to_text import print_statement


def with_repeats(text: str) -> str:
    """The text with every such loop at its top level as a `repeat` loop; comments inside the loops are lost.

    >>> print(with_repeats("x = indices;\\nfor i in range(3) { x = x + x; }\\n"))
    x = indices;
    repeat 3 {
        state x = x;
        x = x + x;
    }
    <BLANKLINE>
    """
    for begin, end, loop in repeats(text):
        text = text[:begin] + loop + text[end:]
    return text


def repeats(text: str) -> list[tuple[int, int, str]]:
    """Where such loops begin and end, the last first, and the `repeat` loop for each."""
    result: list[tuple[int, int, str]] = []
    for statement in reversed(parse(Source("text", text)).statements):
        if not isinstance(statement, s.For):
            continue
        begin, end = statement.at
        later = [e.id for line in parse(Source("text", text[end:])).statements for e in _names(line)]
        loop = as_repeat(statement, later)
        if loop is None:
            continue
        written = print_statement(loop)
        if same_program(text[:end], text[:begin] + written, [state.name for state in loop.states]):
            result.append((begin, end, written))
    return result


def loop_results(text: str) -> list[SOpNode]:
    """The states that the last statement of a text, a `repeat` loop, gives."""
    loop, module = parse(Source("text", text)).statements[-1], open_module(Source("text", text))
    assert isinstance(loop, s.RepeatOf)
    values = [getattr(module, state.name) for state in loop.states if not state.name.startswith("_")]
    return [value.node for value in values if isinstance(value, SOp)]


def as_repeat(loop: s.For, later: list[str] | None = None) -> s.RepeatOf | None:
    """The loop as a `repeat` loop; None where its rounds differ, or do more than to assign single names.

    `later` are the names that are read after the loop: those of them that a round sets have to be states.
    """
    rounds, body = _count(loop.iterable), _assignments(loop)
    if rounds is None or body is None:
        return None
    round_of = _Round({line.names[0] for line in body} | {e.id for line in body for e in _names(line)})
    for line in body:
        round_of.assign(line.names[0], line.values[0])
    states = [name for name in round_of.carried if name in round_of.current]
    if not states or any(name in round_of.current and name not in states for name in later or ()):
        return None
    ends = tuple(s.Assign((name,), (s.Name(round_of.current[name]),)) for name in states)
    starts = tuple(s.StateOf(name, s.Name(name)) for name in states)
    return s.RepeatOf(s.Literal(rounds), starts, _tidy((*round_of.lines, *ends), states))


def _assignments(loop: s.For) -> list[s.Assign] | None:
    """The lines of a loop, if all assign single names and none reads the loop's own."""
    body = [line for line in loop.body if isinstance(line, s.Assign) and len(line.names) == len(line.values) == 1]
    alike = len(body) == len(loop.body) and not any(e.id in loop.names for line in body for e in _names(line))
    return body if alike else None


@dataclass(slots=True)
class _Round:
    """One round while it is written anew: what is assigned has a new name until the round ends."""

    taken: set[str]
    current: dict[str, str] = field(default_factory=dict)
    carried: dict[str, None] = field(default_factory=dict)
    lines: list[s.Assign] = field(default_factory=list)

    def assign(self, name: str, value: s.Expr) -> None:
        for read in _names(value):
            if read.id not in self.current:
                self.carried[read.id] = None
        new, number = f"{name}_new", 2
        while new in self.taken:
            new, number = f"{name}_new{number}", number + 1
        self.taken.add(new)
        self.lines.append(s.Assign((new,), (_renamed(value, self.current),)))
        self.current[name] = new


def _tidy(lines: tuple[s.Assign, ...], states: list[str]) -> tuple[s.Assign, ...]:
    """The lines without new names that are read only to set a state at the end: the state is set at once."""
    *body, ends = lines[: -len(states)], lines[-len(states) :]
    result = list(body[0])
    for end in ends:
        (value,) = end.values
        assert isinstance(value, s.Name)
        reads = sum(e.id == value.id for line in result for e in _names(line))
        at = next(i for i, line in enumerate(result) if line.names == (value.id,))
        if reads:
            result.append(end)
        else:
            result[at] = replace(result[at], names=end.names)
    return tuple(result)


def _count(iterable: s.Expr) -> int | None:
    """How many elements a loop goes over, where that is written: `range(N)`, or a list."""
    match iterable:
        case s.Primitive(name="range", args=(s.Literal(value=int() as count),)):
            return count
        case s.ListOf():
            return len(iterable.items)
        case _:
            return None


def _names(item: s.Syntax) -> list[s.Name]:
    return [each for each in s.everything(item) if isinstance(each, s.Name)]


def _renamed(item: Any, names: Mapping[str, str]) -> Any:
    """A piece of syntax with other names in place of some."""
    if isinstance(item, s.Name):
        return s.Name(names.get(item.id, item.id))
    if isinstance(item, tuple):
        return tuple(_renamed(each, names) for each in item)
    if isinstance(item, s.Syntax) and is_dataclass(item):
        inside = {f.name: _renamed(getattr(item, f.name), names) for f in fields(item) if f.name != "at"}
        return replace(item, **inside)
    return item


def same_program(old: str, new: str, names: list[str]) -> bool:
    """Whether two texts give some names the same s-ops, where the loops of the second are written out."""
    try:
        one, two = (open_module(Source("text", text)) for text in (old, new))
    except CapaxError:
        return False
    pairs = [(getattr(one, name), getattr(two, name)) for name in names if not name.startswith("_")]
    if len(pairs) < len(names) or not all(isinstance(v, SOp) for pair in pairs for v in pair):
        return False
    return all(unrolled(after.node, 1) is before.node for before, after in pairs)
