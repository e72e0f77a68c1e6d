"""`capax fool MODEL`: inputs that fool a model."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import WIDTH, columns
from capax.app.commands._result import finish
from capax.app.commands.protocol import Numbers
from capax.app.files.text_files import read_text, write_text
from capax.app.options import PARAMETERS, Json, Unchecked, parameters_of
from capax.app.process.output import say
from capax.display import Card, parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.limits.witnesses.search.decomposition import Decomposition
    from capax.limits.witnesses.search.fool import Fooling
    from capax.model.model import Model

GROUP: Final = ("What they cannot", 5)
SETTINGS: Final = PARAMETERS
MOST_SECONDS: Final = 86_400
KINDS: Final = {
    "equal-transcripts": "two inputs with equal transcripts ({bits:,} bits as written) and different truths",
    "equal-states": "two rows of bits that lead to one state, and a query (the position, last) that tells them apart",
    "null-vector": "two rows of numbers that give the first layer's units equal values, and the queried position",
    "indistinguishable": "two inputs that all other players see alike, with different truths",
    "wrong-answer": "an input that the model answers wrongly",
}
"""What each kind of witness is."""


@dataclass(frozen=True, slots=True)
class FoolingSearch(Card):
    """A search for a witness against the model of a file; `truths` are the right answers to its inputs."""

    search: "Fooling"
    model: str
    task: str
    truths: list[Any] | None
    numbers: str | None
    rounded: bool

    def to_json(self) -> dict[str, Any]:
        """The search as plain data."""
        return self.search.to_json() | parts(self, "model", "task", "truths", "numbers", "rounded")

    def render(self) -> str:
        """Whether a witness had to exist, what was tried, and the witness."""
        search, witness = self.search, self.search.witness
        lines = [f"a witness had to exist: {'yes' if search.guaranteed else 'not known'}"]
        lines += wrap(search.why, WIDTH, initial_indent="  ", subsequent_indent="  ")
        lines.append(f"tried: {', '.join(search.tried)}")
        if self.rounded:
            lines.append(f"the model was rounded to {self.numbers}: all of this is about the rounded model")
        if witness is None:
            return "\n".join([*lines, self._none()])
        lines += ["", *_demonstration(search.demonstration)]
        lines.append(KINDS[witness["kind"]].format(bits=witness.get("message_bits")))
        answers = witness.get("answers") or [None] * len(witness["inputs"])
        for number, (word, answer, truth) in enumerate(
            zip(witness["inputs"], answers, self.truths or [], strict=True), 1
        ):
            lines += wrap(_word(word), WIDTH, initial_indent=f"  input {number}  ", subsequent_indent=" " * 11)
            scaled = answer * witness["unit"] if "unit" in witness and not isinstance(answer, str) else answer
            own = "" if answer is None else f"the model answers {_number(scaled)}, and "
            lines.append(f"           {own}{_number(truth)} is right")
        return "\n".join([*lines, f"found by {witness['method']}, seed {witness['seed']}"])

    def _none(self) -> str:
        """Why there is no witness."""
        if self.search.ruled_out:
            return "no two inputs with equal transcripts exist here: all were tried; and no wrong answer was found"
        if self.search.guaranteed:
            return "none found in this time, though there is one: --seconds gives the search more"
        return "none found in this time, which proves nothing about what the model can do"


def _demonstration(sets: "Decomposition | None") -> list[str]:
    """The sets of an indistinguishable decomposition, as they shrank."""
    if sets is None:
        return []
    lines = ["a demonstration at a toy size: sets of tables that look alike to all later players"]
    lines += columns([[f"  {what}", f"{size:,}"] for what, size in sets.steps], right=(1,))
    return [*lines, f"  checked with the whole model in {sets.checked:,} contexts", ""]


def _word(word: Sequence[Any]) -> str:
    texts = [_token(str(token)) for token in word]
    return ", ".join(texts) if any(" " in text for text in texts) else " ".join(texts)


def _token(text: str) -> str:
    """A token; a fraction whose digits would fill lines is cut, and the witness has it all."""
    return text if len(text) <= 60 else f"{text[:20]}...({len(text):,}_characters)"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def run_fool(
    model: str,
    task: str,
    given: dict[str, str],
    *,
    seconds: float,
    seed: int,
    numbers: str | None = None,
    unchecked: bool = False,
) -> FoolingSearch:
    """The search for a witness against the model of a file, within some seconds."""
    from capax.app.files.models import given_model

    if model.endswith(".json"):
        return _fool_net(model, task, given, _clock(seconds, seed))
    loaded = given_model(model, unchecked=unchecked)
    return fool_model(loaded, model, task, given, seconds=seconds, seed=seed, numbers=numbers)


def _clock(seconds: float, seed: int) -> Callable[[], float]:
    """The share of some seconds that has passed since this call; seconds and a seed that cannot be are refused."""
    if not 0 < seconds <= MOST_SECONDS:
        raise CapaxError("bad-option", f"--seconds is a number up to {MOST_SECONDS:,}, not {seconds:g}")
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    start = time.monotonic()
    return lambda: (time.monotonic() - start) / seconds


def fool_model(
    loaded: "Model",
    model: str,
    task: str,
    given: dict[str, str],
    *,
    seconds: float,
    seed: int,
    numbers: str | None = None,
) -> FoolingSearch:
    """The search for a witness against a model that goes by the name `model`."""
    from capax.limits.witnesses.check.read_witness import read_witness
    from capax.limits.witnesses.check.truths import truth
    from capax.limits.witnesses.claimed_task import is_rounded, quantised
    from capax.limits.witnesses.search.fool import fool

    used = _clock(seconds, seed)
    integers = quantised(loaded, numbers)
    search = fool(integers, task, given, seed=seed, used=used)
    truths = None
    if search.witness is not None:
        claims = read_witness(json.dumps(search.witness), "the witness")
        truths = [truth(claims.task, claims.sizes, word, claims.read_at) for word in claims.inputs]
    return FoolingSearch(search, model, task, truths, integers.numbers, is_rounded(loaded, integers))


def _fool_net(file: str, task: str, given: dict[str, str], used: Callable[[], float]) -> FoolingSearch:
    """The search for a witness against the recurrent or fully connected network of a file."""
    from capax.limits.witnesses.net import read_net
    from capax.limits.witnesses.search.fool_nets import fool_net

    if task != "sparse-averaging" or given:
        raise CapaxError(
            "bad-option",
            "a network in a .json file takes --task sparse-averaging and no sizes, which its file has",
            hint=f"capax fool {file} --task sparse-averaging",
        )
    search = fool_net(read_net(read_text(Path(file)), file), used)
    truths = None if search.witness is None else [word[word[-1]] for word in search.witness["inputs"]]
    return FoolingSearch(search, file, task, truths, None, rounded=False)


def command(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model in exact integers, or a network in a .json file.")
    ],
    task: Annotated[
        str,
        typer.Option("--task", help="composition, sparse-averaging, match3, parity, sequential-composition, ..."),
    ],
    seconds: Annotated[float, typer.Option("--seconds", help="How long to search, wall-clock time.")] = 60.0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the search.")] = 0,
    dtype: Numbers = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .json file to write.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Find two inputs that a model should tell apart and cannot, or a wrong answer. Exit code 1 if there is none.

    The model is a small one in exact integers, such as `capax make-model` makes, or a recurrent or fully connected
    network in a .json file. Other models are rounded by --dtype, where possible (not with layer norms or fractional
    positions), and the result is then about the rounded model. The token layout is declared by the model or by options
    of its own, such as `--n 8`.

    Example: capax fool layer.safetensors --task composition --seconds 10 -o witness.json
    """
    given = parameters_of(context.args)
    result = run_fool(model, task, given, seconds=seconds, seed=seed, numbers=dtype, unchecked=unchecked)
    finish(result, as_json=as_json, yes=result.search.witness is not None)
    if output is not None:
        write_text(Path(output), json.dumps(result.search.witness, indent=1) + "\n")
        say(f"written to {output}")
