"""docs/reference/model-file.md is complete: a reader written from it alone gives the logits and answers of capax."""

import ast
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import library, theorems
from capax.errors import CapaxError
from capax.formal.ngram.fit import fit
from capax.model.io.file import to_bytes
from capax.model.model import Model
from capax.model.parts import ATTENTION_KINDS, MASKS, AttentionKind, TensorHead
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import Numbers, token_key
from capax.theorems.ngram.parts.one_head import fitted
from tests.agree import model_file_reader
from tests.agree.model_file_reader import Reader
from tests.agree.test_model import agrees, shape_for
from tests.support.models import Draw, words
from tests.support.perturbed import PROGRAMS, compiled

READER = Path(model_file_reader.__file__)
FLOATS = ("float64", "float32", "float16", "bfloat16")
ORDERS = 4
"""How many times the usual tolerance: sums of hundreds of terms are added in an order that depends on the machine."""


def test_the_reader_imports_nothing_of_capax() -> None:
    """Nor anything else but numpy and the standard library."""
    names = set()
    for node in ast.walk(ast.parse(READER.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).split(".")[0])
        assert not (isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval", "importlib"))
    assert names - {"numpy"} <= sys.stdlib_module_names
    assert len(READER.read_text(encoding="utf-8").splitlines()) < 300


def some_words(model: Model, count: int, longest: int, seed: int) -> list[list[Any]]:
    """Random words that a model takes, of several lengths, the least and the greatest among them."""
    source = random.Random(seed)
    before = {token_key(t) for t in model.prefix}
    tokens = [t for t in model.vocabulary.tokens if token_key(t) not in before] or list(model.vocabulary.tokens)
    most = min(longest, model.max_length or longest)
    least = max(model.min_length, 1)
    lengths = [least, max(least, most), *(source.randint(least, max(least, most)) for _ in range(count))]
    return [[source.choice(tokens) for _ in range(n)] for n in lengths]


def compare(model: Model, given: list[list[Any]], *, exact: bool) -> int:
    """The number of words on which both have numbers: equal answers, or logits that are equal up to rounding.

    Answers with `exact`, unless they are the logits themselves.
    """
    reader, compared = Reader(to_bytes(model)), 0
    for word in given:
        wanted = logits_of(model, [word])[0]
        with np.errstate(all="ignore"):
            found = reader.logits(word)
        if not np.isfinite(wanted).all():
            assert not np.isfinite(found).all()
            continue
        if exact and not isinstance(model.decoding, Numbers):
            answers = reader.answers(word)
            assert [token_key(a) for a in answers] == [token_key(a) for a in model(word)], word
        else:
            assert agrees(model.numbers, wanted, found, times=ORDERS), (word, wanted, found)
        compared += 1
    return compared


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_programs(name: str, dtype: str) -> None:
    """Every answer is the same, with its type; and in the short floats the logits."""
    model = compiled(name, dtype).model
    assert compare(model, some_words(model, 2, 8, 1), exact=True) == 4
    for numbers in ("bfloat16", "float16"):
        assert compare(model.to(numbers), some_words(model, 0, 8, 2), exact=False) == 2


SIZES = {"composition": {"n": 6}}
"""Where the sizes that a theorem lists are large for plain loops."""


@cache
def proved(name: str) -> Model | None:
    """The model of a theorem at one of its sizes, if it can be kept in a file in floats."""
    theorem = theorems.theorem(name)
    model = theorem.build(**(SIZES.get(name) or (theorem.small or ({},))[-1]))
    return None if model.size.oracles or model.numbers not in FLOATS else model


@pytest.mark.parametrize("name", theorems.names())
def test_theorems(name: str) -> None:
    """Hard heads with sinks and ties, third-order heads, n-grams, decoders of Turing machines."""
    model = proved(name)
    if model is None:
        pytest.skip("its model holds a map that is no network, or is not in floats")
    tensor = any(isinstance(head, TensorHead) for block in model.blocks for head in block.heads)
    found = compare(model, some_words(model, 0, 4 if tensor else 7, 3), exact=True)
    assert found == 2


def test_the_kinds_that_theorems_have() -> None:
    """What the test above is for does occur in it."""
    models = [model for name in theorems.names() if (model := proved(name)) is not None]
    heads = [head for model in models for block in model.blocks for head in block.heads]
    plain = [head for head in heads if not isinstance(head, TensorHead)]
    assert len(models) > 20
    assert len(plain) < len(heads)
    assert {"softmax", "average-hard", "leftmost-hard", "rightmost-hard"} <= {head.attention for head in plain}
    assert any(head.sink is not None and head.attention.endswith("-hard") for head in plain)
    assert {"none", "causal", "strict past"} <= {head.mask for head in plain}
    assert any(model.prefix for model in models)


@pytest.mark.parametrize("numbers", FLOATS)
@pytest.mark.parametrize("kind", ATTENTION_KINDS)
@settings(max_examples=8)
@given(st.data())
def test_random_models(kind: AttentionKind, numbers: str, data: st.DataObject) -> None:
    """Every mask, sink, norm, activation, decoding and third-order head."""
    shape = shape_for(numbers, (kind,), MASKS)
    model = Draw(shape, data.draw(st.integers(0, 2**32 - 1))).model().to(numbers)
    word = list(data.draw(words()))
    assert compare(model, [word], exact=False) == 1


@pytest.mark.parametrize("attention", ["softmax", "sparsemax", "hard"])
def test_language_models(attention: str) -> None:
    """That were fitted to a text."""
    language = fit([list("abba"), list("abab"), list("bba")], 3)
    model = fitted(language, attention=attention, numbers="float32", split="chars", smooth=0.0, corpus="text")
    assert compare(model, some_words(model, 3, 7, 4), exact=False) == 5


def test_a_target_with_a_first_token() -> None:
    """A model compiled for another tool, with a token before every word."""
    model = capax.compile(library.hist_nobos, alphabet="abc", max_length=6, target="hf").model
    assert model.prefix
    assert compare(model, some_words(model, 5, 6, 5), exact=True) == 7


def test_what_the_reader_refuses() -> None:
    """A changed byte, and words that the model is not made for."""
    model = compiled("reverse").model
    data = to_bytes(model)
    with pytest.raises(ValueError, match="digest"):
        Reader(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ValueError, match="length"):
        Reader(data).logits(["a"] * 9)
    with pytest.raises(KeyError):
        Reader(data).logits(["z"])
    with pytest.raises(CapaxError):
        model(["z"])


class Divided(Reader):
    """A reader that divides each weight before the sum."""

    def mean(self, kind: str, scores: list[Any], values: list[Any], width: int) -> Any:
        """The sum of values times rounded shares."""
        ones = list(np.eye(len(values), dtype=self.type))
        return super().mean(kind, scores, ones, len(values)) @ np.array(values, self.type) if values else 0


class SinkFirst(Reader):
    """A reader that takes the sink for the first key."""

    def mean(self, kind: str, scores: list[Any], values: list[Any], width: int) -> Any:
        """The mean with the last key, which is the sink of these models, before all others."""
        return super().mean(kind, [*scores[-1:], *scores[:-1]], [*values[-1:], *values[:-1]], width)


@pytest.mark.parametrize(("name", "other"), [("majority", Divided), ("dyck", SinkFirst)])
def test_rules_that_are_needed(name: str, other: type[Reader]) -> None:
    """Without the rules on quotients and sinks some answers would be wrong."""
    model = proved(name)
    assert model is not None
    data = to_bytes(model)
    right, wrong = Reader(data), other(data)
    even = [random.Random(k).sample(list("01") * k, 2 * k) for k in range(1, 30)]  # as many of each
    given = even if name == "majority" else some_words(model, 40, 12, 6)
    assert all(right.answers(word) == model(word) for word in given)
    assert any(wrong.answers(word) != model(word) for word in given)
