"""What the theorems on n-gram models share: their parameters, the random model they are checked on, and the check."""

from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.formal.ngram.fit import random_ngram
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import parameter
from capax.theorems.ngram.parts.equivalence import proved_equivalence, weak_equivalence
from capax.theorems.ngram.parts.predictor import LookBack, predictor


@dataclass(frozen=True, slots=True)
class NGramParameters:
    """The parameters of the theorems on n-gram models."""

    order: int = parameter(3, "n: a symbol depends on the n - 1 before it", 2, 8)
    symbols: int = parameter(3, "the size of the alphabet", 1, 200)
    attention: str = parameter("hard", "how scores become weights", choices=("hard", "sparsemax", "softmax"))
    normaliser: str = parameter("sparsemax", "how logits become probabilities", choices=("sparsemax", "softmax"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))
    length: int = parameter(2000, "the length of the random words of the check", 1, 100_000)
    zeros: float = parameter(0.3, "the share of probabilities that are 0", 0, 0.9)
    seed: int = parameter(0, "of the random n-gram model and words", 0, 2**31)


def language(at: NGramParameters) -> NGram:
    """The random n-gram model of these parameters."""
    return random_ngram(at.order, at.symbols, zeros=at.zeros, seed=at.seed)


def transformer(at: NGramParameters, look_back: LookBack) -> Model:
    """The transformer of the n-gram model whose heads look back in this way."""
    return predictor(language(at), look_back, numbers=at.dtype, normaliser=at.normaliser)


def verify(model: Model, at: NGramParameters) -> Report:
    """Whether a model gives every word the probability that the n-gram model gives it."""
    return weak_equivalence(model, language(at), length=at.length, seed=at.seed)


def prove(model: Model, at: NGramParameters, least: int) -> ModelProof | None:
    """Whether a model gives all words of up to a length the probability that the n-gram model gives them."""
    return proved_equivalence(model, language(at), least)


def first_failure(model: Model, at: NGramParameters, statement: str) -> Report:
    """The part of the check that fails, as evidence against a statement."""
    report = verify(model, at)
    return replace(next((part for part in report.parts if not part.holds), report), statement=statement)


def attentions(order: int, symbols: int, **more: object) -> tuple[dict[str, object], ...]:
    """A set of parameters for each kind of attention."""
    return tuple({"attention": a, "order": order, "symbols": symbols, **more} for a in ("hard", "sparsemax", "softmax"))
