"""The canonical printer gives back what was parsed, and never a text that surprises."""

from hypothesis import example, given

from capax.errors import Source
from capax.rasp import library
from capax.rasp.text import syntax as s
from capax.rasp.text.parser import parse
from capax.rasp.text.syntax_to_text import print_script
from tests.support.strategies import scripts

X, Y, Z = s.Name("x"), s.Name("y"), s.Name("z")


@given(scripts())
@example([s.Evaluate(s.Binary("%", X, s.Binary("*", Y, Z)))])
@example([s.Evaluate(s.Binary("==", s.Unary("not", X), Y))])
@example([s.Evaluate(s.Call(s.Name("aggregate"), (X, Y)))])
@example([s.Evaluate(s.Unary("-", s.Unary("-", X)))])
@example([s.SetExample(None, X), s.Exit()])
def test_parse_of_print_is_the_program(script: list[s.Statement]) -> None:
    """parse(print(p)) is p for every program."""
    parsed = parse(Source("printed", print_script(script)))
    assert list(parsed.items) == script


@given(scripts())
def test_print_never_surprises(script: list[s.Statement]) -> None:
    """The printed form has parentheses wherever the grouping could mislead."""
    assert parse(Source("printed", print_script(script))).notices == []


def test_library_survives_printing() -> None:
    """Every library file means the same after printing."""
    for module in library.modules():
        statements = parse(library.module_source(module)).statements
        assert parse(Source(module, print_script(statements))).statements == statements
