"""The tasks of limits: sequential composition, disjointness, and questions in plain English."""

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.limits.witnesses.check.truths import truth
from capax.tasks import iterated_composition, sequential_composition, set_disjointness, spatial_directions
from capax.tasks import spatial_distances as distances
from capax.tasks.inputs.compass import SIGNS, made_up_names, opposite
from capax.tasks.inputs.sequential_tables import SequentialLayout


@given(st.integers(1, 4), st.lists(st.integers(1, 3), max_size=3), st.integers(0, 2**32))
def test_sequential_composition_by_tables(m: int, queries: list[int], seed: int) -> None:
    """The answer from tables as dictionaries, read off the prompt part by part."""
    text = ",".join(map(str, queries))
    word = sequential_composition.sample(np.random.default_rng(seed), m, text)
    sizes = [m]
    for n in queries:
        sizes.append(sizes[-1] * n)
    rest = list(word)
    tables: dict[int, list[int]] = {}
    for level in range(len(sizes), 0, -1):
        tables[level], rest = rest[: sizes[level - 1]], rest[sizes[level - 1] :]
        assert all(0 <= value < sizes[level - 1] for value in tables[level])
    start, asked = rest[0], rest[1:]
    assert len(asked) == len(queries), "L - 1 queries"
    value = tables[1][start]
    for level, w in enumerate(asked, 1):
        assert 0 <= w < queries[level - 1]
        entries = {
            pair: tables[level + 1][k]
            for k, pair in enumerate(product(range(queries[level - 1]), range(sizes[level - 1])))
        }
        value = entries[w, value]
    assert sequential_composition.reference(word, text) == value
    assert SequentialLayout(m, tuple(queries)).length == len(word)


@given(st.integers(1, 3), st.lists(st.integers(1, 4), min_size=2, max_size=3), st.integers(0, 2**32))
def test_one_token_for_all_queries(m: int, queries: list[int], seed: int) -> None:
    """The same tables with the queries in one token, the last query in its lowest digit, have the same answer."""
    word = sequential_composition.sample(np.random.default_rng(seed), m, ",".join(map(str, queries)))
    joined = 0
    for w, size in zip(word[-len(queries) :], queries, strict=True):
        joined = joined * size + w
    one = [*word[: -len(queries)], joined]
    text = "x".join(map(str, queries))
    assert sequential_composition.reference(one, text) == sequential_composition.reference(
        word, ",".join(map(str, queries))
    )
    layout = sequential_composition.layout_of(m, text)
    assert layout.length == len(one) == len(layout.ranges())
    assert layout.asked(one) == word[-len(queries) :]
    assert truth("sequential-composition", {"n": m, "queries": text}, one, len(one) - 1) == layout.value(one)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32))
def test_equal_queries_are_iterated_composition(m: int, steps: int, choices: int, seed: int) -> None:
    """With queries of one size it is the other task."""
    text = ",".join([str(choices)] * (steps - 1))
    word = sequential_composition.sample(np.random.default_rng(seed), m, text)
    assert word == iterated_composition.sample(np.random.default_rng(seed), m, steps, choices)
    assert sequential_composition.reference(word, text) == iterated_composition.reference(word, steps, choices)


def test_a_prompt_of_another_task_is_refused() -> None:
    """Of a length that no tables have."""
    with pytest.raises(CapaxError) as raised:
        sequential_composition.reference([0, 0, 0, 0, 0, 0], "2")
    assert raised.value.code == "bad-input"


def test_disjointness() -> None:
    """All pairs of sets of four elements, as sets; and both answers are sampled."""
    for word in set_disjointness.every(4):
        first = {i for i in range(4) if word[i]}
        second = {i for i in range(4) if word[4 + i]}
        assert set_disjointness.reference(word) == int(not first.isdisjoint(second))
    random = np.random.default_rng(0)
    found = [set_disjointness.reference(set_disjointness.sample(random, 20)) for _ in range(200)]
    assert 60 < sum(found) < 140


def placements(text: str, reach: int) -> set[str]:
    """Every answer that some placement on a grid gives, where a place fits all facts: the slow definition."""
    facts, (who, whom) = spatial_directions.read(text)
    names = sorted({name for a, _, b in facts for name in (a, b)})
    found = set()
    for places in product(product(range(reach), repeat=2), repeat=len(names)):
        at = dict(zip(names, places, strict=True))
        signs = {
            name: tuple((p > q) - (p < q) for p, q in zip(at[name[0]], at[name[1]], strict=True))
            for name in [(a, b) for a, _, b in facts] + [(who, whom)]
        }
        if all(signs[a, b] == SIGNS[way] for a, way, b in facts):
            found.add(next((way for way, sign in SIGNS.items() if sign == signs[who, whom]), "same place"))
    return found


