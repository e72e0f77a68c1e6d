"""Views of many shapes and sizes, for what holds of every picture."""

from collections.abc import Callable
from functools import partial

from capax import aggregate, indices, select, selector_width, tokens
from capax.app.resolve import resolve
from capax.draw.subjects.heat import heat, side_by_side
from capax.draw.view.flow import flow
from capax.draw.view.view import Flow, View
from capax.rasp.python.program import Selector, SOp
from tests.support.pictures import CASES, drawn, letters


def many_heads(count: int) -> SOp:
    """A program with so many heads in its first layer, all used by its second."""
    heads = [selector_width(select(indices, indices + k, "<") & select(tokens, tokens, "==")) for k in range(count)]
    total = sum(heads[1:], heads[0])
    return aggregate(select(total, heads[0], "=="), heads[-1])


def many_names(count: int) -> SOp:
    """A program whose last step uses so many named ones."""
    parts = [(indices + k).named(f"part{k}") for k in range(count)]
    return sum(parts[1:], parts[0]).named("total")


def long_selector(parts: int) -> Selector:
    """A selector without a name that takes several lines to write down."""
    found = select(indices, indices, "<")
    for k in range(1, parts):
        found = found | (select(tokens, str(k), "==") & select(indices, indices + k, "=="))
    return found


def everything(name: str, word: str) -> Flow:
    """A flow in which nothing is hidden."""
    return flow(resolve(name).program, word, everything=True)


SPEC = "sort(tokens, tokens)"
FAMILY = "👨\u200d👩\u200d👧\u200d👦"
LONG_WORDS = ["antidisestablishmentarianism", "a", "", " ", "漢字", "🙂", "0.123456", "-1.5", "x" * 80, "é́", FAMILY]


MATRIX = [[1 / 6] * 6] * 6
VIEWS: dict[str, Callable[[], View]] = {
    **{name: partial(drawn, name, word) for name, word in CASES.items()},
    **{
        f"{name} {n}": partial(drawn, name, letters(n))
        for name in (SPEC, "reverse")
        for n in (1, 2, 12, 13, 24, 25, 50, 51, 120, 400)
    },
    **{f"dyck2 {n}": partial(drawn, "dyck2_ptf", letters(n, "(){}")) for n in (10, 30, 50, 90)},
    **{f"{name} of words": partial(drawn, name, LONG_WORDS) for name in (SPEC, "hist_nobos", "hist2_nobos")},
    **{f"{name} with everything": partial(everything, name, CASES[name]) for name in ("dyck2_ptf", "addition")},
    "many heads": lambda: flow(many_heads(9), "abcde"),
    "many heads 80": lambda: flow(many_heads(4), letters(80)),
    "many names": lambda: flow(many_names(40), "abcde"),
    "long selectors": lambda: flow(aggregate(long_selector(30), indices), "abcde"),
    "heat": lambda: heat(MATRIX),
    "side by side": lambda: side_by_side(resolve("reverse").program, "banana", MATRIX, name="x" * 60),
    "overview": lambda: drawn("hist_bos", "§" + letters(999)),
}
