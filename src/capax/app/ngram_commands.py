"""`capax ngram fit`, `sample` and `score`: a transformer that is an n-gram language model, from a text to a file."""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from capax.app.options import Unchecked
from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError
from capax.model.provenance import NGramRecord

ENDING = ".safetensors"
CHECKED = 20
"""So many lines of a corpus are run through the transformer before it is written."""
CHECKED_SYMBOLS = 1000
"""Of a longer line only the start is."""
MODEL = "A model file that `capax ngram fit` wrote."
Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]

ngram_app = typer.Typer(
    name="ngram",
    help="n-gram language models as transformers: fit, sample, score.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def split_line(line: str, split: str) -> Sequence[str]:
    """The symbols of a line: its characters, or its words."""
    return line.split() if split == "words" else line


def fit_to(
    corpus: str, order: int, output: str, *, smooth: float, split: str, attention: str, dtype: str
) -> dict[str, Any]:
    """A transformer for the n-gram model of a corpus, written to `output`: its size, and what the model is."""
    from capax.app.files.models import save_model
    from capax.formal.ngram.fit import counted
    from capax.formal.ngram.tight import tightness
    from capax.model.io.atomic import check_writable
    from capax.theorems.ngram.parts.equivalence import agreement_on
    from capax.theorems.ngram.parts.fitted import fitted, refuse_order

    if not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    check_writable(Path(output))
    refuse_order(order)
    words = [split_line(line, split) for line in read_corpus(corpus).split("\n") if line.strip()]
    counts = counted(words, order)
    language = counts.model(smooth)
    name = Path(corpus).name
    model = fitted(language, attention=attention, numbers=dtype, split=split, smooth=smooth, corpus=name)
    check = agreement_on(model, language, [word[:CHECKED_SYMBOLS] for word in words[:CHECKED]])
    assert check.holds, str(check)
    save_model(model, output)
    return {
        "corpus": name,
        "lines": len(words),
        "order": order,
        "smooth": smooth,
        "split": split,
        "symbols": len(language.alphabet),
        "histories": len(language.histories),
        "unseen": "uniform" if language.rest is not None else "none: every history has a row",
        "tight": tightness(language).holds,
        "perplexity": counts.perplexity(language),
        "checked": check.count,
        "checked_whole": all(len(word) <= CHECKED_SYMBOLS for word in words[:CHECKED]),
        "attention": attention,
        "numbers": dtype,
        "size": model.size.to_json(),
        "size_table": str(model.size),
        "file": output,
    }


def read_corpus(corpus: str) -> str:
    """The text of a file, or a text that comes with capax, by its name."""
    from capax.app.files.read import read_text
    from capax.formal.ngram.texts import text, text_names

    return text(corpus) if corpus in text_names() and not Path(corpus).exists() else read_text(Path(corpus))


def language_model(path: str, *, unchecked: bool = False) -> tuple[Any, NGramRecord]:
    """The model in a file, and what the file says of its language."""
    from capax.app.files.models import given_model

    model = given_model(path, unchecked=unchecked)
    record = model.provenance.ngram
    if record is None:
        hint = "`capax ngram fit CORPUS -n 3 -o lm.safetensors` writes one"
        raise CapaxError("bad-ngram", f"{path} is no n-gram language model", hint=hint)
    return model, record


def sample(
    path: str, *, count: int, longest: int, temperature: float, seed: int, unchecked: bool = False
) -> dict[str, Any]:
    """Random words of the language model in a file, drawn token by token with kept keys and values."""
    model, record = language_model(path, unchecked=unchecked)
    if count < 1 or longest < 1:
        raise CapaxError(
            "bad-option", f"{count} words of at most {longest} symbols cannot be drawn", hint="give 1 or more"
        )
    longest = min(longest, model.max_length or longest)
    found, tokens = [], 0
    start = time.perf_counter()
    for number in range(count):
        # Words of one seed differ from each other, and the first so many do not depend on how many there are.
        drawn = model.generate([], longest, temperature=temperature, seed=1_000_003 * seed + number, stop=record.end)
        tokens += len(drawn)
        ended = bool(drawn) and drawn[-1] == record.end
        found.append({"text": joined(drawn[:-1] if ended else drawn, record), "ended": ended})
    seconds = time.perf_counter() - start
    return {"words": found, "seed": seed, "tokens": tokens, "seconds": seconds, "tokens_per_second": tokens / seconds}


def joined(symbols: Sequence[Any], record: NGramRecord) -> str:
    """Symbols as a text."""
    return (" " if record.split == "words" else "").join(map(str, symbols))


def score(path: str, lines: Sequence[str], *, unchecked: bool = False) -> dict[str, Any]:
    """The log-probability of each line and the perplexity of all, by the language model in a file."""
    import numpy as np

    from capax.theorems.ngram.parts.equivalence import distributions

    model, record = language_model(path, unchecked=unchecked)
    results, total, count = [], 0.0, 0
    for line in lines:
        symbols = split_line(line, record.split or "chars")
        rows = model.read(symbols)[len(model.prefix) :]
        ends = [*rows, model.decoding.values.index(record.end)]
        chosen = distributions(model, np.array([rows], dtype=np.int64))[0][np.arange(len(ends)), ends]
        with np.errstate(divide="ignore"):
            log = math.fsum(np.log(chosen))
        results.append({"text": line, "tokens": len(ends), "log_probability": log})
        total, count = total + log, count + len(ends)
    if not count:
        raise CapaxError("empty-input", "there is no text to score", hint="give a text, or - to read standard input")
    perplexity = math.exp(-total / count) if total > -math.inf else math.inf
    return {"lines": results, "tokens": count, "log_probability": total, "perplexity": perplexity}


def register(app: typer.Typer) -> None:
    """Adds the commands to the command line."""
    app.add_typer(ngram_app)


@ngram_app.command(name="fit")
def _fit(
    corpus: Annotated[
        str, typer.Argument(metavar="CORPUS", help="A text file with a word in each line, or `sonnets`.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")],
    order: Annotated[int, typer.Option("-n", "--order", metavar="N", help="A symbol depends on the N - 1 before.")] = 3,
    smooth: Annotated[float, typer.Option("--smooth", metavar="K", help="Add K to each count; 0 keeps zeros.")] = 0.0,
    words: Annotated[
        bool, typer.Option("--words/--chars", help="The symbols of a line: words, or characters.")
    ] = False,
    attention: Annotated[str, typer.Option("--attention", help="softmax, sparsemax or hard.")] = "softmax",
    dtype: Annotated[str, typer.Option("--dtype", help="float32 or float64.")] = "float32",
    as_json: Json = False,
) -> None:
    """Count n-grams in a text and write the transformer with one head that is their language model.

    Only histories that the text has get a unit; after any other, everything is equally likely.

    Example: capax ngram fit sonnets -n 3 -o lm.safetensors
    """
    split = "words" if words else "chars"
    result = fit_to(corpus, order, output, smooth=smooth, split=split, attention=attention, dtype=dtype)
    table = result.pop("size_table")
    if as_json:
        print_json(result)
        return
    after = "after histories that it lacks, all symbols are equally likely" if result["unseen"] == "uniform" else ""
    starts = "" if result["checked_whole"] else f", of long ones on the first {CHECKED_SYMBOLS:,} symbols"
    lines = [
        f"{result['corpus']}: {result['lines']:,} lines, {result['symbols']:,} symbols ({split}), order {order}",
        f"{result['histories']:,} histories" + (f"; {after}" if after else ""),
        f"perplexity {result['perplexity']:.4g} on the corpus itself",
        "the finite words have total probability 1" if result["tight"] else "endless words have positive probability",
        f"the transformer and the counts agree on the first {result['checked']} lines{starts}",
    ]
    print_text("\n".join([*lines, "", table]))
    say(f"written to {output}")


@ngram_app.command(name="sample")
def _sample(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    count: Annotated[int, typer.Option("--count", metavar="N", help="How many words.")] = 5,
    longest: Annotated[int, typer.Option("--max-length", metavar="N", help="The most symbols of a word.")] = 200,
    temperature: Annotated[float, typer.Option("--temperature", help="1 is the model itself, 0 the likeliest.")] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the draws.")] = 0,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Draw words from a language model, token by token, with kept keys and values.

    Example: capax ngram sample lm.safetensors --count 3
    """
    result = sample(model, count=count, longest=longest, temperature=temperature, seed=seed, unchecked=unchecked)
    if as_json:
        print_json(result)
        return
    print_text("\n".join(item["text"] + ("" if item["ended"] else " ...") for item in result["words"]))
    say(f"{result['tokens']:,} tokens, {result['tokens_per_second']:,.0f} per second")


@ngram_app.command(name="score")
def _score(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text, a word in each line; - reads standard input.")],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show the log-probability and perplexity of a text under a language model. Exit code 1 if it is impossible.

    Example: capax ngram score lm.safetensors "When forty winters"
    """
    from capax.app.process.streams import read_stdin

    given = read_stdin() if text == "-" else text
    result = score(model, [line for line in given.split("\n") if line.strip()], unchecked=unchecked)
    if as_json:
        print_json(result)
    else:
        lines = [f"{item['log_probability']:12.4f}  {item['text']}" for item in result["lines"]]
        print_text("\n".join([*lines, f"perplexity {result['perplexity']:.6g} over {result['tokens']:,} tokens"]))
    if result["perplexity"] == math.inf:
        raise typer.Exit(1)
