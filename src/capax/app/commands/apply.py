"""`capax apply`: the answers of a model on an input."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish, is_word
from capax.app.options import DASHES, MODEL, Json, Split, Unchecked
from capax.app.process.output import say
from capax.errors import CapaxError
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.sequence import format_value, visible_string

if TYPE_CHECKING:
    from capax.model.model import Model

GROUP: Final = ("Models", 2)
SETTINGS: Final = DASHES


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")],
    split: Split = "chars",
    logits: Annotated[bool, typer.Option("--logits", help="Show the logits behind the answers.")] = False,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Apply a model to an input.

    Example: capax apply previous.safetensors abcab
    """
    from capax.app.inputs import read_input

    if word.endswith(".safetensors") and not Path(model).exists():
        hint = f"the model comes first: capax apply {word} {model}"
        raise CapaxError("file-not-found", f"there is no file {model}", hint=hint)
    answers = apply(model, read_input(word, split), logits=logits, unchecked=unchecked)
    finish(answers, as_json=as_json)
    if answers.note is not None:
        say(answers.note)


@dataclass(frozen=True, slots=True)
class Logits:
    """The numbers behind answers: the names of the outputs, and a row for each position."""

    outputs: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """The answers of a model on an input, the logits behind them if they were asked for, and a note about the input."""

    model: str
    tokens: list[Any]
    values: list[Any]
    logits: Logits | None
    note: str | None

    @property
    def type(self) -> str:
        """The type of the answers as the language names it; `mixed` where it has no name."""
        try:
            return sequence_type(self.values) if self.values else "none"
        except CapaxError:
            return "mixed"

    def to_json(self) -> Any:
        """The answers alone; with logits everything."""
        if self.logits is None:
            return self.values
        whole = {"model": self.model, "input": self.tokens, "type": self.type, "values": self.values}
        return whole | {"outputs": list(self.logits.outputs), "logits": [list(row) for row in self.logits.rows]}

    def render(self) -> str:
        """The answers, and below them a table of the logits if there are any."""
        from capax.app.repl.screen import show_values, show_word
        from capax.draw.ink.terminal import pad
        from capax.draw.shapes.text_width import columns

        word = "".join(self.tokens) if is_word(self.tokens) else self.tokens
        line = f"{self.model}({show_word(word)}) = {show_values(self.values, self.type)}"
        if self.logits is None:
            return line
        rows = [["", "", "", *self.logits.outputs]]
        answers = zip(self.tokens, self.values, self.logits.rows, strict=True)
        for position, (token, answer, numbers) in enumerate(answers):
            rows.append([str(position), token_text(token), token_text(answer), *(f"{x:.6g}" for x in numbers)])
        widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(pad(c, w, "end") for c, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([line, *table])


def token_text(token: Any) -> str:
    """A token as it is printed: text as it is where it can be seen, other values as the language writes them."""
    return visible_string(token) if isinstance(token, str) else format_value(token)


def apply(path: str, word: Iterable[Any], *, logits: bool = False, unchecked: bool = False) -> ModelAnswers:
    """The answers of the model in a file on a word, and with `logits` the numbers behind them."""
    from capax.app.commands._answer_position import answer_position
    from capax.app.files.models import given_model
    from capax.model.run.run import decoded
    from capax.model.run.run import logits as logits_of

    model = given_model(path, unchecked=unchecked)
    tokens = list(word)
    pads = model.provenance.pads
    given, tokens = tokens, [*tokens, *([] if pads is None else pads.after(tokens))]
    check_assumption(model, tokens)
    numbers = None
    if logits:
        rows = logits_of(model, [tokens])[0]
        values = decoded(model, rows)[: len(given)]
        rows = rows[: len(given)]
        numbers = Logits(tuple(output_names(model)), tuple(tuple(float(x) for x in row) for row in rows))
    else:
        values = model(tokens)[: len(given)]
    return ModelAnswers(
        Path(path).stem, given, values, numbers, answer_position(model.provenance).missing_marker(tokens)
    )


def check_assumption(model: "Model", word: list[Any]) -> None:
    """Rejects a word that breaks the assumption that a model was compiled for."""
    provenance = model.provenance
    if provenance.assumption is None and "assumption" not in provenance.extra:
        return
    from capax.rasp.ir.nodes import SOpNode
    from capax.rasp.rewrite.assumptions import check_promise
    from capax.rasp.text.module import stored_program

    promise = None if provenance.assumption is None else stored_program(provenance.assumption).node
    if not isinstance(promise, SOpNode):
        raise CapaxError("broken-assumption", "the model's assumption cannot be read, so no word is known to keep it")
    check_promise(promise, [word])


def output_names(model: "Model") -> list[str]:
    """What the outputs of a model are called: by the readout, else by the answers that they stand for."""
    from capax.model.vocabulary import Classes

    outputs = model.decoding.outputs
    if len(model.readout.names) == outputs:
        return list(model.readout.names)
    if isinstance(model.decoding, Classes):
        return [str(value) for value in model.decoding.values]
    return [f"output {number}" for number in range(outputs)] if outputs > 1 else ["output"]
