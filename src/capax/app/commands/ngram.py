"""`capax ngram`: a transformer that is an n-gram language model, from a text to a file, and what it says of texts."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, Unchecked, check_output, choice
from capax.app.process.output import say
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.auditor.model_proof import ModelProof
    from capax.formal.ngram.ngram import NGram
    from capax.model.model import Model
    from capax.model.provenance import NGramRecord
    from capax.model.size import Size

GROUP: Final = ("What transformers can do", 3)
CHECKED: Final = 20
"""How many lines of a corpus are run through the transformer before it is written."""
CHECKED_SYMBOLS: Final = 1000
"""How many symbols of a longer line are."""
PROVED: Final = 1000
"""At least so many short words are run, all up to a length."""
MODEL: Final = "A model file that `capax ngram fit` wrote."

commands = typer.Typer(
    help="n-gram language models as transformers: fit, sample, score, next, space.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@commands.command(name="fit")
def _fit(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="A text file with one word per line, or `sonnets`.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")],
    order: Annotated[
        int, typer.Option("-n", "--order", metavar="N", help="A symbol depends on the N - 1 before it.")
    ] = 3,
    smooth: Annotated[float, typer.Option("--smooth", metavar="K", help="Add K to each count; 0 keeps zeros.")] = 0.0,
    split: Annotated[str, choice("--as", choices=("chars", "words"), help="The symbols of a line.")] = "chars",
    attention: Annotated[
        str, choice("--attention", choices=("softmax", "sparsemax", "hard"), help="How scores become weights.")
    ] = "softmax",
    dtype: Annotated[str, choice("--dtype", choices=("float32", "float64"), help="The number system.")] = "float32",
    as_json: Json = False,
) -> None:
    """Count n-grams in a text and write the one-head transformer that is their language model.

    Only histories that occur in the text get a unit; after any other, all symbols are equally likely.

    Example: capax ngram fit sonnets -n 3 -o lm.safetensors
    """
    if split not in ("chars", "words"):
        raise CapaxError("bad-option", f"--as is chars or words, not {split!r:.40}", hint="--as words")
    fitted = fit_to(corpus, order, output, smooth=smooth, split=split, attention=attention, dtype=dtype)
    finish(fitted, as_json=as_json, written=output)


@commands.command(name="sample")
def _sample(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    number: Annotated[int, typer.Option("--count", metavar="N", help="How many words.")] = 5,
    longest: Annotated[int, typer.Option("--max-length", metavar="N", help="The maximum length of a word.")] = 200,
    temperature: Annotated[
        float, typer.Option("--temperature", help="1 samples from the model, 0 takes the likeliest symbol.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the draws.")] = 0,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Draw words from a language model, token by token, with a key-value cache.

    Example: capax ngram sample lm.safetensors --count 3
    """
    drawn = sample(model, number=number, longest=longest, temperature=temperature, seed=seed, unchecked=unchecked)
    finish(drawn, as_json=as_json)
    if not as_json:
        say(f"{drawn.tokens:,} tokens, {drawn.tokens_per_second:,.0f} per second")


