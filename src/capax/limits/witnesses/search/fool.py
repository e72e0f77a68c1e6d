"""The search for a witness against a model that claims a task."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from capax.display import parts
from capax.errors import CapaxError
from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.witnesses.claimed_task import TaskClaim, claim_of, integer_system
from capax.limits.witnesses.search.decomposition import Decomposition
from capax.limits.witnesses.search.error_search import search_errors
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used, Wrong
from capax.limits.witnesses.search.trials import trial_of
from capax.model.model import Model
from capax.model.run.run import answers

BY_COLLISION: Final = ("composition", "match3", "parity", "sequential-composition", "sparse-averaging")
"""The tasks whose inputs are looked for in pairs."""
ANY_DEPTH: Final = ("sequential-composition", "sparse-averaging")
"""Of these, those whose argument is for any number of layers."""
SHARE: Final = 0.6
"""The share of the time for pairs that need not exist; the rest is for wrong answers."""


@dataclass(frozen=True)
class Fooling:
    """What a search gave: a witness as plain data or None, and whether one had to exist."""

    witness: Mapping[str, Any] | None
    guaranteed: bool
    ruled_out: bool
    why: str
    tried: tuple[str, ...]
    demonstration: Decomposition | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        facts = parts(self, "guaranteed", "ruled_out", "why", "tried", "witness", "demonstration")
        return {"found": self.witness is not None} | facts


def fool(model: Model, task: str, given: Mapping[str, Any], *, seed: int, used: Used) -> Fooling:
    """Two inputs with equal transcripts and different truths, or a wrong answer, or none in the time there was."""
    integer_system(model)
    claim = claim_of(model, task, given)
    trial = trial_of(model, claim)
    model.read(trial.word([0] * len(trial.ranges)))  # a layout that the model does not read is refused at once
    random = np.random.default_rng(seed)
    verdict = _pair(model, claim, random, used)
    evidence: Pair | Wrong | None = verdict.evidence
    tried, method = list(verdict.tried), verdict.method
    if evidence is None:
        errors = search_errors(model, trial, random, used)
        tried.append(f"error search ({errors.count:,} inputs)")
        evidence, method = errors.wrong, "error search"
    witness = None if evidence is None else _witness_json(model, claim, evidence, verdict, method, seed)
    ruled_out = verdict.ruled_out and evidence is None
    return Fooling(witness, verdict.guaranteed, ruled_out, verdict.why, tuple(tried), verdict.demonstration)


def _pair(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used) -> FoolingResult:
    """The search for two inputs, where the argument speaks of the model."""
    if claim.task not in BY_COLLISION:
        return FoolingResult(
            None, False, "no statement: there is no argument with two inputs for this task here", "", ()
        )
    if claim.task not in ANY_DEPTH and model.depth != 1:
        why = f"no statement: the argument is for one attention layer, and the model has {model.depth}"
        return FoolingResult(None, False, why, "", ())
    try:
        pairwise_heads(model)
    except CapaxError as error:
        return FoolingResult(None, False, f"no statement: {error.what}", "", ())
    module = import_module(f"capax.limits.witnesses.search.tasks.{claim.task.replace('-', '_')}")
    first: FoolingResult = module.fool(model, claim, random, used, SHARE)
    if first.evidence is None and first.guaranteed and not first.ruled_out and used() < 1:
        return module.fool(model, claim, random, used, 1.0)  # type: ignore[no-any-return]
    return first


def _witness_json(
    model: Model, claim: TaskClaim, evidence: Pair | Wrong, verdict: FoolingResult, method: str, seed: int
) -> dict[str, Any]:
    """The witness as plain data: everything that a second look needs, besides the model."""
    words = [evidence.word] if isinstance(evidence, Wrong) else [evidence.one, evidence.two]
    trial = trial_of(model, claim)
    given_answers = [answer[evidence.read_at] for answer in answers(model, words)]
    witness: dict[str, Any] = {
        "format": "capax-witness",
        "version": 1,
        "kind": "wrong-answer" if isinstance(evidence, Wrong) else evidence.kind,
        "task": claim.to_json(),
        "numbers": model.numbers,
        "model": model.key(),
        "inputs": words,
        "read_at": evidence.read_at,
        "answers": given_answers,
        "method": method,
        "seed": seed,
    }
    if trial.tolerance:
        witness |= {"tolerance": trial.tolerance, "unit": trial.unit}
    if isinstance(evidence, Pair):
        # a wrong answer speaks for itself; why two inputs had to exist is recorded for such pairs alone
        witness |= {"guaranteed": verdict.guaranteed, "why": verdict.why, "sender": list(evidence.sender)}
        witness |= {} if evidence.bits is None else {"message_bits": evidence.bits}
        assert given_answers[0] == given_answers[1], "equal transcripts give equal answers"
    return witness
