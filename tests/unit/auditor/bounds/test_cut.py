"""Branch and bound over classes: what it proves is true, and rounding is part of every proof."""

import numpy as np
import pytest

from capax.auditor.bounds.cut import Findings, Search, roots
from capax.auditor.bounds.prove import demands_of, prove_length
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.tables import Tables
from tests.support.audit_subjects import clock
from tests.support.planted import NearMiss, planted_in_spec, planted_in_weights, trained


def check(miss: NearMiss) -> bool:
    """A near miss is not proved; whether the bounds' own words show it."""
    result = prove_length(miss.question, miss.length, used=clock(400))
    assert not result.proved
    wrong = {tuple(miss.question.spec.letters[k] for k in row) for row in miss.words.tolist()}
    assert {word for word, _ in result.failing} <= wrong
    return bool(result.failing)


def test_a_specification_that_differs_on_one_word_of_a_trained_model_is_not_proved() -> None:
    rng = np.random.default_rng(0)
    assert all(check(planted_in_spec(rng, n)) for n in (5, 9, 14))


def test_trained_weights_that_were_moved_a_little_too_far_are_not_proved() -> None:
    rng = np.random.default_rng(1)
    assert all(check(planted_in_weights(rng, n)) for n in (4, 6))


@pytest.mark.deep
def test_no_near_miss_is_proved_deep() -> None:
    """A hundred in the specification, at up to 20 letters, and a hundred in the weights."""
    rng = np.random.default_rng(2)
    spec = [check(planted_in_spec(rng, int(rng.integers(4, 21)))) for _ in range(100)]
    weights = [check(planted_in_weights(rng, int(rng.integers(3, 11)))) for _ in range(100)]
    assert (sum(spec), sum(weights)) == (100, 100)


@pytest.mark.parametrize(("name", "n"), [("majority-0", 9), ("ends-with-01-0", 10)])
def test_rounding_that_exceeds_every_margin_leaves_nothing_proved(name: str, n: int) -> None:
    """Also for classes that take over the bound of the class that they are a part of."""
    asked = trained(name)
    assert asked.spec.states is not None
    states = asked.spec.states(n)
    for letter in range(2):
        splitter, findings = Splitter(Tables(asked, n).query(n - 1, letter), states, n), Findings()
        search = Search(
            splitter, demands_of(asked), lambda bounds, demands, which: np.full(len(which), 1e6), findings, clock(12)
        )
        search.run(roots(splitter, np.ones(states.size, bool)))
        assert not findings.proved
        assert not findings.failing
        assert findings.bound - findings.rounding <= 0
