"""A route: a way from a formal object to a transformer that recognises it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from capax.model.model import Model


def last_answer(model: Model, word: Sequence[str]) -> bool:
    """Whether a model says yes at the last position of a word."""
    return bool(model(list(word))[-1])


@dataclass(frozen=True, slots=True)
class Route:
    """A model for an object, not built yet.

    A file of theorems that can build one for a formal object defines, beside `THEOREM`,
    `routes(thing, max_length) -> Iterable[Route]`, which is empty for what it does not claim. `thing` is a
    minimal `Dfa`, an `LtlLanguage`, a `Language` or a `Circuit`. The model reads the symbols of a word that is not
    empty as tokens.
    """

    theorem: str
    """The name of the theorem."""
    what: str
    """The kind of model, in a line."""
    build: Callable[[], Model]
    lengths: int | None = None
    """The longest word that it is right on; None where there is no longest."""
    accepts: Callable[[Model, Sequence[str]], bool] = last_answer
    note: str = ""
    """What a reader must know of it: a margin, oracle maps."""