@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_directions_by_all_placements(seed: int) -> None:
    """Three facts on a grid of four by four: all placements that fit agree with the answer."""
    text = spatial_directions.sample(np.random.default_rng(seed), 2, 2)
    assert placements(text, 3) == {spatial_directions.reference(text, 2)}


def test_directions_that_are_not_said() -> None:
    """Two facts that pull apart leave the answer open, and so does someone of whom nothing is told."""
    apart = "A is to the west of B. C is to the west of B. Where is A with respect to C?"
    assert spatial_directions.reference(apart, 2) == "unknown"
    assert len(placements(apart, 3)) > 1
    assert spatial_directions.reference("A is to the west of B. Where is A with respect to C?", 1) == "unknown"
    example = "Fayes is to the west of Xaive. Jill is to the north of Ken. Fayes is to the south of Ken."
    assert spatial_directions.reference(f"{example} Where is Ken with respect to Xaive?", 2) == "northwest"


@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 2**32))
def test_directions_have_answers(n: int, hops: int, seed: int) -> None:
    """Every sampled question has one; names are used once; the chain of facts gives it again."""
    text = spatial_directions.sample(np.random.default_rng(seed), n, hops)
    assert spatial_directions.reference(text, hops) in SIGNS
    facts, (who, whom) = spatial_directions.read(text)
    assert len(facts) == n
    assert len({name for a, _, b in facts for name in (a, b)}) == n + 1
    steps = {whom: (0, 0)}
    while who not in steps:
        for a, way, b in facts:
            for one, other, to in ((a, b, way), (b, a, opposite(way))):
                if other in steps and one not in steps:
                    steps[one] = (steps[other][0] + SIGNS[to][0], steps[other][1] + SIGNS[to][1])
    east, north = steps[who]
    sign = ((east > 0) - (east < 0), (north > 0) - (north < 0))
    assert SIGNS[spatial_directions.reference(text, hops)] == sign


@given(st.integers(1, 4), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_distances_have_answers(n: int, seed: int) -> None:
    """Every sampled question has one, whichever is named first, and real places agree with it."""
    random = np.random.default_rng(seed)
    text = distances.sample(random, n)
    answer = distances.reference(text)
    asked = re.search(r"Is (\w+) further from (\w+) or (\w+)\?", text)
    assert asked is not None
    assert answer in (asked[2], asked[3])
    who, others = asked[1], {asked[2], asked[3]}
    (near,) = others - {answer}
    told = {(a, b): way for a, way, b in re.findall(r"(\w+) is (?:directly|to the) (\w+) of (\w+)", text)}
    told |= {(b, a): opposite(way) for (a, b), way in told.items()}
    aslant, beyond = SIGNS[told[near, who]], SIGNS[told[answer, near]]
    for _ in range(5):
        x, y, z = (random.uniform(0.1, 9) for _ in range(3))
        there = np.array([aslant[0] * x, aslant[1] * y])
        further = there + z * np.array(beyond)
        assert np.linalg.norm(further) > np.linalg.norm(there)


def test_distances_that_are_not_said() -> None:
    """The third person could be near or far; and the example of the paper."""
    open_ = "Amy is to the southwest of Ben. Cindy is directly south of Ben. Is Amy further from Ben or from Cindy?"
    assert distances.reference(open_) == "unknown"
    said = "Amy is to the southwest of Ben. Cindy is directly north of Ben. Is Amy further from Ben or Cindy?"
    assert distances.reference(said) == "Cindy"
    shared = "If Amy is to the southwest of Ben, Cindy is to the northeast of Amy and directly north of Ben,"
    assert distances.reference(f"{shared} is Amy further from Ben or Cindy?") == "Cindy"
    unbound = "and directly north of Ben. Is Amy further from Ben or Cindy?"  # nobody is told to be there
    assert distances.reference(unbound) == "unknown"


@pytest.mark.parametrize("task", [spatial_directions.TASK, distances.TASK])
def test_another_text_is_refused(task: object) -> None:
    """A text without a question."""
    with pytest.raises(CapaxError) as raised:
        task.answer("nothing to see")  # type: ignore[attr-defined]
    assert raised.value.code == "bad-input"


def test_names_are_used_once() -> None:
    """Thousands of them, the same for the same seed."""
    names = made_up_names(np.random.default_rng(5), 5_000)
    assert len(set(names)) == 5_000
    assert names[:100] == made_up_names(np.random.default_rng(5), 100)
    assert all(re.fullmatch(r"[A-Z][a-z]+", name) for name in names)
