"""A task: what is to be computed, apart from how."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter, settle


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be computed: a domain, a reference function, and a sampler whose generator is an argument.

    `reference(word, **parameters)` is the plain definition: a list with one answer per position (or whatever `what`
    says). `sample(random, n, **parameters)` is a random word of size n; it should meet the hard cases often enough.
    `every(n, **parameters)` goes through all words of size n, or is None where these are not finitely many. The three
    get every parameter.
    """

    name: str
    what: str
    domain: str
    reference: Callable[..., Any]
    sample: Callable[..., Any]
    every: Callable[..., Iterator[Any]] | None = None
    parameters: tuple[Parameter, ...] = ()
    citation: str = ""

    def settle(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, the given one or the default."""
        return settle(self.parameters, given)

    def answer(self, word: Any, **given: Any) -> Any:
        """The right answer for a word."""
        return self.reference(word, **self.settle(given))

    def samples(self, count: int, n: int, seed: int, **given: Any) -> list[Any]:
        """So many random words of size n, the same for the same seed."""
        random = np.random.default_rng(seed)
        settled = self.settle(given)
        return [self.sample(random, n, **settled) for _ in range(count)]
