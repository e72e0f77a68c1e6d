"""Training: one loop, which can be resumed from any checkpoint and then gives the same result."""

import copy
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import torch
from torch import nn

from capax.errors import CapaxError
from capax.lab.attention_targets import all_target_weights, targets_of
from capax.lab.data import Data
from capax.lab.measure.certified import proved_now
from capax.lab.measure.measure_network import agreement_now
from capax.lab.measure.score import score
from capax.lab.settings import Settings
from capax.lab.train.from_compiled import compiled_net
from capax.lab.train.make import Net, answer_loss, attention_loss, make_net, tensors
from capax.lab.training_run import Check, Keep, Progress, Trained, Watch
from capax.tasks.base.training import IGNORE

TELL_EVERY = 20
"""Steps between two reports of progress."""


def train(
    settings: Settings,
    *,
    watch: Watch = lambda progress: None,
    keep: Keep = lambda state: None,
    resume: bytes | None = None,
) -> tuple[Net, Trained]:
    """The network with the weights of the best check, and what happened on the way.

    `watch` gets the progress; `keep` gets the state as bytes after every check, from which `resume` continues.
    """
    data = Data(settings)
    net = start_net(settings)
    optimizer = adam(net, settings)
    state = _State(net, optimizer, settings.key())
    if resume is not None:
        state.load(resume)
    attention_targets = targets_of(settings) if settings.supervision else ()
    if not state.checks:
        state.check(data)
    while state.reason is None:
        if state.step >= settings.steps:
            if state.checks[-1].step < state.step:
                state.check(data)
            state.reason = "all steps were taken"
            break
        loss = train_step(net, optimizer, data, state.step, attention_targets)
        state.step += 1
        if not math.isfinite(loss):
            state.reason = f"the loss was {loss} at step {state.step}"
            break
        if state.step % TELL_EVERY == 0 or state.step == settings.steps:
            watch(Progress(state.step, settings.steps, loss, state.accuracy))
        if state.step % settings.check_every == 0 and state.step < settings.steps:
            state.check(data)
            if _is_done(settings, state.checks):
                state.reason = f"{settings.patience} checks in a row found {settings.stop_at:g}"
            keep(state.to_bytes())
    if state.best is not None:
        net.load_state_dict(state.best)
    return net, Trained(tuple(state.checks), state.best_step, state.step, state.reason, weights_bytes(net))


def adam(net: Net, settings: Settings) -> torch.optim.Optimizer:
    """The optimizer of the settings."""
    betas = (0.9, settings.beta2)
    return torch.optim.AdamW(net.parameters(), settings.rate, betas, weight_decay=settings.decay, fused=True)


def start_net(settings: Settings) -> Net:
    """The network before training: random, or from the compiled program."""
    return make_net(settings) if settings.start == "random" else compiled_net(settings)


def train_step(net: Net, optimizer: torch.optim.Optimizer, data: Data, number: int, attention_targets: Any) -> float:
    """The loss of step `number`, which is taken: the mean over all answers of its batches."""
    settings = data.settings
    for group in optimizer.param_groups:
        group["lr"] = rate_at(settings, number)
    batches = data.step(number)
    scored = [max(1, int((batch.answers != IGNORE).sum())) for batch in batches]
    optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for batch, count in zip(batches, scored, strict=True):
        logits, weights = net(*tensors(batch))
        loss = answer_loss(logits, batch, settings.training.kind)
        if attention_targets:
            targets = all_target_weights(data, batch, attention_targets)
            loss = loss + settings.supervision * attention_loss(weights, targets)
        if len(batches) > 1:  # every answer of the step counts alike
            loss = loss * (count / sum(scored))
        loss.backward()  # type: ignore[no-untyped-call]
        total += float(loss.detach())
    if settings.clip:
        nn.utils.clip_grad_norm_(net.parameters(), settings.clip)
    optimizer.step()
    return total


def rate_at(settings: Settings, step: int) -> float:
    """The rate of a step: it rises during the warm-up and then stays, falls as a cosine, or by gamma in 1000 steps."""
    rise = min(1.0, (step + 1) / (settings.warmup + 1))
    match settings.schedule:
        case "cosine":
            return settings.rate * rise * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / max(1, settings.steps))))
        case "exponential":
            return float(settings.rate * rise * settings.gamma ** (step / 1000))
        case _:
            return settings.rate * rise


def _is_done(settings: Settings, checks: list[Check]) -> bool:
    last = checks[1:][-settings.patience :]  # the first is from before training
    if settings.training.kind == "distribution":
        return False  # the likeliest answer can be right long before the distribution is
    return len(last) == settings.patience and all(check.token_accuracy >= settings.stop_at for check in last)


class _State:
    """The state of a run besides its settings: what a checkpoint saves."""

    def __init__(self, net: Net, optimizer: torch.optim.Optimizer, key: str) -> None:
        self.net, self.optimizer, self.key = net, optimizer, key
        self.step = 0
        self.checks: list[Check] = []
        self.best: dict[str, torch.Tensor] | None = None
        self.best_step = 0
        self.reason: str | None = None

    @property
    def accuracy(self) -> float | None:
        return self.checks[-1].token_accuracy if self.checks else None

    def check(self, data: Data) -> None:
        """Scores the network; keeps the weights of the best check so far."""
        scores = score(self.net, data.settings, list(data.checks()))
        check = Check(self.step, *scores, agreement_now(self.net, data), *proved_now(self.net, data.settings))
        rank = _likely if data.settings.training.kind == "distribution" else _rank
        if not self.checks or rank(check) >= max(map(rank, self.checks)):
            self.best, self.best_step = copy.deepcopy(self.net.state_dict()), self.step
        self.checks.append(check)

    def to_bytes(self) -> bytes:
        """The state as bytes that hold no code."""
        state = {
            "key": self.key,
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "best": self.best,
            "step": self.step,
            "best_step": self.best_step,
            "checks": [asdict(check) for check in self.checks],
            "reason": self.reason,
        }
        buffer = io.BytesIO()
        torch.save(state, buffer)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        """Takes the state of a checkpoint; one that does not fit is an error."""
        try:
            saved = torch.load(io.BytesIO(state), weights_only=True)
            if saved["key"] != self.key:
                what = f"the checkpoint belongs to run {saved['key']!s:.30}, not to run {self.key}"
                raise CapaxError("bad-checkpoint", what, hint="use the settings that it was made with")
            self.net.load_state_dict(saved["net"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.best, self.step, self.best_step = saved["best"], int(saved["step"]), int(saved["best_step"])
            self.checks = [Check(**check) for check in saved["checks"]]
            self.reason = saved["reason"]
        except CapaxError:
            raise
        except Exception:  # whatever a reader of damaged bytes finds wrong
            what = f"the checkpoint of run {self.key} is damaged or not a checkpoint"
            raise CapaxError("bad-checkpoint", what, hint="remove the file to start the run again") from None


def _rank(check: Check) -> tuple[float, float]:
    return check.token_accuracy, -check.loss


def _likely(check: Check) -> tuple[float, float]:
    return -check.loss, 0.0


def weights_bytes(net: Net) -> bytes:
    """The weights of a network as bytes that hold no code."""
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    return buffer.getvalue()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Computes with `count` threads inside the block: sums are in another order with another number."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
