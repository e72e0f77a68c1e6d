"""Training data: batches agree with the tasks' definitions and follow from the seed; selectors give the answers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import tasks
from capax.formal.languages.catalogue import language
from capax.lab.attention_targets import program_of, target_weights
from capax.lab.data import Data
from capax.lab.settings import Settings
from capax.tasks.base.training import IGNORE

SEEDS = st.integers(0, 1_000)


def one_length(name: str, n: int, **more: Any) -> Settings:
    """Settings with words of one length."""
    return Settings(task=name, min_length=n, max_length=n, **more)


def words_and_answers(found: Settings, count: int = 6) -> list[tuple[list[Any], list[Any]]]:
    """Words of a training step as tokens, with their answers (None where nothing is asked)."""
    data = Data(found)
    batch = data.batch(0, 0, count, found.max_length)
    outputs = data.vocabularies.outputs
    answers = [[None if k == IGNORE else outputs[k] for k in row] for row in batch.answers]
    return [(data.tokens(batch, row), answers[row][: len(data.tokens(batch, row))]) for row in range(count)]


@pytest.mark.parametrize("name", ["reverse", "histogram", "double-histogram", "sort", "most-frequent"])
@given(n=st.integers(1, 9), symbols=st.integers(2, 60), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_letter_tasks_answer_at_every_position(name: str, n: int, symbols: int, seed: int) -> None:
    """Answers at every place, as the task defines them."""
    for word, answers in words_and_answers(one_length(name, n, seed=seed, parameters={"symbols": symbols})):
        assert answers == tasks.task(name).answer(word, symbols=symbols)


@given(n=st.integers(1, 10), kinds=st.integers(1, 3), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_dyck_batches_agree_with_the_task(n: int, kinds: int, seed: int) -> None:
    """Balanced prefixes, by taking pairs away; and the library's program says the same."""
    found = one_length("dyck", n, seed=seed, parameters={"kinds": kinds})
    program = program_of(str(found.training.program(found.parameters, False)))
    for word, answers in words_and_answers(found):
        assert answers == tasks.task("dyck").answer(word, kinds=kinds) == list(program(word))


