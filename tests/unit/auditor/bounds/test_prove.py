"""All words of a length, proved or refuted, against running every word."""

from dataclasses import replace

import numpy as np
import pytest

from capax.auditor.bounds import prove
from capax.auditor.bounds.prove import LengthBound, _extended, _goes_on, demands_of, prove_length, unsupported
from capax.auditor.question import READS, Question
from capax.auditor.spec import SpecStates
from tests.support.audited import Kind, asked, random_kind, random_model, random_states, true_margins


def limited(nodes: int) -> "Limit":
    """A limit of so many looks at the time."""
    return Limit(nodes)


class Limit:
    """The share of a number of looks that has been used; nothing reads a clock."""

    def __init__(self, looks: int) -> None:
        self.looks, self.seen = looks, 0

    def __call__(self) -> float:
        self.seen += 1
        return self.seen / self.looks


def check(question: Question, n: int, looks: int = 60) -> LengthBound:
    """Compares a result with what is true of every word."""
    result = prove_length(question, n, used=limited(looks), slices_first=n % 2 == 0)
    truth = true_margins(question, n)
    least = min(truth.values(), default=np.inf)
    assert result.bound <= least + 1e-9
    assert result.margin >= least - 1e-9
    if result.word is not None:
        assert result.position is not None
        assert truth[result.word, result.position] == pytest.approx(result.margin, abs=1e-8)
    for word, position in result.failing:
        assert truth[word, position] <= 1e-9
    if result.proved:
        assert result.bound > 1e-9
        assert np.isfinite(result.rounding)
    return result


def random_check(rng: np.random.Generator, n: int) -> LengthBound:
    """One random question: the model's own answers on most words, so that some are proved."""
    kind = random_kind(rng)
    read = list(READS)[rng.integers(3)]
    states = random_states(rng, kind.letters)
    model = random_model(rng, kind)
    bias = np.asarray(model.readout.map.bias) + np.array([0.0, rng.choice([-4.0, 0.0, 4.0])])
    readout = replace(model.readout, map=replace(model.readout.map, bias=bias))
    return check(asked(replace(model, readout=readout), states, read, signs=bool(rng.integers(2))), n)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_every_word(seed: int) -> None:
    """Random models of every kind, automata with dead ends, every way of reading: 0 violations, and some proofs."""
    rng = np.random.default_rng(seed)
    results = [random_check(rng, n) for n in (1, 2, 3, 4, 4, 4)]
    assert any(result.proved or result.failing for result in results)


@pytest.mark.deep
def test_bounds_hold_for_every_word_deep() -> None:
    """Three hundred random questions."""
    rng = np.random.default_rng(100)
    results = [random_check(rng, int(rng.integers(1, 6))) for _ in range(300)]
    assert sum(result.proved for result in results) > 20


def own_answers(model_seed: int, n: int, heads: int = 1) -> tuple[Question, dict[str, float]]:
    """A model and a specification of its own answers on all words of n letters: a tree of prefixes."""
    model = random_model(np.random.default_rng(model_seed), Kind(heads=heads))
    size = 2 ** (n + 1) - 1
    step = np.array([[2 * k + 1, 2 * k + 2] if 2 * k + 2 < size else [-1, -1] for k in range(size)])
    states = SpecStates(step, 0, np.full(size, 0))
    question = asked(model, states, "last")
    truth = {"".join(map(str, word)): -margin for (word, _), margin in true_margins(question, n).items()}
    answer = np.full(size, -1)
    for word, logit in truth.items():
        answer[states.after(["ab".index(x) for x in word])] = int(logit > 0)
    return asked(model, SpecStates(step, 0, answer), "last"), truth


@pytest.mark.parametrize("heads", [1, 2])
def test_a_specification_that_differs_on_one_word_is_never_proved(heads: int) -> None:
    """The model's own answers are proved; with one of them flipped, the word is found."""
    n = 4
    for seed in range(3):
        question, truth = own_answers(seed, n, heads)
        right = check(question, n, looks=10_000)
        assert right.proved
        assert right.words == 2**n
        assert question.spec.states is not None
        states = question.spec.states(n)
        for word in sorted(truth)[:: 5 - heads]:
            answer = states.answer.copy()
            state = states.after(["ab".index(x) for x in word])
            answer[state] = 1 - answer[state]
            wrong = check(asked(question.model, replace(states, answer=answer), "last"), n, looks=10_000)
            assert not wrong.proved
            assert [("".join(map(str, w)), p) for w, p in wrong.failing] == [(word, n - 1)]


