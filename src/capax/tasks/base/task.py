"""A task: what is to be computed, apart from how."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.auditor.specs.machine import Machine
from capax.display import parts
from capax.tasks.base.parameter import Parameter, Value, parameters_json, settle
from capax.tasks.base.training import Training


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be computed: a domain, a reference function, and a sampler whose generator is an argument.

    `reference(word, **parameters)` is the plain definition: a list with one answer per position (or whatever `what`
    says). `sample(random, n, **parameters)` is a random word of size n; it should meet the hard cases often enough.
    `every(n, **parameters)` goes through all words of size n, or is None where these are not finitely many. The three
    get every parameter. `training` is how networks are trained on it, or None. `machine(**parameters)`, if there is
    one, computes the answers letter by letter with few states: an audit can then reason about all words at once.
    """

    name: str
    what: str
    domain: str
    reference: Callable[..., Any]
    sample: Callable[..., Any]
    every: Callable[..., Iterator[Any]] | None = None
    parameters: tuple[Parameter, ...] = ()
    citation: str = ""
    training: Training | None = None
    machine: Callable[..., Machine] | None = None

    def to_json(self) -> dict[str, Any]:
        """The task as plain data: its name, what is computed, its domain, source and parameters."""
        return parts(self, "name", "what", "domain", "citation") | {"parameters": parameters_json(self.parameters)}

    def settle(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """Every parameter with its value: the one in `values`, or the default."""
        return settle(self.parameters, values)

    def answer(self, word: Any, **parameters: Any) -> Any:
        """The right answer for a word."""
        return self.reference(word, **self.settle(parameters))

    def samples(self, count: int, n: int, seed: int, **parameters: Any) -> list[Any]:
        """`count` random words of size n, the same for the same seed."""
        random = np.random.default_rng(seed)
        settled = self.settle(parameters)
        return [self.sample(random, n, **settled) for _ in range(count)]
