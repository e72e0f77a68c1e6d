"""What the outputs of a Hugging Face model stand for: labels of tokens, or the token that comes next."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Readout
from capax.model.provenance import Record
from capax.model.vocabulary import Classes, Fractions, Nearest, Numbers, Token, token_key

Task = Literal["text-generation", "token-classification"]

MOST_LABELS: Final = 50_000


@dataclass(frozen=True, slots=True)
class Answers:
    """The task of a model and its answers: `values` in the order of its logits, empty where the answer is a number.

    `end` is the answer of a text-generation model that is not a token, if there is one: generation ends there.
    """

    task: Task
    values: tuple[Token, ...]
    end: Token | None = None


def answers_of(model: Model, *, causal: bool) -> Answers:
    """A causal model whose answers are tokens, all but one at most, generates text; any other one labels tokens."""
    match model.decoding:
        case Classes(values) | Nearest(_, values):
            known = {token_key(t) for t in model.vocabulary.tokens}
            foreign = [v for v in values if token_key(v) not in known]
            distinct = len({token_key(v) for v in values}) == len(values)
            if causal and distinct and len(foreign) <= 1 and len(values) > len(foreign):
                return Answers("text-generation", values, foreign[0] if foreign else None)
            return Answers("token-classification", values)
        case Fractions() | Numbers():
            return Answers("token-classification", ())


def with_logits(model: Model) -> Model:
    """The model with a logit for each answer where it has a number to which the nearest answer is to be found.

    The nearest of codes p to a number x has the highest 2 (p - c) (x - c) - (p - c)^2, whatever c is.
    """
    if not isinstance(model.decoding, Nearest):
        return model
    map, off, center = model.readout.map, *_codes(model.decoding)
    weight: Array = map.weight.astype(np.float64) * (2 * off)
    bias: Array = (float(map.bias[0]) - center) * 2 * off - off * off
    dtype = model.embedding.dtype
    readout = Readout(Affine(weight.astype(dtype), bias.astype(dtype)), model.readout.norm)
    return replace(model, readout=readout, decoding=Classes(model.decoding.values))


def number_behind(decoding: Nearest, logits: Array) -> Array:
    """The number x (n, 1) that logits (n, codes) were made of by `with_logits`."""
    off, center = _codes(decoding)
    if len(off) == 1:
        return np.full((len(logits), 1), float(decoding.codes[0]))
    reach = off[-1] - off[0]
    numbers = (logits[:, -1] - logits[:, 0] + off[-1] ** 2 - off[0] ** 2) / (2 * reach) + center
    return np.asarray(numbers)[:, None]


def _codes(decoding: Nearest) -> tuple[Array, float]:
    """The codes as distances from a middle one, and that one."""
    center = float(decoding.codes[len(decoding.codes) // 2])
    return np.array(decoding.codes, np.float64) - center, center


def decoding_of(description: Record) -> Classes | Nearest | Fractions | Numbers:
    """The decoding that `to_json` told of."""
    match description["kind"]:
        case "classes":
            return Classes(tuple(description["values"]))
        case "nearest":
            return Nearest(tuple(description["codes"]), tuple(description["values"]))
        case "fractions":
            return Fractions(description["most"], description["unit"], description.get("whole", False))
        case _:
            return Numbers()