@pytest.mark.parametrize("name", ["match2", "match3"])
@given(n=st.integers(1, 8), modulus=st.integers(2, 12), rate=st.sampled_from([-1.0, 0.3]), seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_match_batches_agree_with_the_task(name: str, n: int, modulus: int, rate: float, seed: int) -> None:
    """Sums modulo M, as the task defines them."""
    parameters = {"modulus": modulus, "rate": rate, "rounds": 5}
    for word, answers in words_and_answers(one_length(name, n, seed=seed, parameters=parameters)):
        assert answers == tasks.task(name).answer(word, modulus=modulus)


def test_residues_reach_their_rate() -> None:
    """Both tasks have the wanted share of matches at one modulus, which uniform words have not."""
    for name in ("match2", "match3"):
        for rate in (0.3, 0.5):
            batch = Data(one_length(name, 12, parameters={"modulus": 31, "rate": rate})).batch(0, 0, 400, 12)
            assert abs(batch.answers.mean() - rate) < 0.05


@given(m=st.integers(1, 6), functions=st.integers(1, 3), thoughts=st.booleans(), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_composition_batches_agree_with_the_task(m: int, functions: int, thoughts: bool, seed: int) -> None:
    """The last answer is the task's; with thoughts every answer but the last is the next token."""
    parameters = {"functions": functions, "thoughts": thoughts}
    found = one_length("composition", m, seed=seed, parameters=parameters)
    assert found.mask == ("causal" if thoughts else "none")
    for word, answers in words_and_answers(found):
        prompt = word[: functions * m + 1]
        assert answers[-1] == tasks.task("composition").answer(prompt, functions=functions)
        steps = answers[functions * m :]
        assert word[functions * m + 1 :] == steps[:-1]
        assert answers[: functions * m] == [None] * (functions * m)


@given(n=st.integers(1, 9), symbols=st.integers(2, 5), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_index_lookup_batches_agree_with_the_task(n: int, symbols: int, seed: int) -> None:
    """One answer, at the index."""
    for word, answers in words_and_answers(one_length("index-lookup", n, seed=seed, parameters={"symbols": symbols})):
        assert answers == [None] * n + [tasks.task("index-lookup").answer(word, symbols=symbols)]


@pytest.mark.parametrize("name", ["parity", "majority", "dyck-1", "dyck-2", "mod-3"])
def test_language_batches_have_both_answers(name: str) -> None:
    """One answer, at the last place; both classes are there; the programs that are compiled say the same."""
    found = one_length("language", 8, parameters={"name": name})
    program = found.training.program(found.parameters, False)
    seen = set()
    for word, answers in words_and_answers(found, 60):
        right = language(name).accepts(word)
        assert answers == [None] * (len(word) - 1) + [right]
        seen.add(right)
        if program is not None:
            assert program_of(program)(word)[-1] == right
    assert seen == {False, True}


@given(order=st.integers(1, 3), rank=st.integers(0, 2), seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_next_token_targets_are_those_of_the_model(order: int, rank: int, seed: int) -> None:
    """Inputs are the word after a start token; targets are what the n-gram model says after each prefix."""
    from capax.tasks.next_token import model_of

    parameters = {"order": order, "symbols": 3, "rank": rank, "table": seed}
    data = Data(one_length("next-token", 5, parameters=parameters))
    batch = data.batch(0, 0, 4, 5)
    assert batch.targets is not None
    for row in range(4):
        word = data.tokens(batch, row)
        assert word[0] == "<s>"
        wanted = model_of(order, 3, 0.0, rank, seed).conditionals(word[1:])
        assert np.allclose(batch.targets[row], wanted)


def test_next_tokens_are_drawn_from_the_model() -> None:
    """The frequencies of the first answer are the probabilities of the first row."""
    data = Data(one_length("next-token", 2, parameters={"order": 2, "symbols": 3}))
    batch = data.batch(0, 0, 20_000, 2)
    assert batch.targets is not None
    for place in (0, 2):
        drawn = np.bincount(batch.answers[:, place], minlength=4) / 20_000
        assert np.allclose(drawn, batch.targets[:, place].mean(axis=0), atol=0.015)


@given(n=st.integers(1, 7), q=st.integers(1, 4), dimension=st.integers(1, 3), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_averaging_targets_are_means(n: int, q: int, dimension: int, seed: int) -> None:
    """The mean of the vectors at the places that are named."""
    found = one_length("q-sparse-averaging", n, seed=seed, parameters={"q": q, "dimension": dimension})
    batch = Data(found).batch(0, 0, 3, n)
    assert batch.targets is not None
    for row in range(3):
        z, named = batch.inputs[row, :, :dimension], batch.inputs[row, :, dimension:]
        word = [(tuple(z[i]), tuple(np.flatnonzero(named[i]).tolist())) for i in range(n)]
        wanted = tasks.task("q-sparse-averaging").answer(word, q=min(q, n), dimension=dimension)
        assert np.allclose(batch.targets[row], wanted)
        assert np.allclose(np.linalg.norm(z, axis=1), 1)


@pytest.mark.parametrize("marks", ["none", "bos", "eos", "both"])
def test_marks_are_not_scored(marks: str) -> None:
    """Tokens before and after each word, where nothing is asked."""
    plain = words_and_answers(one_length("reverse", 4))
    marked = words_and_answers(one_length("reverse", 4, marks=marks))
    before, after = marks in ("bos", "both"), marks in ("eos", "both")
    for (word, answers), (longer, more) in zip(plain, marked, strict=True):
        assert longer == ["§"] * before + word + ["$"] * after
        assert more == [None] * before + answers + [None] * after


@pytest.mark.parametrize("name", tasks.trainable())
def test_a_batch_follows_from_the_seed(name: str) -> None:
    """The same settings give the same words; another seed or step gives others."""
    one, two = (Data(one_length(name, 6, seed=seed)) for seed in (1, 2))
    same = Data(one_length(name, 6, seed=1))
    assert np.array_equal(one.step(5)[0].inputs, same.step(5)[0].inputs)
    assert not np.array_equal(one.step(5)[0].inputs, one.step(6)[0].inputs)
    assert not np.array_equal(one.step(5)[0].inputs, two.step(5)[0].inputs)


@given(words=st.integers(1, 60), batch=st.integers(1, 16), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_an_epoch_has_every_word_once(words: int, batch: int, seed: int) -> None:
    """A training set of a given size: its batches have one length each, and an epoch goes through all of it."""
    data = Data(Settings(task="reverse", max_length=4, words=words, batch=batch, seed=seed))
    total, step = 0, 0
    while total < words:
        (found,) = data.step(step)
        assert len(found.inputs) <= batch
        total, step = total + len(found.inputs), step + 1
    assert total == words
    again = [data.step(step + k)[0].inputs.tolist() for k in range(step)]
    first = [data.step(k)[0].inputs.tolist() for k in range(step)]
    assert sorted(row for part in again for row in part) == sorted(row for part in first for row in part)


@settings(max_examples=25)
@given(words=st.integers(1, 60), batch=st.integers(1, 9), lengths=st.integers(2, 5), seed=SEEDS)
def test_a_step_of_several_batches_reads_the_next_ones(words: int, batch: int, lengths: int, seed: int) -> None:
    """In steps of several lengths the training set is read in the order that it has in steps of one."""
    one = Settings(task="reverse", max_length=6, words=words, batch=batch, seed=seed)
    each, together = Data(one), Data(replace(one, lengths=lengths))
    for step in range(4):
        found = together.step(step)
        assert len(found) == lengths
        for k, part in enumerate(found):
            assert part.inputs.tolist() == each.step(step * lengths + k)[0].inputs.tolist()


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_lengths_of_a_step_are_drawn_in_proportion_to_their_power(power: float) -> None:
    """Over many steps, the share of each length is its power over the sum of all powers, up to chance."""
    data = Data(Settings(task="reverse", min_length=2, max_length=6, lengths=16, length_power=power, batch=1))
    steps = [data.step(number) for number in range(250)]
    assert {len(step) for step in steps} == {16}
    drawn = np.array([batch.inputs.shape[1] for step in steps for batch in step])
    shares = np.array([n**power for n in range(2, 7)]) / sum(n**power for n in range(2, 7))
    assert np.allclose([(drawn == n).mean() for n in range(2, 7)], shares, atol=0.03)
    words = [tuple(batch.inputs[0]) for batch in steps[0] if batch.inputs.shape[1] > 4]
    assert len(set(words)) == len(words)  # batches of one length in one step have words of their own


def test_the_longest_words_of_a_step_grow() -> None:
    """In the first half of the steps, from the least length to the greatest; after that all lengths are drawn."""
    data = Data(Settings(task="reverse", min_length=2, max_length=10, lengths=40, growth=0.5, steps=80, batch=1))
    longest = [max(batch.inputs.shape[1] for batch in data.step(number)) for number in (0, 10, 20, 39, 40, 79)]
    assert longest == [2, 4, 6, 9, 10, 10]


def test_training_may_begin_with_shorter_words_than_the_test_has() -> None:
    """From the length that is named; checks and tests keep to their own."""
    data = Data(Settings(task="reverse", min_length=5, max_length=6, train_from=2, lengths=60, growth=0.5, steps=8))
    drawn = [{batch.inputs.shape[1] for batch in data.step(number)} for number in (0, 2, 7)]
    assert drawn == [{2}, {2, 3, 4}, {2, 3, 4, 5, 6}]
    assert {n for n, _ in data.tests()} == {batch.inputs.shape[1] for batch in data.checks()} == {5, 6}


def test_a_curriculum_over_the_values_of_composition() -> None:
    """With few of them reached, x and f's values are below the length, and no position moves."""
    data = Data(one_length("composition", 6, train_from=2, parameters={"few": True, "domain": 6, "queries": 3}))
    for n in (2, 6):
        inputs = data.batch(0, 0, 200, n).inputs
        assert inputs.shape[1] == 2 * 6 + 3
        assert set(inputs[:, :6].flat) == set(inputs[:, 12:].flat) == set(range(n))
        assert set(inputs[:, 6:12].flat) == set(range(6))


def test_fixed_points_of_composition_go_as_words_grow() -> None:
    """A share 1 - n / m of the values of both functions on words of length n; at the whole domain what chance gives."""
    parameters = {"fixed_points": True, "domain": 8, "queries": 4}
    data = Data(one_length("composition", 8, train_from=2, parameters=parameters))
    for n in (2, 6, 8):
        batch = data.batch(0, 0, 2000, n)
        tables, points = batch.inputs[:, :16].reshape(2000, 2, 8), batch.inputs[:, 16:]
        share = 1 - n / 8
        own = (tables == np.arange(8)).mean(axis=(0, 2))
        assert np.allclose(own, share + (1 - share) / 8, atol=0.02)
        assert set(points.flat) == set(range(8))
        between = np.take_along_axis(tables[:, 0], points, axis=1)
        assert (np.take_along_axis(tables[:, 1], between, axis=1) == batch.answers[:, 16:]).all()
    plain = Data(one_length("composition", 8, parameters={"domain": 8, "queries": 4}))
    assert (plain.batch(0, 0, 50, 8).inputs == data.batch(0, 0, 50, 8).inputs).all()


@given(m=st.integers(1, 6), queries=st.integers(1, 5), thoughts=st.booleans(), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_several_points_have_their_answers(m: int, queries: int, thoughts: bool, seed: int) -> None:
    """After the tables of composition each point x is followed by its values but the last, where they are thoughts."""
    parameters = {"queries": queries, "thoughts": thoughts}
    for word, answers in words_and_answers(one_length("composition", m, seed=seed, parameters=parameters)):
        tables, rest, own = word[: 2 * m], word[2 * m :], answers[2 * m :]
        size = 2 if thoughts else 1
        assert len(rest) == len(own) == size * queries
        for k in range(0, size * queries, size):
            assert own[k + size - 1] == tasks.task("composition").answer([*tables, rest[k]])
            assert rest[k + 1 : k + size] == own[k : k + size - 1] == [tables[rest[k]]] * (size - 1)


def test_attention_targets_point_at_the_answer() -> None:
    """The last selector of a program points at the answer, on words with and without marks."""
    for name in ("reverse", "sort", "most-frequent"):
        for marks in ("none", "bos", "eos", "both"):
            data = Data(one_length(name, 7, marks=marks))
            batch = data.batch(0, 0, 5, 7)
            target = data.settings.training.attention_targets(data.settings.parameters, data.settings.has_bos)[-1]
            for row, matrix in enumerate(target_weights(data, batch, target)):
                for place, answer in enumerate(batch.answers[row]):
                    if answer == IGNORE:
                        continue
                    chosen = np.flatnonzero(matrix[place])
                    wanted = data.vocabularies.outputs[answer]
                    seen = [data.vocabularies.inputs[int(batch.inputs[row, k])] for k in chosen]
                    assert seen == ([] if wanted == "§" else [wanted])
