"""Attention as tables, against the runtime on every word, and head by head with plain sums."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds.chain import run
from capax.auditor.bounds.tables import HeadTable, Tables, embedded, token_rows
from capax.auditor.question import Read
from capax.auditor.spec import SpecStates
from tests.support.audited import Kind, asked, random_kind, random_model

N = 3


@pytest.mark.parametrize("seed", range(14))
def test_the_logits_of_a_query_are_those_of_the_runtime(seed: int) -> None:
    """Every kind of mask, norm, sink, prefix and end marker; at every position, for every word with its letter."""
    rng = np.random.default_rng(seed)
    kind = random_kind(rng)
    read: Read = "end" if seed % 2 else "each"
    states = SpecStates(np.zeros((1, kind.letters), np.int64), 0, np.array([0]))
    question = asked(random_model(rng, kind), states, read)
    tables, words = Tables(question, N), np.array(list(product(range(kind.letters), repeat=N)))
    tokens = [question.tokens(tuple("abc"[k] for k in word)) for word in words]
    right = question.model.run(tokens, many=True).logits
    for position in question.asked(N):
        for letter in range(kind.letters) if position < N else (None,):
            query = tables.query(position, letter)
            which = [k for k, word in enumerate(words) if letter is None or word[position] == letter]
            wanted = [right[k][position] for k in which]
            assert np.allclose(query.logits(words[which]), wanted, atol=1e-9)
            assert query.letters == kind.letters
            assert query.sizes == [2] * kind.heads


def test_a_head_is_the_mean_of_values_by_weights() -> None:
    """Also with scores that underflow, with and without constant keys."""
    rng = np.random.default_rng(1)
    for constant in (-np.inf, 0.7, -800.0):
        score, value = rng.standard_normal((N, 2)) - 3.0, rng.standard_normal((N, 2, 3))
        head = HeadTable(score, value, constant, rng.standard_normal(3), 1.5)
        for word in product(range(2), repeat=N):
            weights = [np.exp(score[j, a]) for j, a in enumerate(word)] + [np.exp(constant)]
            values = [value[j, a] for j, a in enumerate(word)] + [head.constant_value]
            mean = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
            assert np.allclose(head.output(np.array([word]))[0], mean)
        assert np.allclose(head.weight, np.exp(score))
        assert head.constant_weight == pytest.approx(np.exp(constant))
        assert head.first(2).score.shape == (2, 2)
        assert np.array_equal(head.first(2).value, value[:2])
        far = HeadTable(score - 2000.0, value, constant - 2000.0, head.constant_value, 0.0)
        word = np.array([[0, 1, 1]])
        assert np.allclose(far.output(word), head.output(word))


def test_rows_of_tokens_have_the_prefix_before_and_the_end_marker_after() -> None:
    rng = np.random.default_rng(2)
    kind = random_kind(rng)
    model = random_model(rng, kind)
    states = SpecStates(np.zeros((1, kind.letters), np.int64), 0, np.array([0]))
    rows = token_rows(asked(model, states, "end"), N)
    tokens = model.vocabulary.tokens
    mark = [[tokens.index("^")] * kind.letters] if model.prefix else []
    assert rows.tolist() == [*mark, *[list(range(kind.letters))] * N, [tokens.index("$")] * kind.letters]
    fixed = Tables(asked(model, states, "end"), N).constant()
    assert fixed.tolist() == [*[True] * len(mark), *[False] * N, True]


def test_a_query_without_heads_has_no_outputs() -> None:
    """One empty row for each word: its logits are those of the stream alone."""
    rng = np.random.default_rng(6)
    question = asked(random_model(rng, Kind()), SpecStates(np.array([[0, 0]]), 0, np.array([0])), "last")
    query = replace(Tables(question, N).query(N - 1, 0), heads=(), output=np.zeros((0, 5)))
    words = np.zeros((4, N), np.int64)
    assert query.outputs(words).shape == (4, 0)
    assert query.letters == 0
    assert np.allclose(query.logits(words), run(query.chain, query.residual))


def test_functions_of_the_position_are_added_to_the_embedding() -> None:
    """With and without a table; the first position's prefix has the number 0."""
    rng = np.random.default_rng(7)
    model, weight = random_model(rng, Kind()), rng.standard_normal((2, 5))
    for table in (None, model.positions.table):
        positions = replace(model.positions, functions=("i", "1"), weight=weight, table=table)
        question = asked(replace(model, positions=positions), SpecStates(np.array([[0, 0]]), 0, np.array([0])), "last")
        x = embedded(question, N)
        for i, token in product(range(N + 1), range(2)):
            row = token if i else model.vocabulary.tokens.index("^")
            added = i * weight[0] + weight[1] + (0.0 if table is None else table[i])
            assert np.allclose(x[i, token], model.embedding[row] + added, rtol=1e-14)
