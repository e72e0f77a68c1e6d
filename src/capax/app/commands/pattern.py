"""`capax pattern`: what an attention pattern needs, and which selector gives it."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, Split, Unchecked
from capax.errors import CapaxError

GROUP: Final = ("Programs", 8)
LONGEST_TEXT: Final = 1_000_000
"""A matrix of more characters is refused."""


def command(
    matrix: Annotated[
        str | None,
        typer.Argument(
            metavar="[MATRIX|FILE]", help="Rows as 100/110/111 or [[1, 0], [0, 1]]; or a .csv, .json or text file."
        ),
    ] = None,
    word: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="The input that the pattern is on; with --model the one argument."),
    ] = None,
    split: Split = "chars",
    keys: Annotated[str | None, typer.Option("--keys", help="The s-ops of keys, with commas between them.")] = None,
    queries: Annotated[str | None, typer.Option("--queries", help="The s-ops of queries, likewise.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="FILE", help="A model, whose head on INPUT has the pattern.")
    ] = None,
    head: Annotated[str | None, typer.Option("--head", metavar="L.H", help="The head of the model.")] = None,
    least: Annotated[float, typer.Option("--least", help="A weight up to this counts as none.")] = 1e-6,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Find the selector that gives an attention pattern, and the rank of scores that it needs.

    The exit code is 1 if no selector over the s-ops gives it; then two pairs are shown that no comparison tells apart.

    Example: capax pattern 100/110/111
    """
    from capax.app.inputs import read_input
    from capax.rasp.analysis.pattern.expression import NoSelector
    from capax.rasp.analysis.pattern.report import pattern

    if model is not None and word is None:
        matrix, word = None, matrix
    tokens = None if word is None else read_input(word, split)
    if (matrix is None) == (model is None):
        raise CapaxError("bad-option", "give a matrix, or --model FILE", hint="for instance: capax pattern 100/110/111")
    rows = _of_head(model, head, tokens, unchecked=unchecked) if model is not None else _read(matrix or "")
    result = pattern(rows, input=tokens, keys=_listed(keys), queries=_listed(queries), least=least)
    finish(result, as_json=as_json, yes=not isinstance(result.outcome, NoSelector))


def _listed(text: str | None) -> list[str] | None:
    """The s-ops of a list; commas inside brackets and strings are not between them."""
    if text is None:
        return None
    parts, depth, quoted, start = [], 0, False, 0
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth and not quoted:
            parts.append(text[start:place])
            start = place + 1
    sops = [part.strip() for part in (*parts, text[start:])]
    if not all(sops):
        raise CapaxError(
            "bad-option", f"`{text:.60}` is not a list of s-ops", hint="for instance: --keys 'tokens, indices'"
        )
    return sops


def _read(given: str) -> list[list[float]]:
    """The matrix that an argument or a file holds."""
    from capax.app.files.text_files import read_text

    if _is_matrix(given):
        return _rows(given, "the matrix")
    text = read_text(Path(given))
    if len(text) > LONGEST_TEXT:
        raise CapaxError("too-large", f"{given:.60} has more than {LONGEST_TEXT:,} characters")
    return _rows(text, given)


def _is_matrix(text: str) -> bool:
    return text.lstrip().startswith("[") or re.fullmatch(r"[01]+([/;\n][01]+)*", text.strip()) is not None


def _rows(text: str, name: str) -> list[list[float]]:
    """The rows of a matrix: JSON, numbers with commas or spaces between them, or digits 0 and 1."""
    try:
        if text.lstrip().startswith("["):
            return [[float(x) for x in row] for row in json.loads(text)]
        lines = [line for line in re.split(r"[/;\n]", text) if line.strip()]
        return [_numbers(line.strip()) for line in lines]
    except (ValueError, TypeError, RecursionError):
        what = f"{name:.60} is not a matrix of numbers"
        raise CapaxError("bad-pattern", what, hint="rows of 0 and 1, of numbers with commas, or JSON") from None


def _numbers(line: str) -> list[float]:
    if re.fullmatch(r"[01]+", line) and len(line) > 1:
        return [float(digit) for digit in line]
    words = {"true": "1", "false": "0"}
    return [float(words.get(cell.lower(), cell)) for cell in re.split(r"[,\s]+", line)]


def _of_head(path: str, head: str | None, tokens: list[Any] | None, *, unchecked: bool) -> list[list[float]]:
    """The weights of a head of a model on an input."""
    from capax.app.files.models import given_model
    from capax.model.parts import TensorHead

    if tokens is None or head is None:
        raise CapaxError("bad-option", "--model needs --head L.H and INPUT", hint="for instance --head 1.1")
    model = given_model(path, unchecked=unchecked)
    place = re.fullmatch(r"(\d{1,4})\.(\d{1,4})", head)
    layer, number = (int(part) - 1 for part in place.groups()) if place else (-1, -1)
    if not (0 <= layer < len(model.blocks) and 0 <= number < len(model.blocks[layer].heads)):
        heads = ", ".join(f"{b}.1 to {b}.{len(x.heads)}" for b, x in enumerate(model.blocks, 1) if x.heads)
        raise CapaxError("bad-option", f"the model has no head {head:.20}", hint=f"its heads are {heads or 'none'}")
    if isinstance(model.blocks[layer].heads[number], TensorHead):
        raise CapaxError(
            "bad-option", f"head {head} is of third order: it has no pattern of pairs", hint="take another"
        )
    if model.prefix:
        raise CapaxError(
            "bad-option", "the model has tokens before its words, which have no s-ops", hint="take another"
        )
    weights = model.run(tokens, trace=True, many=False).activations[f"blocks.{layer}.attn.pattern"][0, number]
    return [[min(1.0, float(x)) for x in row[: len(tokens)]] for row in weights]
