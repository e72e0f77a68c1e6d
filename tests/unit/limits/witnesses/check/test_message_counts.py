"""Whether a witness had to exist, counted by hand and beside the code of the search."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.limits.witnesses.check.message_counts import PARITY, SEQUENTIAL, most_sums, reason, width
from capax.limits.witnesses.models import composition, sparse_averaging
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.limits.witnesses.search.one_query import OneQuery
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.vocabulary import Vocabulary

KINDS = ("softmax", "average-hard", "leftmost-hard", "rightmost-hard")


def system_of(model: Model) -> Integer:
    """The integers of a model."""
    found = parse(model.numbers)
    assert isinstance(found, Integer)
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
    st.sampled_from(["none", "causal", "strict past", "future", "strict future"]),
    st.integers(2, 5),
    st.booleans(),
)
@example(seed=0, kind="softmax", mask="future", n=3, prefix=False)
@example(seed=1, kind="softmax", mask="strict future", n=4, prefix=True)
def test_messages_are_counted_as_the_search_does(seed: int, kind: Any, mask: Any, n: int, prefix: bool) -> None:
    """The same bits and the same bound, by other code: for all kinds of heads, masks, and a prefix."""
    shape = ToyShape(heads=1 + seed % 2, dim=1 + seed % 3, width=3, hidden=2, attention=kind, mask=mask)
    model = random_model(shape, range(n), range(n), 2 * n + 3, seed, None)
    model = replace(model, prefix=(0,), max_length=2 * n + 2) if prefix else model
    x = seed % n
    query = OneQuery(model, tuple(range(n, 2 * n)), (tuple(range(n)),) * n, x, 2 * n, 2 * n + 1)
    choices, word = {at: list(range(n)) for at in range(n, 2 * n)}, [*[0] * (2 * n), x]
    assert width(model, system_of(model), n, 2 * n + 1) == query.width
    bound = most_sums(model, system_of(model), choices, word)
    assert bound == (query.additive().most_messages if kind == "softmax" else None)
    if bound is not None and n < 5:
        rows = np.array(np.meshgrid(*[range(n)] * n)).reshape(n, -1).T
        assert len({message.tobytes() for message in query.messages(rows)}) <= bound


def test_widths_by_hand() -> None:
    """H (d (PW + PV + log n) + PW + 1 + log n) for softmax; scores, counts and positions for hard heads."""
    soft = composition.random_layers(4, ToyShape(heads=2, dim=3, numbers="integer:8,4,5"), 0)
    assert width(soft, system_of(soft), 4, 9) == 2 * (3 * (4 + 5 + 2) + 4 + 1 + 2)
    assert width(soft, system_of(soft), 5, 9) == 2 * (3 * (4 + 5 + 3) + 4 + 1 + 3)
    assert width(soft, system_of(soft), 1, 9) == 2 * (3 * (4 + 5) + 4 + 1)
    for kind, more in (("average-hard", 0), ("leftmost-hard", 4), ("rightmost-hard", 4)):
        hard = composition.random_layers(4, ToyShape(heads=1, dim=3, attention=kind, numbers="integer:8,4,5"), 0)
        head = hard.blocks[0].heads[0]
        assert head.scale == 1
        score = 2 * 7 + 1 + 2 + 2
        assert width(hard, system_of(hard), 4, 9) == 3 * (5 + 2) + 3 + score + more
        assert width(hard, system_of(hard), 4, 15) == 3 * (5 + 2) + 3 + score + more
        assert width(hard, system_of(hard), 4, 16) == 3 * (5 + 2) + 3 + score + more + (more > 0)


def test_a_reason_for_each_task() -> None:
    """Who speaks, how many bits a message has, and what is said of it."""
    model = random_model(ToyShape(dim=1), range(49), (0, 1), 13, 0, None)
    system = system_of(model)
    found = reason(model, system, "composition", {"n": 6}, [0] * 13)
    assert found.sender == [6, 7, 8, 9, 10, 11]
    assert found.message_bits == (4 + 4 + 3) + 4 + 1 + 3
    found = reason(model, system, "match3", {"n": 6, "modulus": 48}, [12, 48, 48, 48, 48, 48, *[48] * 6, 1])
    assert found.sender == [0, 1, 2, 3, 4, 5]
    assert "Alice's set can be 6.0 bits" in found.why
    found = reason(model, system, "parity", {"n": 6}, [0] * 6)
    assert (found.guaranteed, found.why, found.sender) == (False, PARITY, [0, 1, 2, 3, 4])
    assert found.message_bits == width(model, system, 5, 6)
    found = reason(model, system, "sequential-composition", {"n": 2, "queries": "3,2"}, [])
    assert (found.guaranteed, found.why, found.message_bits) == (False, SEQUENTIAL, None)
    assert found.sender == list(range(12))
    assert reason(model, system, "sequential-composition", {"n": 2, "queries": ""}, []).sender == [0, 1]


@pytest.mark.parametrize(("bits", "guaranteed"), [(2, True), (3, False), (4, False)])
def test_more_inputs_than_messages(bits: int, guaranteed: bool) -> None:
    """Eight sets and a message of two bits: two have to share one; of three bits, nothing is said."""
    tokens = ["-e1 0,1", "-e1 0,2", "-e1 0,3", "-e1 1,2", "-e1 1,3", "-e1 2,3"]
    others = ["-e1 1,0", "-e1 00,1", "-e1 0,4", "-e1 0,0", "+e1 0,1", "-e1 0", "-e1 0,1,2", "-e2 0,1", "-e1 a,1", "x"]
    base = sparse_averaging.random_keys(2, 1, 1, 0)
    vocabulary = Vocabulary((*tokens, *others))
    model = replace(base, vocabulary=vocabulary, embedding=np.zeros((16, base.width), base.embedding.dtype))
    system = replace(system_of(model), bits=bits)
    narrow = replace_width(model)
    found = reason(narrow, system, "sparse-averaging", {"q": 2}, [])
    assert found.guaranteed == guaranteed
    assert found.message_bits == bits
    assert found.sender == [4]
    said = f"the set that the last token names can be 2.6 bits, and {'all that' if guaranteed else 'a message'}"
    assert said in found.why


def test_a_set_names_no_position_twice() -> None:
    """A token that repeats one, wherever, names no set of three: there are two sets here, and so one bit."""
    tokens = ["-e1 0,1,2", "-e1 1,2,3", "-e1 0,0,1", "-e1 0,1,1", "-e1 1,1,0", "-e1 2,2,2"]
    base = sparse_averaging.random_keys(3, 1, 1, 0)
    model = replace(
        base, vocabulary=Vocabulary(tuple(tokens)), embedding=np.zeros((6, base.width), base.embedding.dtype)
    )
    found = reason(replace_width(model), system_of(model), "sparse-averaging", {"q": 3}, [])
    assert "the set that the last token names can be 1.0 bits" in found.why


def replace_width(model: Model) -> Any:
    """Something of width 1 with the vocabulary of a model."""

    class One:
        width, vocabulary = 1, model.vocabulary

    return One()


def test_no_set_at_all_is_one_input() -> None:
    model = random_model(ToyShape(), range(3), range(3), 3, 0, None)
    found = reason(model, system_of(model), "sparse-averaging", {"q": 1}, [])
    assert not found.guaranteed
    assert "can be 0.0 bits" in found.why
