"""Measures by their definitions: accuracies, divergence, agreement, bits and probes."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.lab.data import Data
from capax.lab.measure.measure_network import (
    agreement,
    agreement_now,
    base_rate,
    heads,
    measure_json,
    quantised,
    rounded,
)
from capax.lab.measure.probe import _read, probes
from capax.lab.measure.score import score_batch
from capax.lab.settings import Settings
from capax.lab.train.make import make_net, tensors

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like


def tiny(task: str, **more: Any) -> Settings:
    """Small settings."""
    return Settings(task=task, **({"max_length": 5, "width": 8, "check_words": 20, "test_words": 30} | more))


@given(seed=st.integers(0, 50), marks=st.sampled_from(["none", "bos"]))
@settings(max_examples=10, deadline=None)
def test_accuracies_word_by_word(seed: int, marks: str) -> None:
    """Tokens that are right, and words whose every answer is."""
    found = tiny("reverse", seed=seed, marks=marks, parameters={"symbols": 2})
    net, batch = make_net(found), Data(found).batch(0, 0, 9, 3)
    with torch.no_grad():
        best = net(*tensors(batch))[0].argmax(dim=2).numpy()
    pairs = [[(b, a) for b, a in zip(best[r], batch.answers[r], strict=True) if a >= 0] for r in range(9)]
    got = score_batch(net, found, batch).to_json("classes")
    flat = [b == a for row in pairs for b, a in row]
    assert got["token_accuracy"] == pytest.approx(np.mean(flat))
    assert got["sequence_accuracy"] == pytest.approx(np.mean([all(b == a for b, a in row) for row in pairs]))


def test_divergence_by_definition() -> None:
    """KL from the truth to the network, place by place."""
    found = tiny("next-token", min_length=4, max_length=4, parameters={"symbols": 3, "order": 2, "zeros": 0.3})
    net, batch = make_net(found), Data(found).batch(0, 0, 5, 4)
    assert batch.targets is not None
    with torch.no_grad():
        q = net(*tensors(batch))[0].double().softmax(dim=2).numpy()
    total = 0.0
    for p, own in zip(batch.targets.reshape(-1, 4), q.reshape(-1, 4), strict=True):
        total += sum(a * np.log(a / b) for a, b in zip(p, own, strict=True) if a > 0)
    assert score_batch(net, found, batch).to_json("distribution")["kl"] == pytest.approx(total / 25, rel=1e-5)


def test_vectors_by_definition() -> None:
    """The mean squared distance."""
    found = tiny("q-sparse-averaging", min_length=5)
    net, batch = make_net(found), Data(found).batch(0, 0, 4, 5)
    with torch.no_grad():
        made = net(*tensors(batch))[0].double().numpy()
    assert batch.targets is not None
    wanted = np.mean(
        [np.sum((a - b) ** 2) for a, b in zip(made.reshape(20, -1), batch.targets.reshape(20, -1), strict=True)]
    )
    assert score_batch(net, found, batch).to_json("vectors")["error"] == pytest.approx(wanted, rel=1e-5)


def test_agreement_of_attention_weights() -> None:
    """1 for equal weights, 0 for weights apart, a half between; rows that select nothing do not count."""
    one = np.array([[[1.0, 0.0], [0.0, 0.0]]])
    assert agreement(one, np.array([[[1.0, 0.0], [0.3, 0.7]]])) == 1
    assert agreement(one, np.array([[[0.0, 1.0], [0.3, 0.7]]])) == 0
    assert agreement(one, np.array([[[0.5, 0.5], [0.3, 0.7]]])) == 0.5


def test_everything_is_measured() -> None:
    """Lengths of training and beyond, heads with two maps of one size, and plain data alone."""
    import json

    found = tiny("double-histogram", heads=2, long_length=8, marks="bos")
    result = measure_json(make_net(found), found)
    assert set(result["by_length"]) == {str(n) for n in range(1, 9)}
    parts = [result["by_length"][str(n)]["token_accuracy"] for n in (6, 7, 8)]
    assert min(parts) <= result["longer_token_accuracy"] <= max(parts)
    assert [(h["layer"], h["head"]) for h in result["heads"]] == [(1, 1), (1, 2), (2, 1)]
    for head in result["heads"]:
        assert np.array(head["program_map"]).shape == np.array(head["learned_map"]).shape == (6, 6)
        assert head["best_agreement"] >= head["agreement"]
    assert json.loads(json.dumps(result)) == result


def test_base_rate_of_answers() -> None:
    """The share of the commonest answer among those that are asked."""
    found = tiny("language", parameters={"name": "parity"})
    batches = [Data(found).batch(0, 0, 30, 4)]
    answers = [a for a in batches[0].answers.ravel().tolist() if a >= 0]
    assert base_rate(batches) == max(answers.count(0), answers.count(1)) / len(answers)
    assert base_rate([]) is None


def test_a_head_that_is_the_pattern_agrees() -> None:
    """The named places of sparse averaging, against random heads: between 0 and 1, and none without heads."""
    found = tiny("q-sparse-averaging", min_length=5)
    value = agreement_now(make_net(found), Data(found))
    assert value is not None
    assert 0 < value < 1
    lstm = tiny("q-sparse-averaging", min_length=5, net="lstm")
    assert agreement_now(make_net(lstm), Data(lstm)) is None
    assert heads(make_net(lstm), Data(lstm)) == []


@given(bits=st.integers(2, 8))
@settings(max_examples=7, deadline=None)
def test_rounded_weights_have_few_values(bits: int) -> None:
    """At most 2^bits - 1 in each tensor, each nearest to the weight; the network itself stays."""
    net = make_net(tiny("reverse"))
    before = [p.detach().clone() for p in net.parameters()]
    few = rounded(net, bits)
    for old, new in zip(before, few.parameters(), strict=True):
        assert len(new.unique()) <= 2**bits - 1
        step = float(old.abs().max()) / (2 ** (bits - 1) - 1)
        assert float((old - new.detach()).abs().max()) <= step / 2 + 1e-6
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))


def test_bits_of_a_network() -> None:
    """The least number of bits that keeps the accuracy, times the number of weights."""
    net = make_net(tiny("reverse"))
    found = quantised(net, Data(tiny("reverse")))
    count = sum(p.numel() for p in net.parameters())
    enough = [bits for bits in (2, 3, 4, 5, 6, 8) if found["accuracy"][str(bits)] >= found["float32"] - 0.01]
    assert found["bits"] == (enough[0] * count if enough else None)


def test_probes_read_what_is_there() -> None:
    """A value that stands in the stream is read, one that is noise is not, and the length is found in places alone."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, (60, 4))
    stream = np.eye(3)[labels] @ random.normal(size=(3, 8)) + 0.01 * random.normal(size=(60, 4, 8))
    assert _read(stream[:30], labels[:30], stream[30:], labels[30:].ravel(), 3) > 0.99
    noise = random.normal(size=(60, 4, 8))
    assert _read(noise[:30], labels[:30], noise[30:], labels[30:].ravel(), 3) < 0.6
    found = probes(make_net(tiny("sort")), Data(tiny("sort")))
    assert [probe["name"] for probe in found] == ["rank"]
    assert len(found[0]["layers"]) == 5


@pytest.mark.parametrize("marks", ["none", "both"])
def test_the_length_is_probed_on_words_of_all_lengths(marks: str) -> None:
    """It would else be read rightly by knowing nothing. A mark tells nothing by itself either."""
    at = tiny("reverse", max_length=4, marks=marks)
    (found,) = probes(make_net(at), Data(at))
    assert found["values"] == 4
    assert found["base"] == pytest.approx(4 / 10)  # as many words of each length, and 4 of 10 places are of the longest
    assert found["layers"][0] < 0.9
