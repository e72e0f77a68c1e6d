"""Rounding of whole classes, against what float32 does in different orders of summation."""

from dataclasses import replace

import numpy as np
import pytest

from capax.auditor.bounds.attention_errors import query_errors
from capax.auditor.bounds.cut import roots
from capax.auditor.bounds.evaluate import evaluate
from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.prove import demands_of
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.rounding import class_rounding
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.table_errors import table_errors
from capax.auditor.bounds.tables import Tables
from capax.auditor.decode import ClassDecode
from capax.auditor.question import Question
from capax.auditor.spec import SpecStates
from tests.support.audit_subjects import gpt, parity
from tests.support.audited import Kind, asked, random_kind, random_model, reordered, true_margins

COUNT = SpecStates(np.array([[k, k + 1] for k in range(9)] + [[-1, -1]]), 0, np.array([0] * 5 + [1] * 5))


def check(rng: np.random.Generator, kind: Kind, n: int) -> None:
    """The rounding of every class of a query is at least what float32 differs from float64 by, on all of its words."""
    kind = replace(kind, letters=2)
    model = random_model(rng, kind)
    question = asked(model, COUNT, "last")
    exact = true_margins(question, n)
    seen = dict.fromkeys(exact, 0.0)
    for order in range(3):
        same = model if not order else reordered(model, rng)
        for key, margin in true_margins(replace(question, model=same), n, "float32").items():
            seen[key] = max(seen[key], abs(margin - exact[key]))
    tables = Tables(question, n)
    errors, demands = table_errors(question, tables, 2.0**-24), demands_of(question)
    for letter in range(2):
        query = tables.query(n - 1, letter)
        splitter = Splitter(query, COUNT, n)
        nodes = roots(splitter, np.ones(COUNT.size, bool))
        classes = WordClasses(nodes[0].paths, np.stack([x.letters for x in nodes]), np.stack([x.goal for x in nodes]))
        wanted = demands.select(np.array([x.answer for x in nodes]))
        result = evaluate(query, classes, wanted, basis_of(query))
        bounds = class_rounding(result, wanted, np.arange(len(nodes)), query_errors(tables, errors, query))
        for (word, _), error in seen.items():
            if word[-1] == "ab"[letter]:
                at = [x for x in range(len(nodes)) if nodes[x].paths.state[nodes[x].goal][0] == word.count("b")]
                assert error <= bounds[at[0]]


@pytest.mark.parametrize("seed", range(4))
def test_float32_stays_within_the_rounding_of_its_class(seed: int) -> None:
    """Random models of every kind; coordinates and hidden units in several orders."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        check(rng, random_kind(rng), 5)


@pytest.mark.deep
def test_float32_stays_within_the_rounding_of_its_class_deep() -> None:
    """The same, for many models."""
    rng = np.random.default_rng(50)
    for _ in range(150):
        check(rng, random_kind(rng), int(rng.integers(1, 7)))


def test_rounding_is_small_and_scales_with_the_unit() -> None:
    """For float64 it is 2^-29 of that for float32, up to terms of second order."""
    rng = np.random.default_rng(2)
    question = asked(random_model(rng, Kind()), COUNT, "last")
    tables = Tables(question, 4)
    query = tables.query(3, 0)
    node = roots(Splitter(query, COUNT, 4), np.ones(COUNT.size, bool))[0]
    wanted = demands_of(question).select(np.array([node.answer]))
    result = evaluate(query, WordClasses(node.paths, node.letters[None], node.goal[None]), wanted, basis_of(query))
    sizes = []
    for u in (2.0**-24, 2.0**-53):
        errors = query_errors(tables, table_errors(question, tables, u), query)
        sizes.append(class_rounding(result, wanted, np.array([0]), errors)[0])
    assert 1e-7 < sizes[0] < 1e-3
    assert sizes[1] == pytest.approx(sizes[0] * 2.0**-29, rel=0.05)


@pytest.mark.parametrize(("width", "most"), [(16, 3e-3), (64, 1e-2)])
def test_rounding_of_a_long_word_is_small(width: int, most: float) -> None:
    """A word of 50 letters, in a model of one layer with norms and GELU."""
    n, rng = 50, np.random.default_rng(width)
    question = Question(gpt(1, width, width), parity(), "last", ClassDecode((False, True)))
    assert question.spec.states is not None
    states, tables = question.spec.states(n), Tables(question, n)
    word = rng.integers(0, 2, n)
    query = tables.query(n - 1, int(word[-1]))
    node = roots(Splitter(query, states, n), np.ones(states.size, bool))[int(word.sum() % 2)]
    wanted = demands_of(question).select(np.array([node.answer]))
    classes = WordClasses(node.paths, np.eye(2, dtype=bool)[word][None], node.goal[None])
    result = evaluate(query, classes, wanted, basis_of(query))
    errors = query_errors(tables, table_errors(question, tables, 2.0**-24), query)
    assert not result.empty[0]
    assert 0 < class_rounding(result, wanted, np.array([0]), errors)[0] <= most
