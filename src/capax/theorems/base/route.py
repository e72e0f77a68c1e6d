"""A route: a way from a formal object to a transformer that recognises it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from capax.errors import CapaxError
from capax.formal.acceptance import Read
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
    read: Read = "last"
    """Where the answer is read: at the last symbol, or at an end marker that the model is given after the word."""
    suffix: tuple[str, ...] = ()
    """Tokens that are put after a word before `accepts` is asked about it."""

    def says(self, model: Model, word: Sequence[str]) -> bool:
        """Whether the model accepts a word."""
        return self.accepts(model, [*word, *self.suffix])

    def with_marker(self, marker: str) -> "Route":
        """A route for a language with end markers, as one for the language without them."""
        if self.read != "last":
            raise CapaxError("bad-option", f"the route {self.theorem} has an end marker of its own")
        lengths = None if self.lengths is None else self.lengths - 1
        return replace(self, read="end", suffix=(marker,), lengths=lengths)
