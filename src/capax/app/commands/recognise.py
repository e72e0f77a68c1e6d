"""`capax recognise`: which transformers recognise a language, and models that do."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from capax.app.commands._language_options import LanguageOptions, describe, read_word
from capax.app.commands._result import finish
from capax.app.options import Json, check_output, choice
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capax.atlas.recognition.language import DescribedLanguage
    from capax.atlas.recognition.routes import BuiltRoute
    from capax.formal.acceptance import Read
    from capax.model.model import Model
    from capax.theorems.base.route import Route

GROUP: Final = ("Languages and machines", 1)
MOST_WORDS: Final = 300_000
"""No more words than these are run for a proof."""
PICTURES: Final = ("automaton", "monoid", "circuit", "attention")

LtlText = Annotated[
    str | None, typer.Option("--ltl", metavar="FORMULA", help="A formula with ! & | -> S Y P H instead.")
]
FoText = Annotated[
    str | None, typer.Option("--fo", metavar="SENTENCE", help="Order and predicates: forall x. a(x) -> {2*x < n}")
]
FocText = Annotated[
    str | None, typer.Option("--foc", metavar="SENTENCE", help="Counting: #p[a(p)] > #p[b(p) & p % 2 = 0]")
]
LtlcText = Annotated[
    str | None,
    typer.Option("--ltlc", metavar="FORMULA", help="Temporal with counts: #<[a] = #[b] & P {isprime(i)}"),
]
CounterFile = Annotated[
    str | None, typer.Option("--counter", metavar="FILE", help="A counter machine in a file, or by its name.")
]
DecideCRasp = Annotated[
    bool, typer.Option("--crasp", help="Decide C-RASP alone, with evidence; with -o the formula's own model.")
]
Window = Annotated[
    int, typer.Option("--window", metavar="K", help="With --crasp: formulas see the K letters before a position.")
]
Modulus = Annotated[int, typer.Option("--modulus", metavar="M", help="With --crasp: formulas see positions modulo M.")]
RaspFile = Annotated[
    str | None, typer.Option("--rasp", metavar="FILE", help="With --crasp: the .rasp file for the program.")
]


MaxLength = Annotated[int, typer.Option("--max-length", metavar="N", help="The longest word models are made for.")]
ReadAt = Annotated[
    str, choice("--read", choices=("last", "end"), help="Where answers are read: the last symbol, an end marker.")
]
DrawFile = Annotated[str | None, typer.Option("--draw", metavar="FILE", help="The .svg file for a picture.")]
Figure = Annotated[str | None, choice("--figure", choices=PICTURES, help="What to draw; attention is that on INPUT.")]
ProveWords = Annotated[
    int,
    typer.Option("--prove", metavar="N", help="Prove models on at least N words up to --max-length; else on few."),
]
Regex = Annotated[
    str | None, typer.Argument(metavar="REGEX", help="A regular expression; left out with --ltl and the like.")
]
SplitAs = Annotated[str, choice("--as", choices=("chars", "words"), help="How --alphabet and INPUT are split.")]


def command(
    regex: Regex = None,
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="A word to run the models on.")] = None,
    ltl: LtlText = None,
    fo: FoText = None,
    foc: FocText = None,
    ltlc: LtlcText = None,
    dfa: Annotated[str | None, typer.Option("--dfa", metavar="FILE", help="An automaton in a JSON file.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="NAME", help="parity, dyck-2, word-problem-s5, ...")
    ] = None,
    counter: CounterFile = None,
    circuit: Annotated[str | None, typer.Option("--circuit", metavar="FILE", help="A circuit in a JSON file.")] = None,
    alphabet: Annotated[str | None, typer.Option("--alphabet", help="The symbols; default: those that occur.")] = None,
    split: SplitAs = "chars",
    max_length: MaxLength = 20,
    route: Annotated[
        str | None, typer.Option("--route", metavar="NAME", help="Build only the models of this theorem.")
    ] = None,
    read: ReadAt = "last",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file for the model.")
    ] = None,
    draw: DrawFile = None,
    figure: Figure = None,
    prove: ProveWords = 0,
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="The maximum of states or elements.")] = 20_000,
    crasp: DecideCRasp = False,
    window: Window = 0,
    modulus: Modulus = 1,
    rasp: RaspFile = None,
    as_json: Json = False,
) -> None:
    """Which transformer classes recognise a language, at what depth, with one built. Exit code 1 if a model is wrong.

    With --crasp, exit code 1 if the language is not in C-RASP.

    Example: capax recognise '(ab)*' abab -o abab.safetensors
    """
    from capax.app.commands._recognition import recognise
    from capax.atlas.recognition.routes import build_routes

    position = read_position(read)
    if regex is not None and word is None and any((ltl, fo, foc, ltlc, dfa, language, counter, circuit)):
        regex, word = None, regex  # the language is an option, so the one argument is the input
    options = LanguageOptions(regex, ltl, fo, foc, ltlc, dfa, counter, circuit, language, alphabet, split)
    described = describe(options, budget)
    if crasp or window or modulus != 1 or rasp is not None:
        _check_options(max_length, prove, output, None, None)
        refused = {"INPUT": word, "--route": route, "--draw": draw, "--prove": prove or None}
        _decide(described, position, (window, modulus), max_length, output, rasp, refused if crasp else None, as_json)
        return
    symbols = None if word is None else read_word(word, split)
    described.accepts(symbols) if symbols is not None else None  # an unknown symbol is an error before models are built
    _check_options(max_length, prove, output, draw, figure)
    built = build_routes(described, max(max_length, len(symbols or ())), only=route, read=position, prove=prove)
    result = replace(recognise(described, built, symbols, budget=budget, read=position), file=output, picture=draw)
    result = replace(result, saved=None if output is None else _saved(built, output, options.text))
    if draw is not None:
        _drawn(draw, described, built, symbols, figure, budget)
    finish(result, as_json=as_json)
    for file, what in ((output, "written"), (draw, "drawn")):
        say(f"{file}: {what}") if file is not None and not as_json else None
    if any(one.wrong is not None for one in built):
        raise typer.Exit(1)


def _decide(
    language: "DescribedLanguage",
    read: "Read",
    atoms: tuple[int, int],
    length: int,
    output: str | None,
    rasp: str | None,
    refused: "Mapping[str, object] | None",
    as_json: bool,
) -> None:
    """Decides C-RASP, and writes the program and the model of the formula if there is one."""
    from capax.app.commands._crasp import crasp_result
    from capax.app.files.models import save_model
    from capax.app.files.text_files import write_text
    from capax.atlas.recognition.crasp.build import read_model
    from capax.formal.crasp.machine import Atoms

    if refused is None:
        raise CapaxError("bad-option", "--window, --modulus and --rasp go with --crasp", hint="--crasp --window 1")
    for name, value in refused.items():
        if value is not None:
            raise CapaxError("bad-option", f"{name} does not go with --crasp", hint="leave one of them out")
    if rasp is not None and not rasp.endswith(".rasp"):
        raise CapaxError("bad-option", f"a program is kept in a .rasp file, not in {rasp}", hint="--rasp NAME.rasp")
    result = crasp_result(language, Atoms(*atoms), read, None if output is None else length)
    if result.built is not None:
        if rasp is not None:
            write_text(Path(rasp), result.built.text)
        if output is not None:
            save_model(read_model(result.built, language.alphabet, read, language.text), output)
        for file in (rasp, output):
            say(f"{file}: written") if file is not None else None
    finish(result, as_json=as_json, yes=result.yes)


def _drawn(
    file: str,
    language: "DescribedLanguage",
    built: "Sequence[BuiltRoute]",
    word: "Sequence[str] | None",
    picture: str | None,
    budget: int,
) -> None:
    """Draws a picture of a language to a file."""
    from capax.app.commands._recognise_pictures import language_svg
    from capax.app.files.text_files import write_text

    write_text(Path(file), language_svg(language, built, word, picture, budget=budget))


def _saved(built: "Sequence[BuiltRoute]", output: str, computes: str | None) -> "Route":
    """The route of the shallowest model, which is written to a file."""
    from capax.app.files.models import save_model

    best, model = shallowest_model(built, computes)
    if model.loop is not None:  # compiled without a certificate, since most models are only looked at
        from capax.certify.recheck.recheck import with_certificate

        model = with_certificate(model)
    save_model(model, output)
    return best


def shallowest_model(built: "Sequence[BuiltRoute]", computes: str | None) -> "tuple[Route, Model]":
    """The route of the shallowest model, and the model, which says what it computes."""
    from capax.atlas.recognition.routes import shallowest

    best, model = shallowest(built)
    return best, replace(model, provenance=replace(model.provenance, computes=computes))


def read_position(text: str) -> "Read":
    """The position at which answers are read, by its name."""
    from capax.formal.acceptance import READS

    for read in READS:
        if text == read:
            return read
    hint = "; ".join(f"{name} reads {where}" for name, where in READS.items())
    raise CapaxError("bad-option", f"--read is {' or '.join(READS)}, not {text!r:.60}", hint=hint)


def _check_options(length: int, prove: int, output: str | None, draw: str | None, picture: str | None) -> None:
    """Refuses a length, a number of words, and names of files that could not be written, before the work."""
    if length < 1:
        raise CapaxError("bad-option", "--max-length and --budget are positive numbers")
    if not 0 <= prove <= MOST_WORDS:
        raise CapaxError("bad-option", f"--prove is a number of words up to {MOST_WORDS:,}, not {prove}")
    check_output(output)
    if draw is not None and Path(draw).suffix.lower() != ".svg":
        raise CapaxError("bad-option", f"a picture of a language is an .svg file, not {draw}", hint="--draw NAME.svg")
    if picture is not None and (draw is None or picture not in PICTURES):
        hint = f"--draw FILE.svg --figure {' | '.join(PICTURES)}"
        raise CapaxError("bad-option", f"there is no picture {picture!r:.60} to draw", hint=hint)
