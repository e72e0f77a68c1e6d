"""The commands as functions of Python: each gives the result that the command prints.

A result has `render()` (the text that the command prints, also by `print`), `to_json()`, and a card in notebooks. Where
a command takes options of its own, such as the sizes of a theorem, the function takes them as keywords.
"""

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Final

from capax.rasp.python.program import Program

if TYPE_CHECKING:
    from capax.app.commands._recognition import Recognition
    from capax.app.commands._result import Result
    from capax.app.commands.fool import FoolingSearch
    from capax.app.commands.layers import ProgramCost
    from capax.app.commands.limit import LimitRun
    from capax.app.commands.run import ProgramRun
    from capax.app.commands.theorem import CheckedTheorem
    from capax.app.commands.tm import MachineRun
    from capax.app.resolve import Resolved
    from capax.draw.subjects.picture import Picture
    from capax.model.model import Model

BUDGET: Final = 20_000
"""The states and elements that deciding about a language may take, as in `capax recognise`."""


def run(program: str | Program, word: Iterable[Any], *, trace: bool = False) -> "ProgramRun":
    """The value of a program on a word, with `trace` that of every named step too.

    A program is an s-op or selector, a name of the library, an expression, or a file: `"sort"`, `"tokens == \\"a\\""`,
    `"my.rasp:reverse"`.
    """
    from capax.app.commands.run import run as run_resolved

    return run_resolved(_resolved(program), word, trace=trace)


def layers(program: str | Program, word: Iterable[Any] = "hello") -> "ProgramCost":
    """How many layers and heads a program needs, and why; heads are tried on a word."""
    from capax.app.commands.layers import layers as layers_of

    tokens = word if isinstance(word, str) else list(word)
    shown = tokens if isinstance(tokens, str) else " ".join(map(str, tokens))
    return layers_of(_resolved(program), tokens, shown)


def theorem(name: str, *, prove: int = 10_000, **parameters: Any) -> "CheckedTheorem":
    """A theorem's model, built at some sizes, tested, and proved on at least `prove` inputs (0: tested only).

    `capax theorems` lists the names; the sizes are keywords, as in `theorem("parity", length=20)`.
    """
    from capax.app.commands.theorem import run_theorem

    return run_theorem(name, parameters, prove=prove)


def limit(name: str, model: str | None = None, **parameters: Any) -> "LimitRun":
    """A lower bound, evaluated at some sizes or for the model of a file.

    `capax limits` lists the names; the sizes are keywords, as in `limit("composition", heads=32, n=10_000)`.
    """
    from capax.app.commands.limit import run_limit

    return run_limit(name, parameters, model)


def recognise(
    regex: str | None = None,
    *,
    ltl: str | None = None,
    fo: str | None = None,
    language: str | None = None,
    alphabet: str | None = None,
    route: str | None = None,
    max_length: int = 20,
    read: str = "last",
    prove: int = 0,
    word: str | None = None,
) -> "Recognition":
    """Which classes of transformers recognise a language, with models that do, tested on words of up to `max_length`.

    The language is a regular expression, a formula (`ltl`, `fo`), or one that has a name (`language`). The models are
    in `.built`, with their routes.
    """
    from capax.app.commands._language_options import LanguageOptions, describe, read_word
    from capax.app.commands._recognition import recognise as recognise_language
    from capax.app.commands.recognise import read_position
    from capax.atlas.recognition.routes import build_routes

    position = read_position(read)
    described = describe(LanguageOptions(regex, ltl=ltl, fo=fo, language=language, alphabet=alphabet), BUDGET)
    symbols = None if word is None else read_word(word, "chars")
    if symbols is not None:
        described.accepts(symbols)  # an unknown symbol is an error before models are built
    built = build_routes(described, max(max_length, len(symbols or ())), only=route, read=position, prove=prove)
    return recognise_language(described, built, symbols, budget=BUDGET, read=position)


def ask(
    question: str = "",
    *,
    language: str | None = None,
    of_class: str | None = None,
    what_if: str | None = None,
    **fields: str,
) -> "Result":
    """What the atlas knows: whether a kind of transformers recognises a language or a class, with proof and sources.

    A question is written as `"softmax log-precision : PARITY"`, or its fields are keywords, as in
    `ask(attention="softmax", language="PARITY")`; `capax atlas --fields` lists them. Without a question: an overview.
    """
    from capax.app.commands.atlas import Request, answer

    return answer(Request(question, fields, language, of_class, None, False, False, what_if))


def picture(
    program: str | Program, word: Iterable[Any] = "hello", *, layer: int | None = None, head: int | None = None
) -> "Picture":
    """The layers and heads of a program on a word, or one layer or head; `.save(FILE)` writes it as svg, html or png.

    Models and compiled programs draw themselves: `compiled.draw(word)`.
    """
    from capax.draw.subjects.picture import Picture
    from capax.draw.view.flow import flow
    from capax.draw.view.view import pick

    return Picture(pick(flow(_resolved(program).program, list(word)), layer, head))


def fool(
    model: "str | PathLike[str] | Model",
    task: str,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    dtype: str | None = None,
    **sizes: Any,
) -> "FoolingSearch":
    """The search for two inputs that a small model should tell apart and cannot.

    The model is in exact integers, or is rounded to `dtype`; its task's sizes are keywords, if its file has none.
    """
    from capax.app.commands.fool import fool_model, run_fool

    given = {name: str(size) for name, size in sizes.items()}
    if isinstance(model, str | PathLike):
        return run_fool(fspath(model), task, given, seconds=seconds, seed=seed, numbers=dtype)
    return fool_model(model, "model", task, given, seconds=seconds, seed=seed, numbers=dtype)


def tm(
    machine: str,
    word: str = "",
    *,
    steps: int = 1000,
    attention: str | None = None,
    dtype: str = "float64",
    trace: bool = False,
    seed: int = 0,
) -> "MachineRun":
    """A Turing machine (a built-in name, or a .tm file) and its decoder on a word, compared at every step."""
    from capax.app.commands.tm import tm as run_machine

    return run_machine(machine, word, steps, attention=attention, dtype=dtype, trace=trace, seed=seed)


def ngram(
    words: Iterable[Sequence[str]],
    order: int = 3,
    *,
    smooth: float = 0.0,
    attention: str = "softmax",
    dtype: str = "float32",
) -> "Model":
    """The n-gram model of some words (texts or lists of tokens) as a transformer with one head."""
    from capax.formal.ngram.fit import counted
    from capax.theorems.ngram.parts.one_head import fitted, refuse_order

    refuse_order(order)
    texts = list(words)
    split = "chars" if all(isinstance(word, str) for word in texts) else "words"
    language = counted(texts, order).model(smooth)
    return fitted(language, attention=attention, numbers=dtype, split=split, smooth=smooth, corpus="words")


def _resolved(program: str | Program) -> "Resolved":
    """A program as the commands take it."""
    from capax.app.resolve import Resolved, resolve
    from capax.app.session import Session

    if isinstance(program, str):
        return resolve(program)
    return Resolved(program.name or "program", program, Session())
