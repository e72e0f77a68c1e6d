"""The question of an audit: which model, on which words, read where and how, held against what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from capax.auditor.decode import Decode, decode_of, no_output
from capax.auditor.spec import Answer, Spec, Word, by_text, in_tokens
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.positions import uses_length
from capax.model.vocabulary import Classes, Token, token_key

Read: TypeAlias = Literal["each", "last", "end"]
READS: Final[dict[Read, str]] = {
    "each": "at every position",
    "last": "at the last letter",
    "end": "at an end marker after the word",
}


@dataclass(frozen=True, eq=False)
class Question:
    """Does a model give the right answer on every word over the letters of a specification?

    The model reads its prefix, the word, and the token `end` where there is one. The answer is read at every letter,
    at the last letter, or at the end marker. `offset` positions of the table stand unused before the first one.
    """

    model: Model
    spec: Spec
    read: Read
    decode: Decode
    end: Token | None = None
    offset: int = 0

    @property
    def suffix(self) -> tuple[Token, ...]:
        """What the model reads after a word."""
        return () if self.end is None else (self.end,)

    @property
    def causal(self) -> bool:
        """Whether an answer depends on the tokens up to it alone."""
        heads = [head for block in self.model.blocks for head in block.heads]
        past = all(head.mask in ("causal", "strict past") for head in heads)
        return past and not any(uses_length(name) for name in self.model.positions.functions)

    @property
    def longest(self) -> int | None:
        """The longest word that the model can read; None for any."""
        most = self.model.max_length
        return None if most is None else most - len(self.suffix)

    def tokens(self, word: Sequence[Token]) -> list[Token]:
        """What the model is run on for a word, without its prefix."""
        return [*word, *self.suffix]

    def asked(self, length: int) -> range:
        """The positions, in the tokens of a word of a length, at which an answer is read."""
        if self.read == "each":
            return range(length)
        return range(length, length + 1) if self.read == "end" else range(length - 1, length)

    def right(self, words: Sequence[Word]) -> list[list[Answer | None]]:
        """For each word the right answers at the positions of `asked`; None for no statement."""
        answers = self.spec.answers_of(words)
        return answers if self.read == "each" else [row[-1:] for row in answers]


def question(
    model: Model,
    spec: Spec,
    *,
    read: Read | None = None,
    names: Mapping[Token, Token] | None = None,
    signs: bool = False,
    end: Token | None = None,
    offset: int = 0,
) -> Question:
    """The question whether a model computes a specification; what is not said is taken from the model's file.

    Letters and outputs that are texts stand for the numbers that are written so, where the model has these.
    """
    _finite(model)
    spec = in_tokens(spec, model.vocabulary.tokens)
    where = read or _recorded_read(model) or ("each" if spec.each or spec.kind == "program" else "last")
    marker = end if end is not None else model.provenance.end_marker
    if where == "end" and marker is None:
        raise CapaxError("bad-option", "the answer is read at an end marker, but no marker is named", hint="--end '$'")
    if where == "each" and not spec.prefixes:
        spec = replace(spec, states=None)  # its states are for answers at the last letter
    decode = decode_of(model.decoding, spec.answers, _outputs(model, names), signs=signs)
    for answer in spec.answers or ():
        if not decode.has(answer):
            raise no_output(answer, getattr(decode, "values", ()))
    known = {token_key(t) for t in model.vocabulary.tokens}
    for token in (*spec.letters, *((marker,) if where == "end" else ())):
        if token_key(token) not in known:
            what = f"the model does not know the letter {token!r:.60} of the specification"
            shown = ", ".join(repr(t) for t in model.vocabulary.tokens[:12])
            raise CapaxError("unfit-spec", what, hint=f"its tokens are {shown}: --alphabet names the letters to use")
    return Question(shifted(model, offset), spec, where, decode, marker if where == "end" else None, offset)


def _finite(model: Model) -> None:
    """Refuses weights of which one is infinite or no number: such a model has no answers to be right or wrong."""
    for name, array in model.arrays():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            what = f"the weights {name} of the model have a number that is not finite"
            raise CapaxError("bad-model", what, hint="did its training diverge? audit an earlier checkpoint")


def _outputs(model: Model, names: Mapping[Token, Token] | None) -> Mapping[Token, Token] | None:
    """The outputs that answers are named by, as the model has them."""
    if names is None or not isinstance(model.decoding, Classes):
        return names
    return dict(zip(names, by_text(names.values(), model.decoding.values), strict=True))


def _recorded_read(model: Model) -> Read | None:
    recorded = model.provenance.read
    return recorded if recorded in ("last", "end") else None  # type: ignore[return-value]


def shifted(model: Model, offset: int) -> Model:
    """The model with its words placed so many positions further on in its table of positions."""
    if offset == 0:
        return model
    table = model.positions.table
    if offset < 0 or table is None or model.positions.functions or offset >= len(table):
        what = f"the words cannot be moved by {offset} positions"
        raise CapaxError(
            "bad-option", what, hint="an offset goes with a table of positions, and is less than its length"
        )
    most = None if model.max_length is None else model.max_length - offset
    return replace(model, positions=replace(model.positions, table=table[offset:]), max_length=most)
