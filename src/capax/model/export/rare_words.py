"""Words with rare answers: grown token by token, away from the answers that a model gives most often.

Random words may all be alike to a model. Nearly every random word of brackets is unbalanced after a few positions, and
a model that is wrong on balanced ones is right on all of them.
"""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from capax.model.export.target import Word
from capax.model.model import Model
from capax.model.run.run import answers as answers_on
from capax.model.vocabulary import Token, token_key

STEPS: Final = 40
"""A long word grows by several tokens at a time, in about this many steps."""
CHOICES: Final = 4
"""How many ways to go on are tried at each step."""
STRAY: Final = 0.02
"""How often a step is taken blindly: the frequent answers may come late in a word, too."""


def rare_words(model: Model, tokens: Sequence[Token], lengths: Sequence[int], source: random.Random) -> list[Word]:
    """A word of each length, drawn with the source, that leads away from frequent answers.

    At each step a word goes on in one of a few ways: in some words the one whose last answer was the rarest so far, in
    others any but those whose last answer was the most frequent. Random words of these lengths are seen first.
    """
    words: list[Word] = [()] * len(lengths)
    greed = [source.choice((0.0, 0.3, 1.0)) for _ in lengths]
    plain = [tuple(source.choice(tokens) for _ in range(n)) for n in lengths]
    seen = Counter(token_key(answer) for out in answers_on(model, plain) for answer in out)
    while growing := [i for i, n in enumerate(lengths) if len(words[i]) < n]:
        ways = {i: _ways(words[i], tokens, lengths[i], source) for i in growing}
        last = _last_answers(model, [way for i in growing for way in ways[i]])
        for i in growing:
            keys = [last.get(way) for way in ways[i]]
            words[i] = ways[i][_pick(keys, seen, source.random() < greed[i], source)]
        seen.update(last[words[i]] for i in growing if words[i] in last)
    return words


def _last_answers(model: Model, words: Sequence[Word]) -> dict[Word, Any]:
    """The last answer on each word that is not too short for the model."""
    readable = [word for word in words if len(word) >= model.min_length]
    outputs = answers_on(model, readable) if readable else []
    return {word: token_key(out[-1]) for word, out in zip(readable, outputs, strict=True)}


def _ways(word: Word, tokens: Sequence[Token], length: int, source: random.Random) -> list[Word]:
    """The word, longer, in a few ways."""
    more = min(-(-length // STEPS), length - len(word))
    if more == 1:
        return [(*word, token) for token in source.sample(tokens, min(CHOICES, len(tokens)))]
    return [(*word, *(source.choice(tokens) for _ in range(more))) for _ in range(CHOICES)]


def cost(length: int) -> int:
    """The pairs of positions that growing a word of a length takes."""
    return CHOICES * min(STEPS, length) * length * length // 3


def _pick(keys: Sequence[Any], seen: Counter[Any], greedy: bool, source: random.Random) -> int:
    """Which of the ways to take, by their last answers."""
    if source.random() < STRAY:
        return source.randrange(len(keys))
    counts = [seen[key] for key in keys]
    extreme = min(counts) if greedy else max(counts)
    fit = [i for i, count in enumerate(counts) if (count == extreme) == greedy]
    return source.choice(fit or list(range(len(keys))))
