"""The program for the type of an answer, and the one that is compiled, against the definition."""

import itertools
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.analysis.output_types import BOOL, FLOAT, INT, Unknown, kind_of
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import rebuild
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Map, Select, SOpNode
from capax.rasp.meaning import reference
from capax.rasp.rewrite.prepare import make_causal, prepare
from tests.support.outcomes import count_outcome, least_share
from tests.support.programs import as_sop, graphs
from tests.support.typed_programs import typed_programs

CODES = {float: FLOAT, int: INT, bool: BOOL}
ALPHABETS: list[tuple[Any, ...]] = [(0, 1, 2), (0.5, 1, -1), ("a", "b"), (True, False), (0, 2.5)]
MEAN = Aggregate(Select(Indices(), Indices(), "<="), Indices(), 0)


def value_of(root: SOpNode, word: tuple[Any, ...]) -> list[Any] | None:
    """What the definition gives; None where it fails."""
    try:
        return list(reference.evaluate(root, word))
    except CapaxError:
        return None


def words_over(alphabet: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """All words of up to three tokens, and some of four."""
    short = [w for n in (1, 2, 3) for w in itertools.product(alphabet, repeat=n)]
    return [*short, *itertools.islice(itertools.product(alphabet, repeat=4), 12)]


programs = st.one_of(graphs().map(as_sop), typed_programs())


@least_share("known", 0.5)
@settings(max_examples=400)
@given(programs, st.sampled_from(ALPHABETS))
@example(MEAN, (0, 1))
@example(Map("^", (Indices(), Input("asis"))), (0.5, 1, -1))
@example(Aggregate(FULL, Map("where", (Map("==", (Indices(), Const(0))), Const(0.5), Const(1))), True), (0, 1))
def test_types(root: SOpNode, alphabet: tuple[Any, ...]) -> None:
    """Wherever the program gives a number, the program for the type gives the code of its type."""
    try:
        kind = kind_of(root, alphabet)
    except Unknown:
        count_outcome("unknown")
        return
    count_outcome("known")
    for word in words_over(alphabet):
        values = value_of(root, word)
        if values is None:
            continue
        codes: Any = value_of(kind, word) if isinstance(kind, SOpNode) else [kind] * len(word)
        assert codes is not None, word
        for value, code in zip(values, codes, strict=True):
            assert isinstance(value, str) or CODES[type(value)] == code, (word, values, codes)


@settings(max_examples=300)
@given(programs, st.sampled_from(ALPHABETS), st.booleans())
@example(Map("%", (Const("<%s>"), MEAN)), (0, 1), False)
@example(Map("%", (Const("<%s>"), MEAN)), (0, 1), True)
def test_what_is_compiled(root: SOpNode, alphabet: tuple[Any, ...], causal: bool) -> None:
    """The prepared program has the program's values on every word on which that has any."""
    meant = rebuild(root, make_causal)[root] if causal else root
    assert isinstance(meant, SOpNode)
    made = output_spec(root, alphabet, causal=causal).value
    plain = prepare(root, causal=causal)[0]
    for word in words_over(alphabet):
        values = value_of(meant, word)
        if values is not None:
            assert value_of(made, word) == values, word
            assert value_of(plain, word) == values, word
