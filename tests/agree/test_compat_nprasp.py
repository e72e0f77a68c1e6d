"""Functions of np-rasp: arrays as np-rasp gives them, and the same as capax programs and as models."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.compat import np_rasp as r
from capax.compat import to_capax

PREDICATES: dict[str, Callable[[Any, Any], Any]] = {
    "equals": r.equals,
    "leq": r.leq,
    "lt": r.lt,
    "geq": r.geq,
    "gt": r.gt,
    "parity": lambda k, q: (k + q) % 2,
    "key": lambda k, q: k,
    "near": lambda k, q: k - 1 <= q <= k,
}
WORDS = st.lists(st.integers(-3, 3), min_size=1, max_size=7)


@given(WORDS, st.data(), st.sampled_from(sorted(PREDICATES)), st.sampled_from(["mean", "max", "min"]), st.booleans())
def test_one_head_by_its_definition(keys: list[int], data: Any, name: str, reduction: str, causal: bool) -> None:
    """Selecting, counting and aggregating, place by place."""
    n, predicate = len(keys), PREDICATES[name]
    queries, values = (data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)) for _ in range(2))
    k, q, v = (np.array(x) for x in (keys, queries, values))
    matrix = r.select(k, q, predicate, causal=causal)
    found = r.aggr(matrix, v, default=-9, reduction=reduction)
    reduced = {"mean": lambda x: int(sum(x) / len(x)), "max": max, "min": min}[reduction]
    for i in range(n):
        row = [bool(predicate(keys[j], queries[i])) and (j <= i or not causal) for j in range(n)]
        picked = [values[j] for j in range(n) if row[j]]
        assert matrix[i].tolist() == row
        assert r.sel_width(matrix)[i] == len(picked)
        assert found[i] == (reduced(picked) if picked else -9)
    assert matrix.dtype == bool
    assert found.dtype.kind == "i"
    if causal:
        assert (r.kqv(k, q, v, predicate, -9, reduction) == found).all()


def so_far(function: Callable[[list[int]], Any]) -> Callable[[list[int]], list[Any]]:
    """A function of the word up to each place, at each place."""
    return lambda word: [function(word[: i + 1]) for i in range(len(word))]


def after(word: list[int], asked: int, offset: int) -> int:
    """What came `offset` places after the first `asked` (whose own place is not the last ones), else 0."""
    found = [i + offset for i, x in enumerate(word) if x == asked and i + offset < len(word)]
    return word[found[0]] if found else 0


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Callable[[list[int]], list[Any]]]] = {
    "shift_right": (lambda x: r.shift_right(x, 2, default=7), lambda w: [7, 7, *w][: len(w)]),
    "cumsum": (lambda x: r.cumsum(x > 0), so_far(lambda w: sum(v > 0 for v in w))),
    "where": (lambda x: r.where(x > 0, x, r.indices(x)), lambda w: [v if v > 0 else i for i, v in enumerate(w)]),
    "mask": (lambda x: r.mask(x, x != 1, 5), lambda w: [v if v != 1 else 5 for v in w]),
    "maximum": (r.maximum, so_far(max)),
    "minimum": (r.minimum, so_far(min)),
    "argmax": (r.argmax, so_far(lambda w: max(i for i, v in enumerate(w) if v == max(w)))),
    "argmin": (r.argmin, so_far(lambda w: max(i for i, v in enumerate(w) if v == min(w)))),
    "num_prev": (lambda x: r.num_prev(x, r.full(x, 1)), so_far(lambda w: w.count(1))),
    "has_seen": (lambda x: r.has_seen(x, r.full(x, 1)), so_far(lambda w: int(1 in w))),
    "firsts": (lambda x: r.firsts(x, r.full(x, 1)), so_far(lambda w: w.index(1) if 1 in w else -1)),
    "lasts": (lambda x: r.lasts(x, x), so_far(lambda w: len(w) - 1)),
    "index_select": (lambda x: r.index_select(x, x, default=-5), so_far(lambda w: _at(w, w[-1]))),
    "first_true": (lambda x: r.first_true(x == 1), so_far(lambda w: w.index(1) if 1 in w else -1)),
    "mode": (r.mode, so_far(lambda w: _mode(w))),
    "binary_mode": (r.binary_mode, so_far(lambda w: int(w.count(1) > w.count(0)))),
    "induct": (lambda x: r.induct(x, x, offset=1), so_far(lambda w: after(w, w[-1], 1))),
    "tok_map": (lambda x: r.tok_map(x, lambda v: v * v / 2), lambda w: [int(v * v / 2) for v in w]),
    "seq_map": (lambda x: r.seq_map(x, r.indices(x), r.gt) - 1, lambda w: [(v > i) - 1 for i, v in enumerate(w)]),
    "not bits": (lambda x: ~(x == 1) & (r.indices(x) > 0), lambda w: [v != 1 and i > 0 for i, v in enumerate(w)]),
    "not integers": (lambda x: ~x | 1, lambda w: [~v | 1 for v in w]),
    "mean": (
        lambda x: r.kqv(x, x, x, lambda k, q: True),
        so_far(lambda w: int(sum(w) / len(w))),
    ),
    "mean of booleans": (  # numpy's sum of booleans is their disjunction
        lambda x: r.kqv(x, x, x == 1, lambda k, q: True),
        so_far(lambda w: int((1 in w) / len(w))),
    ),
    "remainder": (lambda x: (3 * x - r.indices(x)) % 3, lambda w: [(3 * v - i) % 3 for i, v in enumerate(w)]),
}


def _at(word: list[int], place: int) -> int:
    return word[place] if 0 <= place < len(word) else -5


def _mode(word: list[int]) -> int:
    counts = [word[: i + 1].count(v) for i, v in enumerate(word)]
    return word[max(i for i, c in enumerate(counts) if c == max(counts))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_translate_and_compile(name: str) -> None:
    """The function, its capax program and its model give what plain Python gives, on all words up to length 4."""
    function, wanted = PROGRAMS[name]
    vocabulary = [-1, 0, 1, 2]
    found = to_capax(function, vocabulary, 6)
    model = found.compile(certify=False, words=30)
    for n in range(1, 5):
        for word in itertools.product(vocabulary, repeat=n):
            answer = wanted(list(word))
            assert function(np.array(word)).tolist() == answer
            assert found(word) == answer
            assert model(word) == answer


def counting(x: Any) -> Any:
    """The next token of "count from a to b": -1 a b a a+1 ... b -2."""
    start = r.lasts(x, r.full(x, -1))
    low, high = r.index_select(x, start + 1), r.index_select(x, start + 2)
    begins = r.seq_map(r.indices(x), start + 2, r.equals)
    ends = (1 - begins) & r.seq_map(x, high, r.equals)
    return r.where(begins, low, r.where(ends, r.full(x, -2), x + 1))


def test_a_next_token_program_generates() -> None:
    """Fed with its own answers, the program counts, and so does its model."""
    model = to_capax(counting, [-2, -1, 0, 1, 2, 3, 4], 12).compile(words=30)
    for run in (lambda w: counting(np.array(w)).tolist(), model):
        word = [-1, 1, 4]
        while word[-1] != -2:
            word.append(run(word)[-1])
        assert word == [-1, 1, 4, 1, 2, 3, 4, -2]
