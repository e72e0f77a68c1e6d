"""Generation: the next token again and again, greedily or by sampling, with kept keys and values."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.run.cache import Cache, MakeStore, check_causal
from capax.model.run.lookup.key_store import lookup_store
from capax.model.run.run import probabilities, refuse_nan
from capax.model.vocabulary import Classes, Token, token_key


def generate(
    model: Model,
    prompt: Iterable[Any],
    steps: int,
    *,
    temperature: float = 0.0,
    seed: int | None = None,
    stop: Token | None = None,
    make_store: MakeStore = lookup_store,
) -> list[Token]:
    """Up to `steps` tokens that follow a prompt; see `stream`."""
    tokens = list(prompt)
    if steps < 0:
        raise CapaxError("bad-option", f"the number of steps is {steps}", hint="give 0 or more")
    if model.max_length is not None and len(tokens) + steps - 1 > model.max_length:
        raise CapaxError(
            "word-length",
            f"{steps} tokens after a prompt of {len(tokens)} are more than the model is made for, which is "
            f"{model.max_length}",
            hint=f"ask for at most {max(0, model.max_length - len(tokens) + 1)}",
        )
    following: list[Token] = []
    follow = stream(model, tokens, temperature=temperature, seed=seed, stop=stop, make_store=make_store)
    while len(following) < steps and (token := next(follow, None)) is not None:
        following.append(token)
    return following


def stream(
    model: Model,
    prompt: Iterable[Any],
    *,
    temperature: float = 0.0,
    seed: int | None = None,
    stop: Token | None = None,
    make_store: MakeStore = lookup_store,
) -> Iterator[Token]:
    """The tokens that follow a prompt, one after the other as they are asked for.

    At temperature 0 the token with the highest logit follows (of equal ones the first); at another, tokens are drawn
    from the model's distribution over logits divided by it, with a `seed`. The stream ends after the token `stop`, or
    when the word has the greatest length that the model is made for; otherwise it does not end. Keys and values are
    kept: a token costs one query per head, and hard-attention heads with small keys look their keys up.
    """
    tokens = list(prompt)
    values = _check(model, temperature, seed, stop)
    rows = model.read(tokens)
    if not rows:
        raise CapaxError("empty-input", "there is nothing to continue: the prompt is empty", hint="give a token")
    return _follow(model, values, rows, len(tokens), temperature, seed, stop, Cache(model, make_store))


def _follow(
    model: Model,
    values: tuple[Token, ...],
    rows: list[int],
    length: int,
    temperature: float,
    seed: int | None,
    stop: Token | None,
    cache: Cache,
) -> Iterator[Token]:
    random = np.random.default_rng(seed)
    known: dict[int, list[int]] = {}
    while True:
        logits = cache.feed(rows)[-1]
        choice = int(logits.argmax())
        if np.isnan(logits[choice]):  # which is the highest of all, if it is there
            refuse_nan(model, logits[None], length - 1)
        if temperature != 0:
            # A single draw from the cumulative sums: the same seed gives the same tokens everywhere.
            sums = np.cumsum(probabilities(model, logits, temperature))
            choice = min(int(np.searchsorted(sums, random.random() * sums[-1], side="right")), len(values) - 1)
        token = values[choice]
        yield token
        length += 1
        if _same(token, stop) or (model.max_length is not None and length > model.max_length):
            return
        if choice not in known:
            known[choice] = model.vocabulary.rows([token])
        rows = known[choice]


def _same(token: Token, stop: Token | None) -> bool:
    return stop is not None and token_key(token) == token_key(stop)


def _check(model: Model, temperature: float, seed: int | None, stop: Token | None) -> tuple[Token, ...]:
    """The tokens that the model answers with; raises an error when it cannot generate as asked."""
    if not isinstance(model.decoding, Classes):
        raise CapaxError(
            "not-generative",
            "the model answers with one number, not with a token",
            hint="generation needs a model with one logit per token",
        )
    known = {token_key(token) for token in model.vocabulary.tokens}
    for value in model.decoding.values:
        if token_key(value) not in known and not _same(value, stop):
            raise CapaxError(
                "not-generative",
                f"the model may answer {value!r:.60}, which it cannot read as a token",
                hint="generation needs answers that are tokens, or the token to stop at",
            )
    check_causal(model)
    if not (np.isfinite(temperature) and temperature >= 0):
        raise CapaxError("bad-option", f"the temperature is {temperature}", hint="give 0 (greedy) or a positive number")
    if temperature > 0 and seed is None:
        raise CapaxError("bad-option", "sampling needs a seed", hint="give seed=0, or temperature=0 to take the best")
    return model.decoding.values
