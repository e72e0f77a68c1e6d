"""A dialect's program as a program of capax, checked on words, and as a model."""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from capax.compat.lowering.expression import Expression
from capax.compat.lowering.functions import same
from capax.compat.lowering.interpret import interpret
from capax.compat.lowering.lower import Lowering
from capax.compat.lowering.lowered import Lowered
from capax.compiler.compile import compile
from capax.compiler.compiled import Compiled
from capax.errors import CapaxError
from capax.model.model import Model
from capax.rasp.ir.types import Atom, plain_atom
from capax.rasp.python.program import SOp


@dataclass(frozen=True, slots=True)
class Translation:
    """A program of capax, and how the dialect's tokens and values stand for its atoms.

    Called with a word it runs `program`: the answers are those of the dialect.
    """

    program: SOp
    vocabulary: tuple[Any, ...]
    max_length: int
    causal: bool
    tokens: Lowered
    answers: Lowered

    @property
    def alphabet(self) -> tuple[Atom, ...]:
        """The atoms that stand for the tokens."""
        return tuple(self.tokens.atom(t) for t in self.vocabulary)

    def encode(self, word: Iterable[Any]) -> list[Atom]:
        """The atoms of a word of the vocabulary."""
        found: list[Atom] = []
        for place, token in enumerate(word):
            if not any(same(token, t) for t in self.vocabulary):
                raise CapaxError(
                    "unknown-token",
                    f"the token {token!r:.60} at position {place} is not in the vocabulary",
                    hint=f"the vocabulary is {', '.join(map(repr, self.vocabulary[:12]))}",
                    token=token,
                )
            found.append(self.tokens.atom(token))
        return found

    def decode(self, atoms: Iterable[Atom]) -> list[Any]:
        """The dialect's values for the program's answers."""
        return [self.answers.value(atom) for atom in atoms]

    def __call__(self, word: Iterable[Any]) -> list[Any]:
        """The answers of the capax program, as the dialect's values."""
        return self.decode(self.program(self.encode(word)))

    def compile(self, **settings: Any) -> "CompiledDialect":
        """The program as a model for the words of the vocabulary; the settings are those of `capax.compile`."""
        made = compile(
            self.program, alphabet=list(self.alphabet), max_length=self.max_length, causal=self.causal, **settings
        )
        return CompiledDialect(self, made)


@dataclass(frozen=True, slots=True)
class CompiledDialect:
    """A compiled program that reads the dialect's tokens and gives the dialect's values."""

    translation: Translation
    compiled: Compiled

    @property
    def model(self) -> Model:
        """The transformer, whose tokens and answers are the atoms that stand for the dialect's values."""
        return self.compiled.model

    def __call__(self, word: Iterable[Any]) -> list[Any]:
        """The model's answers for a word."""
        return self.translation.decode(self.compiled(self.translation.encode(word)))


def translate(
    root: Expression,
    *,
    vocabulary: Iterable[Any],
    max_length: int,
    causal: bool = False,
    words: int = 120,
    seed: int = 0,
) -> Translation:
    """The program of an expression for the tokens and lengths, compared with the expression on some words."""
    tokens = _read(vocabulary)
    if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 1:
        raise CapaxError("bad-option", f"the maximal length is a positive number, not {max_length!r:.40}")
    lowering = Lowering(tokens, max_length, causal)
    answers = lowering.run(root)
    found = Translation(answers.sop, tokens, max_length, causal, lowering.tokens(), answers)
    _check(root, found, words, seed)
    return found


def _read(vocabulary: Iterable[Any]) -> tuple[Any, ...]:
    """The tokens, each once, in an order that does not depend on the run."""
    listed = list(vocabulary)
    for token in listed:
        if plain_atom(token) is None:
            raise CapaxError(
                "bad-alphabet", f"{token!r:.60} is not a token", hint="tokens are strings, numbers or bools"
            )
    found = list(dict.fromkeys(plain_atom(t) for t in listed))
    if not found:
        raise CapaxError("bad-alphabet", "a vocabulary has at least one token")
    if isinstance(vocabulary, (set, frozenset)):
        found.sort(key=lambda t: (isinstance(t, str), t if not isinstance(t, str) else 0, str(t)))
    return tuple(found)


def _check(root: Expression, found: Translation, words: int, seed: int) -> None:
    """Refuses a program that differs from the expression on a word, or an expression that has a value on none."""
    failure: Exception | None = None
    held = 0
    for word in _words(found.vocabulary, found.max_length, words, seed):
        try:
            wanted = interpret(root, word, causal=found.causal)
        except Exception as error:  # a word on which the original fails says nothing
            failure = error
            continue
        held += 1
        if len(wanted) != len(word):
            raise CapaxError(
                "not-compilable",
                f"on the word {word!r:.80} the original gives {len(wanted)} answers, not {len(word)}: a list in it is "
                "not as long as the word",
                hint='in raspy "yes" is a list of three; repeat("yes") is the same value everywhere',
            )
        try:
            given = found(word)
        except CapaxError as error:
            raise _differs(word, wanted, f"fails: {error.what}") from error
        if len(wanted) != len(given) or not all(map(near, given, wanted)):
            raise _differs(word, wanted, f"gives {given!r:.80}")
    if not held:
        assert failure is not None
        raise CapaxError(
            "always-fails",
            f"the program had a value on none of {words} words: {type(failure).__name__}: {failure}",
            hint="run the program on a word of the vocabulary to see the error",
        ) from failure


def near(one: Any, two: Any) -> bool:
    """Whether two answers are the same up to rounding."""
    if isinstance(one, (int, float)) and isinstance(two, (int, float)):
        return same(one, two) or math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12)
    return same(one, two)


def _differs(word: list[Any], wanted: list[Any], what: str) -> CapaxError:
    return CapaxError(
        "not-compilable",
        f"on the word {word!r:.80} the original gives {wanted!r:.80}, but as a program of capax it {what}",
        hint="an s-op that mixes numbers with other values is moved, but not averaged; map it to one kind of value",
    )


def _words(vocabulary: tuple[Any, ...], longest: int, count: int, seed: int) -> Iterable[list[Any]]:
    """Some of the shortest words, and random ones of all lengths."""
    chance = random.Random(seed)
    shortest = (list(w) for n in range(1, longest + 1) for w in product(vocabulary, repeat=n))
    yield from islice(shortest, count // 2)
    for number in range(count - count // 2):
        length = longest if number % 4 == 0 else chance.randint(1, longest)
        yield [chance.choice(vocabulary) for _ in range(length)]
