"""Training: deterministic, resumed with the same result, stopped early, guided by selectors."""

import io
from typing import Any

import numpy as np
import pytest
import torch

from capax import CapaxError
from capax.lab.data import Data
from capax.lab.measure.certified import certified_length, right_up_to
from capax.lab.settings import Settings
from capax.lab.train.make import attention_loss
from capax.lab.train.train import rate_at, start_net, train, train_step
from capax.lab.training_run import Progress, run

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

TINY: dict[str, Any] = {
    "max_length": 5,
    "width": 8,
    "batch": 8,
    "check_every": 10,
    "check_words": 20,
    "test_words": 40,
    "warmup": 5,
}


def tiny(task: str, **more: Any) -> Settings:
    """Settings of a run that takes well under a second."""
    return Settings(task=task, **(TINY | {"steps": 40} | more))


@pytest.mark.parametrize(
    "found",
    [
        tiny("reverse"),
        tiny("language", net="lstm"),
        tiny("composition", net="mlp", min_length=3, max_length=3),
        tiny("reverse", words=50, schedule="exponential", norm="post"),
        tiny("next-token", schedule="constant"),
        tiny("sort", lengths=3, length_power=1.0, growth=0.5, beta2=0.9, wave_base=100.0, supervision=1.0),
    ],
    ids=lambda found: f"{found.task}-{found.net}",
)
def test_a_run_is_determined_by_its_settings(found: Settings) -> None:
    """Twice the same weights and figures, bit for bit, and others with another seed."""
    one, two = run(found), run(found)
    assert one.result == two.result
    assert one.weights == two.weights
    other = run(Settings(**(found.to_json() | {"seed": 1})))
    assert other.weights != one.weights


@pytest.mark.parametrize("stop", [10, 30])
def test_a_run_that_was_killed_ends_as_if_it_was_not(stop: int) -> None:
    """KilledError at any checkpoint and taken up again: the weights and every figure are the same."""
    found = tiny("histogram", marks="bos", supervision=1.0)
    whole = run(found)
    kept: list[bytes] = []

    class KilledError(Exception):
        pass

    def keep(state: bytes) -> None:
        kept.append(state)
        if len(kept) == stop // 10:
            raise KilledError

    with pytest.raises(KilledError):
        run(found, keep=keep)
    again = run(found, resume=kept[-1])
    assert again.result == whole.result
    assert again.weights == whole.weights


def test_every_answer_of_a_step_with_several_lengths_counts_alike() -> None:
    """The gradient of such a step is that of the mean loss over all of its answers."""
    settings = tiny("reverse", lengths=5, clip=0.0, rate=0.0)
    net, data = start_net(settings), Data(settings)
    plain = torch.optim.SGD(net.parameters(), 0.0)
    told = train_step(net, plain, data, 3, ())
    stepped = [parameter.grad.clone() for parameter in net.parameters() if parameter.grad is not None]
    losses = [
        torch.nn.functional.cross_entropy(
            net(torch.from_numpy(batch.inputs))[0].flatten(0, 1),
            torch.from_numpy(batch.answers).flatten(),
            reduction="none",
        )
        for batch in data.step(3)
    ]
    loss = torch.cat(losses).mean()
    net.zero_grad()
    loss.backward()
    direct = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    assert abs(told - float(loss.detach())) < 1e-5
    assert len({batch.inputs.shape[1] for batch in data.step(3)}) > 1
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(stepped, direct, strict=True))


def test_a_checkpoint_of_another_run_is_refused() -> None:
    """And so is one that is damaged."""
    kept: list[bytes] = []
    run(tiny("reverse", steps=20), keep=kept.append)
    for settings, state in ((tiny("reverse", steps=20, seed=1), kept[0]), (tiny("reverse", steps=20), kept[0][:-200])):
        with pytest.raises(CapaxError) as raised:
            run(settings, resume=state)
        assert raised.value.code == "bad-checkpoint"


def test_it_stops_when_all_is_right() -> None:
    """Checks in a row at the wanted accuracy end a run before its steps do."""
    found = tiny("language", steps=400, stop_at=0.0, patience=2, parameters={"name": "first"})
    _, trained = train(found)
    assert (trained.steps, [check.step for check in trained.checks]) == (20, [0, 10, 20])
    assert "2 checks in a row" in trained.reason


def test_a_run_that_diverges_is_a_result() -> None:
    """A loss that is no number ends a run with its reason."""
    _, trained = train(tiny("reverse", rate=100.0, clip=0.0, norm="none", schedule="constant", steps=400, warmup=0))
    assert "the loss was" in trained.reason or trained.steps == 400


def test_the_weights_of_the_best_check_are_kept() -> None:
    """What is measured is the network of the best check, and its weights load again."""
    found = tiny("reverse", steps=60)
    net, trained = train(found)
    best = max(trained.checks, key=lambda check: (check.token_accuracy, -check.loss))
    assert trained.best_step == best.step
    again = start_net(found)
    again.load_state_dict(torch.load(io.BytesIO(trained.weights), weights_only=True))
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), again.parameters(), strict=True))


