"""Large and deep texts work or fail with a clear error; nothing is exponential."""

import pytest

from capax.app.session import Session
from capax.errors import CapaxError, Source
from capax.rasp.python.program import SOp
from capax.rasp.text.interpreter import Limits


def run(text: str, limits: Limits | None = None) -> Session:
    """A session after a text."""
    session = Session(limits=limits)
    session.run_text(Source("test", text))
    return session


def test_list_of_100_000_elements() -> None:
    """A long list is read."""
    session = run("x = [" + ",".join(map(str, range(100_000))) + "];")
    assert session.console.get("x") == list(range(100_000))


def test_sum_of_10_000_terms() -> None:
    """A deep expression is parsed, built and evaluated."""
    total = run("x = " + " + ".join(["indices"] * 10_000) + ";").console.get("x")
    assert isinstance(total, SOp)
    assert total("abc") == [0, 10_000, 20_000]


def test_2_000_nested_parentheses() -> None:
    """Deep nesting is no problem."""
    assert run("x = " + "(" * 2000 + "1" + ")" * 2000 + ";").console.get("x") == 1


def test_function_of_2_000_statements() -> None:
    """A long body is no problem."""
    body = "x = x + 1;" * 2000
    assert run("def f(x) {" + body + "return x; } y = f(0);").console.get("y") == 2000


def test_recursion_5_000_deep() -> None:
    """Calls nest deeply."""
    session = run("def f(n) { return 0 if n == 0 else 1 + f(n - 1); } y = f(5000);")
    assert session.console.get("y") == 5000


def test_endless_recursion_is_an_error() -> None:
    """A recursion without end is named."""
    with pytest.raises(CapaxError) as caught:
        run("def f(n) { return f(n + 1); } y = f(0);")
    assert caught.value.code == "call-depth"


def test_step_budget() -> None:
    """A budget stops a program that takes too long."""
    with pytest.raises(CapaxError) as caught:
        run("for i in range(1000) { for j in range(1000) { x = i * j; } }", Limits(steps=20_000))
    assert caught.value.code == "too-many-steps"


def test_nested_calls_are_not_exponential() -> None:
    """f(f(...f(x))) builds and runs in time linear in the depth."""
    deep = run("def f(x) { return x + x; } y = " + "f(" * 200 + "indices" + ")" * 200 + ";").console.get("y")
    assert deep("ab") == [0, 2**200]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 2^10000000;", "number-too-large"),
        ("x = (9^9)^(9^9);", "number-too-large"),
        ('x = "a" * 10^9;', "too-large"),
        ("x = [1] * 10^9;", "too-large"),
        ("x = range(10^12);", "too-large"),
        ('x = "%999999999d" % 1;', "too-large"),
        ("x = 1e400;", "number-too-large"),
        ("x = " + "9" * 100_000 + ";", "number-too-large"),
    ],
)
def test_sizes_are_bounded(text: str, code: str) -> None:
    """What would not fit in memory is refused before it is made."""
    with pytest.raises(CapaxError) as caught:
        run(text)
    assert caught.value.code == code


def test_integers_beyond_64_bits() -> None:
    """Integers stay exact, in the text, in programs and in means."""
    session = run("big = 2^100; x = aggregate(full_s, indices * big);")
    assert session.console.get("x")("abc") == [float(2**100)] * 3
    assert session.console.get("big") == 2**100
