"""The parameters that the theorems on n-gram models share, and the random model that they are checked on."""

from capax.formal.ngram.fit import random_ngram
from capax.formal.ngram.ngram import NGram
from capax.tasks.base.parameter import Parameter

CITATION = "Svete and Cotterell, Transformers Can Represent n-gram Language Models, NAACL 2024"

PARAMETERS = (
    Parameter("order", 3, "n: a symbol depends on the n - 1 before it", 2, 8),
    Parameter("symbols", 3, "the size of the alphabet", 1, 200),
    Parameter("attention", "hard", "how scores become weights", choices=("hard", "sparsemax", "softmax")),
    Parameter("normaliser", "sparsemax", "how logits become probabilities", choices=("sparsemax", "softmax")),
    Parameter("numbers", "float64", "the number system", choices=("float64", "float32")),
    Parameter("length", 2000, "the length of the random words of the check", 1, 100_000),
    Parameter("zeros", 0.3, "the share of probabilities that are 0", 0, 0.9),
    Parameter("seed", 0, "of the random n-gram model and words", 0, 2**31),
)


def language(order: int, symbols: int, zeros: float, seed: int) -> NGram:
    """The n-gram model of given parameters."""
    return random_ngram(order, symbols, zeros=zeros, seed=seed)


def attentions(order: int, symbols: int, **more: object) -> tuple[dict[str, object], ...]:
    """A set of parameters for each kind of attention."""
    return tuple({"attention": a, "order": order, "symbols": symbols, **more} for a in ("hard", "sparsemax", "softmax"))