@commands.command(name="score")
def _score(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    text: Annotated[
        str | None, typer.Argument(metavar="INPUT", help="The text, one word per line; - reads standard input.")
    ] = None,
    file: Annotated[str | None, typer.Option("--file", metavar="FILE", help="Read the text from a file.")] = None,
    prefix: Annotated[
        bool, typer.Option("--prefix", help="The probability that a word begins with the line, whatever follows.")
    ] = False,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show the log-probability and perplexity of a text under a language model. Exit code 1 if it is impossible.

    Example: capax ngram score lm.safetensors "When forty winters"
    """
    from capax.app.process.streams import read_stdin

    if (text is None) == (file is None):
        hint = 'for instance: capax ngram score lm.safetensors "When forty winters"'
        raise CapaxError("bad-option", "give either INPUT or --file FILE", hint=hint)
    whole = _read_corpus(file) if file is not None else read_stdin() if text == "-" else str(text)
    lines = [line for line in whole.split("\n") if line.strip()]
    if prefix and text == "":
        lines = [""]
    try:
        scored = score(model, lines, prefix=prefix, unchecked=unchecked)
    except CapaxError as error:
        if error.code == "unknown-token" and text is not None and Path(text).is_file():
            error.hint = f"{text} was scored as a text; for what the file holds: --file {text}"
        raise
    finish(scored, as_json=as_json, yes=scored.perplexity != math.inf)


@commands.command(name="next")
def _next(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    text: Annotated[str, typer.Argument(metavar="INPUT", help="The start of a word; may be empty.")],
    top: Annotated[int, typer.Option("--top", metavar="K", help="How many symbols are shown.")] = 10,
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="FILE", help="Show the counts of this text beside the model.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what follows a text: the distribution of the next symbol, the end included, likeliest first.

    Exit code 1 if no word begins with the text, or if the counts of the corpus differ from the model.

    Example: capax ngram next lm.safetensors "When fort" --corpus sonnets
    """
    from capax.app.commands._ngram_next import next_symbol

    law = next_symbol(*_language_model(model, unchecked=unchecked), text, top=top, counts=_counts(corpus))
    finish(law, as_json=as_json, yes=law.possible and law.agrees)


@commands.command(name="space")
def _space(
    order: Annotated[int, typer.Option("-n", "--order", metavar="N", help="The order of the model.")] = 3,
    length: Annotated[int, typer.Option("--length", metavar="T", help="The length of the text.")] = 1000,
    measured: Annotated[
        int, typer.Option("--rows", metavar="N", help="How many rows of scores to compute in search of a wrong one.")
    ] = 120_000,
    as_json: Json = False,
) -> None:
    """Show how many bits each construction needs for texts of a length, and where it stops being exact.

    Example: capax ngram space -n 4 --length 10000
    """
    from capax.app.commands._ngram_space import space

    finish(space(order, length, measured), as_json=as_json)


@dataclass(frozen=True, slots=True)
class FittedModel:
    """An n-gram model of a corpus as a transformer: what it was fitted to, and what it is."""

    corpus: str
    lines: int
    order: int
    smooth: float
    split: str
    symbols: int
    histories: int
    uniform: bool
    """Whether all symbols are equally likely after a history that the corpus lacks."""
    tight: bool
    perplexity: float
    checked: int
    checked_whole: bool
    proof: "ModelProof | None"
    """All short words, each with its probability; None where these are too many for the model's size."""
    attention: str
    numbers: str
    size: "Size"
    file: str

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        before = ("corpus", "lines", "order", "smooth", "split", "symbols", "histories")
        after = ("tight", "perplexity", "checked", "checked_whole", "attention", "numbers", "size", "file")
        unseen = "uniform" if self.uniform else "none: every history has a row"
        proof = None if self.proof is None else self.proof.to_json()
        return parts(self, *before) | {"unseen": unseen} | parts(self, *after) | {"proof": proof}

    def render(self) -> str:
        """The corpus, the language model, the check, and the table of sizes."""
        after = "; after any other history, all symbols are equally likely" if self.uniform else ""
        starts = "" if self.checked_whole else f", of long ones on the first {CHECKED_SYMBOLS:,} symbols"
        endless = "finite words have total probability 1" if self.tight else "endless words have positive probability"
        lines = [
            f"{self.corpus}: {self.lines:,} lines, {self.symbols:,} symbols ({self.split}), order {self.order}",
            f"{self.histories:,} histories{after}",
            f"perplexity {self.perplexity:.4g} on the corpus itself",
            endless,
            f"the transformer and the counts agree on the first {self.checked} lines{starts}",
        ]
        lines += [] if self.proof is None else [str(self.proof)]
        return "\n".join([*lines, "", str(self.size)])


def fit_to(
    corpus: str, order: int, output: str, *, smooth: float, split: str, attention: str, dtype: str
) -> FittedModel:
    """A transformer for the n-gram model of a corpus, written to `output`."""
    from capax.app.files.models import save_model
    from capax.formal.ngram.fit import counted
    from capax.formal.ngram.tight import tightness
    from capax.model.io.atomic import check_writable
    from capax.theorems.ngram.parts.equivalence import agreement_on, proved_equivalence
    from capax.theorems.ngram.parts.one_head import fitted, refuse_order

    check_output(output)
    check_writable(Path(output))
    refuse_order(order)
    words = _corpus_words(corpus, split)
    counts = counted(words, order)
    language = counts.model(smooth)
    name = Path(corpus).name
    model = fitted(language, attention=attention, numbers=dtype, split=split, smooth=smooth, corpus=name)
    check = agreement_on(model, language, [word[:CHECKED_SYMBOLS] for word in words[:CHECKED]])
    assert check.holds, str(check)
    proof = proved_equivalence(model, language, PROVED)
    assert proof is None or proof.holds, str(proof)
    save_model(model, output)
    return FittedModel(
        name,
        len(words),
        order,
        smooth,
        split,
        symbols=len(language.alphabet),
        histories=len(language.histories),
        uniform=language.rest is not None,
        tight=tightness(language).holds,
        perplexity=counts.perplexity(language),
        checked=check.count or 0,
        checked_whole=all(len(word) <= CHECKED_SYMBOLS for word in words[:CHECKED]),
        proof=proof,
        attention=attention,
        numbers=dtype,
        size=model.size,
        file=output,
    )


def _symbols(line: str, split: str) -> Sequence[str]:
    """The symbols of a line: its characters, or its words."""
    return line.split() if split == "words" else line


def _corpus_words(corpus: str, split: str) -> list[Sequence[str]]:
    """The words of a corpus: its lines that are not blank."""
    return [_symbols(line, split) for line in _read_corpus(corpus).split("\n") if line.strip()]


def _counts(corpus: str | None) -> "Callable[[NGramRecord], NGram] | None":
    """The n-gram model of a corpus, counted as a model's file says; None without a corpus."""
    if corpus is None:
        return None

    def count_as(record: "NGramRecord") -> "NGram":
        from capax.formal.ngram.fit import counted

        words = _corpus_words(corpus, record.split or "chars")
        return counted(words, record.order).model(record.smooth or 0.0)

    return count_as


def _read_corpus(corpus: str) -> str:
    """The text of a file, or a text that comes with capax, by its name."""
    from capax.app.files.text_files import read_text
    from capax.formal.ngram.texts import text, text_names

    return text(corpus) if corpus in text_names() and not Path(corpus).exists() else read_text(Path(corpus))


def _language_model(path: str, *, unchecked: bool) -> "tuple[Model, NGramRecord]":
    """The model in a file, and what the file says of its language."""
    from capax.app.files.models import given_model

    model = given_model(path, unchecked=unchecked)
    record = model.provenance.ngram
    if record is None:
        hint = "`capax ngram fit CORPUS -n 3 -o lm.safetensors` writes one"
        raise CapaxError("bad-ngram", f"{path} is not an n-gram language model", hint=hint)
    return model, record


@dataclass(frozen=True, slots=True)
class SampledWord:
    """A word that was drawn, and whether it came to its end."""

    text: str
    ended: bool


@dataclass(frozen=True, slots=True)
class SampledWords:
    """Words drawn from a language model, and how long that took."""

    words: tuple[SampledWord, ...]
    seed: int
    tokens: int
    seconds: float

    @property
    def tokens_per_second(self) -> float:
        """How fast the words were drawn."""
        return self.tokens / self.seconds

    def to_json(self) -> dict[str, Any]:
        """The words and the speed."""
        return parts(self) | parts(self, "tokens_per_second")

    def render(self) -> str:
        """A line for each word."""
        return "\n".join(word.text + ("" if word.ended else " ...") for word in self.words)


def sample(
    path: str, *, number: int, longest: int, temperature: float, seed: int, unchecked: bool = False
) -> SampledWords:
    """Random words of the language model in a file, drawn token by token with a key-value cache."""
    model, record = _language_model(path, unchecked=unchecked)
    if number < 1 or longest < 1:
        what = f"{number} words of at most {longest} symbols cannot be drawn"
        raise CapaxError("bad-option", what, hint="give 1 or more")
    longest = min(longest, model.max_length or longest)
    end, gap = record.end, " " if record.split == "words" else ""
    words, tokens = [], 0
    start = time.perf_counter()
    for k in range(number):
        # The words of one seed differ from each other, and the first k do not depend on how many there are.
        drawn = model.generate([], longest, temperature=temperature, seed=1_000_003 * seed + k, stop=end)
        tokens += len(drawn)
        ended = bool(drawn) and drawn[-1] == end
        words.append(SampledWord(gap.join(map(str, drawn[:-1] if ended else drawn)), ended))
    return SampledWords(tuple(words), seed, tokens, time.perf_counter() - start)


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line, the number of its tokens with the end, and its log-probability."""

    text: str
    tokens: int
    log_probability: float


@dataclass(frozen=True, slots=True)
class ScoredText:
    """The log-probabilities of lines under a language model."""

    lines: tuple[ScoredLine, ...]

    @property
    def tokens(self) -> int:
        """The tokens of all lines."""
        return sum(line.tokens for line in self.lines)

    @property
    def log_probability(self) -> float:
        """The log-probability of all lines."""
        return sum(line.log_probability for line in self.lines)

    @property
    def perplexity(self) -> float:
        """The perplexity of all lines: infinite if one of them is impossible, 1 if there are no tokens."""
        if not self.tokens:
            return 1.0
        return math.exp(-self.log_probability / self.tokens) if self.log_probability > -math.inf else math.inf

    def to_json(self) -> dict[str, Any]:
        """Each line, and the sums."""
        return parts(self, "lines", "tokens", "log_probability", "perplexity")

    def render(self) -> str:
        """A line for each line, and the perplexity."""
        lines = [f"{line.log_probability:12.4f}  {line.text}" for line in self.lines]
        return "\n".join([*lines, f"perplexity {self.perplexity:.6g} over {self.tokens:,} tokens"])


def score(path: str, lines: Sequence[str], *, prefix: bool = False, unchecked: bool = False) -> ScoredText:
    """The log-probability of each line, by the language model in a file; with `prefix` that a word begins with it."""
    import numpy as np

    from capax.model.vocabulary import Classes
    from capax.theorems.ngram.parts.equivalence import distributions

    model, record = _language_model(path, unchecked=unchecked)
    assert isinstance(model.decoding, Classes)
    scored = []
    for line in lines:
        rows = model.read(_symbols(line, record.split or "chars"))[len(model.prefix) :]
        ends = [*rows] if prefix else [*rows, model.decoding.values.index(record.end)]
        if not ends:
            scored.append(ScoredLine(line, 0, 0.0))
            continue
        chosen = distributions(model, np.array([rows], dtype=np.int64))[0][np.arange(len(ends)), ends]
        with np.errstate(divide="ignore"):
            scored.append(ScoredLine(line, len(ends), math.fsum(np.log(chosen))))
    if not scored:
        raise CapaxError("empty-input", "there is no text to score", hint="give a text, or - to read standard input")
    return ScoredText(tuple(scored))