def test_progress_is_told() -> None:
    """Steps that rise, with the loss."""
    told: list[Progress] = []
    train(tiny("reverse"), watch=told.append)
    assert [progress.step for progress in told] == [20, 40]
    assert all(np.isfinite(progress.loss) and progress.steps == 40 for progress in told)


def test_supervision_moves_the_heads() -> None:
    """A head that is shown the selector looks there, and more than one that is not."""
    plain, shown = (
        run(tiny("histogram", layers=1, steps=150, supervision=weight, positions="none", rate=0.01)).result["agreement"]
        for weight in (0.0, 100.0)
    )
    assert shown > 0.6
    assert shown > plain + 0.1


def test_a_head_that_is_right_has_no_loss() -> None:
    """The loss of supervision is the mean squared error over the rows that select something."""
    wanted = np.array([[[0.5, 0.5], [0.0, 0.0]]])
    weights = [torch.tensor([[[[0.5, 0.5], [1.0, 0.0]]]])]
    assert float(attention_loss(weights, [(0, 0, wanted)])) == 0
    assert float(attention_loss([torch.tensor([[[[1.0, 0.0], [1.0, 0.0]]]])], [(0, 0, wanted)])) == pytest.approx(0.25)


def test_learning_rates_follow_the_schedule() -> None:
    """They rise during the warm-up; a cosine falls to a fiftieth; an exponential by gamma in 1000 steps."""
    found = tiny("reverse", steps=2000, warmup=9, rate=1.0)
    assert rate_at(found, 0) == pytest.approx(0.1, rel=0.01)
    assert rate_at(found, 2000) == pytest.approx(0.02)
    slow = tiny("reverse", steps=2000, warmup=0, rate=1.0, schedule="exponential", gamma=0.5)
    assert rate_at(slow, 1000) == pytest.approx(0.5)


def test_a_compiled_start_knows_all() -> None:
    """A network that begins as the compiled program is right before any step; in its shape alone it is not."""
    given = {"start": "compiled", "steps": 0, "parameters": {"symbols": 3}}
    for task in ("reverse", "histogram", "sort"):
        done = run(tiny(task, **given))
        assert done.result["token_accuracy"] == 1.0
        assert done.model is not None
    shape = run(tiny("reverse", **(given | {"start": "compiled-shape"})))
    assert shape.result["token_accuracy"] < 0.9


@pytest.mark.parametrize(("trained", "kept"), [("nonzero", True), ("all", False)])
def test_a_certificate_survives_where_zeros_stay(trained: str, kept: bool) -> None:
    """It is looked at in every check; weights that are 0 get values otherwise, and the proof has no room for them."""
    given = {"start": "compiled", "certify": True, "parameters": {"symbols": 2}, "stop_at": 2.0, "rate": 1e-3}
    done = run(tiny("reverse", trained=trained, **given))
    assert [check["certified"] for check in done.result["history"]] == [5, *[5 if kept else 0] * 4]
    assert done.result["history"][0]["right_up_to"] == 5
    assert (done.result["certified"], done.result["certified_until"]) == ((5, 40) if kept else (0, 0))
    assert done.result["right_up_to"] == done.result["history"][-1]["right_up_to"]


def test_noise_on_a_compiled_start_is_of_its_size() -> None:
    """Relative to the weights that are not 0; zeros stay zeros only where that is asked."""
    given = {"start": "compiled", "parameters": {"symbols": 3}}
    plain, noisy = (start_net(tiny("reverse", start_noise=noise, **given)) for noise in (0.0, 0.1))
    sparse = start_net(tiny("reverse", start_noise=0.1, trained="nonzero", **given))
    for name, weights in plain.named_parameters():
        there = weights != 0
        gap = noisy.get_parameter(name) - weights
        assert bool((gap != 0).all()) == bool(there.any())
        assert torch.equal(sparse.get_parameter(name) != 0, there)
        if there.sum() > 20:
            assert 0.05 < float(gap.square().mean().sqrt() / weights[there].square().mean().sqrt()) < 0.2


def test_all_words_are_run_for_what_is_right() -> None:
    """One wrong weight is found at the length where it matters, though no training word may show it."""
    found = tiny("reverse", start="compiled", parameters={"symbols": 2})
    net = start_net(found)
    assert right_up_to(net, found) == certified_length(net, found) == 5
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(1.5)
    assert right_up_to(net, found) < 5
    assert certified_length(net, found) <= right_up_to(net, found)


@pytest.mark.deep
def test_what_the_paper_says_of_histograms() -> None:
    """One head learns the histogram with a begin-of-word token, and looks at the same tokens and at it."""
    found = Settings(
        task="histogram", marks="bos", layers=1, width=32, positions="none", max_length=20, steps=2500, batch=48
    )
    result = run(found).result
    assert result["token_accuracy"] > 0.95
    assert result["agreement"] > 0.6
