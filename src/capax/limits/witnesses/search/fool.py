"""The search for a witness against a model that claims a task."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.witnesses.claim import Claim, claim_of, integer_system
from capax.limits.witnesses.search.error_search import search_errors
from capax.limits.witnesses.search.fooling_result import Pair, Used, Verdict, Wrong
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

    witness: dict[str, Any] | None
    guaranteed: bool
    ruled_out: bool
    why: str
    tried: tuple[str, ...]
    demonstration: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "found": self.witness is not None,
            "guaranteed": self.guaranteed,
            "ruled_out": self.ruled_out,
            "why": self.why,
            "tried": list(self.tried),
            "witness": self.witness,
            "demonstration": self.demonstration,
        }


def fool(model: Model, task: str, given: Mapping[str, Any], *, seed: int, used: Used) -> Fooling:
    """Two inputs with equal transcripts and different truths, or a wrong answer, or none in the time there was."""
    integer_system(model)
    claim = claim_of(model, task, given)
    trial = trial_of(model, claim)
    model.read(trial.word([0] * len(trial.ranges)))  # a layout that the model does not read is refused at once
    random = np.random.default_rng(seed)
    verdict = _pair(model, claim, random, used)
    found: Pair | Wrong | None = verdict.found
    tried, method = list(verdict.tried), verdict.method
    if found is None:
        errors = search_errors(model, trial, random, used)
        tried.append(f"error search ({errors.count:,} inputs)")
        found, method = errors.found, "error search"
    witness = None if found is None else _witness(model, claim, found, verdict, method, seed)
    ruled_out = verdict.ruled_out and found is None
    return Fooling(witness, verdict.guaranteed, ruled_out, verdict.why, tuple(tried), verdict.demonstration)


def _pair(model: Model, claim: Claim, random: np.random.Generator, used: Used) -> Verdict:
    """The search for two inputs, where the argument speaks of the model."""
    if claim.task not in BY_COLLISION:
        return Verdict(None, False, "no statement: there is no argument with two inputs for this task here", "", ())
    if claim.task not in ANY_DEPTH and model.depth != 1:
        why = f"no statement: the argument is for one attention layer, and the model has {model.depth}"
        return Verdict(None, False, why, "", ())
    try:
        pairwise_heads(model)
    except CapaxError as error:
        return Verdict(None, False, f"no statement: {error.what}", "", ())
    module = import_module(f"capax.limits.witnesses.search.tasks.{claim.task.replace('-', '_')}")
    first: Verdict = module.fool(model, claim, random, used, SHARE)
    if first.found is None and first.guaranteed and not first.ruled_out and used() < 1:
        return module.fool(model, claim, random, used, 1.0)  # type: ignore[no-any-return]
    return first


def _witness(
    model: Model, claim: Claim, found: Pair | Wrong, verdict: Verdict, method: str, seed: int
) -> dict[str, Any]:
    """The witness as plain data: everything that a second look needs, besides the model."""
    words = [found.word] if isinstance(found, Wrong) else [found.one, found.two]
    trial = trial_of(model, claim)
    said = [answer[found.read_at] for answer in answers(model, words)]
    made: dict[str, Any] = {
        "format": "capax-witness",
        "version": 1,
        "kind": "wrong-answer" if isinstance(found, Wrong) else found.kind,
        "task": claim.to_json(),
        "numbers": model.numbers,
        "model": model.key(),
        "inputs": words,
        "read_at": found.read_at,
        "answers": said,
        "method": method,
        "seed": seed,
    }
    if trial.tolerance:
        made |= {"tolerance": trial.tolerance, "unit": trial.unit}
    if isinstance(found, Pair):
        # a wrong answer speaks for itself; why two inputs had to exist is said of such pairs alone
        made |= {"guaranteed": verdict.guaranteed, "why": verdict.why, "sender": list(found.sender)}
        made |= {} if found.bits is None else {"message_bits": found.bits}
        assert said[0] == said[1], "equal transcripts give equal answers"
    return made