def test_the_bound_is_below_the_margin_of_every_word_whatever_the_roundings_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the class with the least left after rounding is the one with the greatest margins."""
    monkeypatch.setattr(
        prove,
        "class_rounding",
        lambda result, demands, which, errors: result.bound[which] - 1e-3 / (1 + result.bound[which]),
    )
    for seed in range(3):
        question, _ = own_answers(seed, 4)
        assert check(question, 4, looks=10_000).proved


def test_weights_that_were_edited_are_never_proved() -> None:
    """A model whose readout is moved until its least margin is just below 0."""
    n = 4
    for seed in range(4):
        question, truth = own_answers(seed, n)
        least = min(truth.items(), key=lambda item: abs(item[1]))
        sign = 1.0 if least[1] > 0 else -1.0
        bias = np.asarray(question.model.readout.map.bias) + np.array([sign * (abs(least[1]) + 1e-4), 0.0])
        readout = replace(question.model.readout, map=replace(question.model.readout.map, bias=bias))
        edited = replace(question, model=replace(question.model, readout=readout))
        result = check(edited, n, looks=10_000)
        assert not result.proved
        assert result.failing


def test_time_that_is_used_up_leaves_the_length_unproved() -> None:
    """With no time at all nothing is claimed."""
    question, _ = own_answers(0, 4)
    result = prove_length(question, 4, used=lambda: 1.0)
    assert not result.proved
    assert result.bound == -np.inf


def test_a_longer_majority_is_proved_and_a_shifted_one_refuted() -> None:
    """A head that averages, without norm: exact counts decide all words of 21 letters."""
    rng = np.random.default_rng(0)
    model = random_model(rng, Kind(norm=None, prefix=False), width=2, hidden=2)
    zero = np.zeros((2, 2))
    head = model.blocks[0].heads[0]
    flat = replace(head.query, weight=np.zeros((2, 3)), bias=np.zeros(3))
    heads = replace(head, query=flat, value=replace(head.value, weight=np.eye(2), bias=np.zeros(2)), output=np.eye(2))
    mlp = model.blocks[0].mlp
    assert mlp is not None
    maps = tuple(replace(m, weight=zero, bias=np.zeros(2)) for m in mlp.maps)  # type: ignore[union-attr]
    block = replace(model.blocks[0], heads=(heads,), mlp=replace(mlp, maps=maps), bias=np.zeros(2))  # type: ignore[type-var]
    embedding = np.zeros_like(model.embedding)
    embedding[1, 0] = 1.0
    readout = replace(model.readout, map=replace(model.readout.map, weight=np.array([[-1.0, 1.0], [0, 0]])))
    readout = replace(readout, map=replace(readout.map, bias=np.array([0.5, -0.5])))
    table = np.zeros((40, 2))
    parts = {"embedding": embedding, "blocks": (block,), "readout": readout, "max_length": 30}
    model = replace(model, positions=replace(model.positions, table=table), **parts)  # type: ignore[arg-type]
    n = 21
    # At the end marker the stream is the mean of ones alone.
    for threshold, proved in ((n // 2 + 1, True), (n // 2 + 2, False)):
        step = np.array([[k, min(k + 1, n + 1)] for k in range(n + 2)])
        states = SpecStates(step, 0, (np.arange(n + 2) >= threshold).astype(np.int64))
        question = asked(model, states, "end")
        middle = replace(readout.map, bias=np.array([11.0, -11.0]) / (n + 1) * 0.954545)
        question = replace(question, model=replace(model, readout=replace(readout, map=middle)))
        result = prove_length(question, n, used=limited(10_000))
        assert result.proved == proved
        assert bool(result.failing) != proved
        assert result.words == 2**n


def test_parts_that_are_not_supported_are_named() -> None:
    """Hard attention, two layers, other number systems, and specifications without states."""
    model = random_model(np.random.default_rng(0), Kind())
    states = random_states(np.random.default_rng(0), 2)
    question = asked(model, states, "last")
    assert unsupported(question) is None
    hard = replace(model.blocks[0].heads[0], attention="average-hard")  # type: ignore[type-var]
    block = replace(model.blocks[0], heads=(hard,))
    for other, named in (
        (replace(model, blocks=(block,)), "average-hard"),
        (replace(model, blocks=model.blocks * 2), "2 attention layers"),
        (replace(model, numbers="bfloat16"), "bfloat16"),
    ):
        assert named in (unsupported(replace(question, model=other)) or "")
    assert "without states" in (unsupported(replace(question, spec=replace(question.spec, states=None))) or "")


DEAD = SpecStates(np.array([[1, 2], [1, -1], [-1, -1]]), 0, np.array([1, 1, 0]))
"""After b no word goes on; there alone the answer is no."""


def test_words_that_do_not_go_on_are_not_asked_about() -> None:
    """A model that always says yes is right on all words of two letters, at each position; at one letter it is not."""
    model = random_model(np.random.default_rng(0), Kind())
    always = replace(model.readout.map, weight=np.zeros((5, 2)), bias=np.array([0.0, 1.0]))
    question = asked(replace(model, readout=replace(model.readout, map=always)), DEAD, "each")
    result = check(question, 2, looks=1000)
    assert result.proved
    assert (result.words, result.margin) == (1, pytest.approx(1.0))
    wrong = check(question, 1, looks=1000)
    assert wrong.failing == ((("b",), 0),)
    assert _goes_on(DEAD, 0).tolist() == [True, True, True]
    assert _goes_on(DEAD, 1).tolist() == _goes_on(DEAD, 3).tolist() == [True, True, False]


def test_a_word_is_extended_to_one_that_the_specification_is_about() -> None:
    """By the first letters that lead on: not by a, which leads to a dead end later."""
    states = SpecStates(np.array([[1, 2], [3, -1], [-1, 2], [-1, -1]]), 0, np.zeros(4, np.int64))
    assert _extended(states, [], 2) == [0, 0]
    assert _extended(states, [], 3) == [1, 1, 1]
    assert _extended(states, [1], 1) == [1]
    assert _extended(states, [0], 2) == [0, 0]


def test_answers_have_as_many_rows_as_the_one_with_most_and_none_without_answers() -> None:
    """Rows that are left over are zero, with a constant that anything satisfies."""
    model = random_model(np.random.default_rng(0), Kind())
    question = asked(model, random_states(np.random.default_rng(0), 2), "last")
    demands = demands_of(question)
    parts = [question.decode.requirement(answer) for answer in question.spec.answers or ()]
    for k, part in enumerate(parts):
        assert np.array_equal(demands.rows[k, : len(part.rows)], part.rows)
        assert np.isposinf(demands.constants[k, len(part.rows) :]).all()
    none = demands_of(replace(question, spec=replace(question.spec, answers=())))
    assert none.rows.shape == (0, 0, 2)
    assert none.constants.shape == (0, 0)
