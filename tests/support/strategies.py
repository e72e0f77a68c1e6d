"""Random pieces of the language for property tests."""

from hypothesis import strategies as st

from capax.rasp.ir.nodes import COMPARISONS
from capax.rasp.text import syntax as s

NAMES = st.sampled_from(
    ["tokens", "indices", "x", "y_1", "_z", "best", "full", "selectx", "one", "select", "aggregate"]
)
"""Names, some of which look like words of the language."""

STRINGS = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from('"\\\n\t\r\0\ud800u')), max_size=4)
"""Any strings of Python, with more quotes, backslashes, control characters and surrogates than chance would give."""

_LITERALS = st.one_of(
    st.integers(0, 10**6),
    st.integers(10**18, 10**30),
    st.floats(0, 1e300, allow_nan=False),
    STRINGS,
).map(s.Literal)

_BINARY = ["+", "-", "*", "/", "%", "^", "and", "or", "in", *COMPARISONS]


def _names() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(NAMES, min_size=1, max_size=3).map(tuple)


def _larger(inner: st.SearchStrategy[s.Expr]) -> st.SearchStrategy[s.Expr]:
    """Expressions one level above the given ones."""
    several = st.lists(inner, max_size=3).map(tuple)
    one = inner.map(lambda e: (e,))
    primitives = st.one_of(
        st.builds(s.Primitive, st.sampled_from(["aggregate", "range", "zip", "len"]), several),
        st.builds(s.Primitive, st.sampled_from(["round", "indicator"]), one),
    )
    return st.one_of(
        st.builds(s.Unary, st.sampled_from(["not", "-", "+"]), inner),
        st.builds(s.Binary, st.sampled_from(_BINARY), inner, inner),
        st.builds(s.Ternary, inner, inner, inner),
        st.builds(s.ListOf, several),
        st.builds(s.DictOf, st.lists(st.tuples(inner, inner), max_size=2).map(tuple)),
        st.builds(s.Comprehension, st.none() | inner, inner, _names(), inner),
        st.builds(s.Call, inner, several),
        st.builds(s.Index, inner, inner),
        st.builds(s.SelectOf, inner, inner, st.sampled_from(COMPARISONS)),
        primitives,
    )


def expressions() -> st.SearchStrategy[s.Expr]:
    """Any expression that the grammar allows, whether it makes sense or not."""
    return st.recursive(st.one_of(_LITERALS, st.builds(s.Name, NAMES)), _larger, max_leaves=8)


def statements() -> st.SearchStrategy[s.Statement]:
    """Any statement that may stand inside a function."""
    expr = expressions()
    several = st.lists(expr, min_size=1, max_size=2).map(tuple)
    simple = st.one_of(
        st.builds(s.Evaluate, expr),
        st.builds(s.Assign, _names(), several),
        st.builds(s.Draw, expr, st.none() | expr),
        st.builds(s.Load, STRINGS),
    )

    def nested(inner: st.SearchStrategy[s.Statement]) -> st.SearchStrategy[s.Statement]:
        body = st.lists(inner, max_size=2).map(tuple)
        some = st.lists(inner, min_size=1, max_size=2).map(tuple)
        params = st.lists(NAMES, max_size=2).map(tuple)
        return st.builds(s.Def, NAMES, params, body, several) | st.builds(s.For, _names(), expr, some)

    return st.recursive(simple, nested, max_leaves=4)


def commands() -> st.SearchStrategy[s.Statement]:
    """Any command of the prompt."""
    which = st.sampled_from([None, "s-op", "selector"])
    return st.one_of(
        st.builds(s.SetExample, which, expressions()),
        st.builds(s.ShowExample, which),
        st.builds(s.SwitchExamples, which, st.booleans()),
        st.builds(s.SwitchFull, st.booleans()),
        st.builds(s.Exit),
    )


def scripts() -> st.SearchStrategy[list[s.Statement]]:
    """Texts of a few statements and commands."""
    return st.lists(statements() | commands(), max_size=3)
