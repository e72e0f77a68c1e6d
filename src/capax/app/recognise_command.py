"""The options of `capax recognise`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError

ENDING = ".safetensors"
PICTURES = ("automaton", "monoid", "circuit", "attention")
Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="recognise")(_recognise)


def _recognise(
    regex: Annotated[str | None, typer.Argument(metavar="REGEX", help="A regular expression.")] = None,
    ltl: Annotated[
        str | None, typer.Option("--ltl", metavar="FORMULA", help="A formula with ! & | -> S Y P H instead.")
    ] = None,
    dfa: Annotated[str | None, typer.Option("--dfa", metavar="FILE", help="An automaton in a JSON file.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="NAME", help="parity, dyck-2, word-problem-s5, ...")
    ] = None,
    circuit: Annotated[str | None, typer.Option("--circuit", metavar="FILE", help="A circuit in a JSON file.")] = None,
    alphabet: Annotated[str | None, typer.Option("--alphabet", help="The symbols; else those that occur.")] = None,
    split: Annotated[str, typer.Option("--as", help="How --alphabet and --word are split: chars or words.")] = "chars",
    word: Annotated[str | None, typer.Option("--word", metavar="WORD", help="A word to run the models on.")] = None,
    length: Annotated[int, typer.Option("--length", metavar="N", help="The longest word models are made for.")] = 20,
    route: Annotated[
        str | None, typer.Option("--route", metavar="NAME", help="Build the models of this theorem alone.")
    ] = None,
    read: Annotated[
        str, typer.Option("--read", metavar="WHERE", help="Where answers are read: last (symbol) or end (marker).")
    ] = "last",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file for the model.")
    ] = None,
    draw: Annotated[str | None, typer.Option("--draw", metavar="FILE", help="The .svg file for a picture.")] = None,
    picture: Annotated[
        str | None, typer.Option("--picture", help="automaton, monoid, circuit, or attention (on --word).")
    ] = None,
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="The most states or elements.")] = 20_000,
    as_json: Json = False,
) -> None:
    """Which transformers recognise a language, how deep they are, and one of them. Exit code 1 if a model is wrong.

    Example: capax recognise '(ab)*' --word abab -o abab.safetensors
    """
    from capax.app.recognise import build_routes, read_read, recognise
    from capax.app.show_recognise import show_recognise

    if length < 1 or budget < 1:
        raise CapaxError("bad-option", "--length and --budget are positive numbers")
    place = read_read(read)
    given = read_given(regex, ltl, dfa, language, circuit, alphabet, split, budget)
    symbols = None if word is None else read_word(word, split)
    longest = max(length, len(symbols or ()))
    if symbols is not None:
        given.accepts(symbols)  # a symbol outside the alphabet is told before models are built
    _check_files(output, draw, picture)
    built = build_routes(given, longest, only=route, read=place)
    result = recognise(given, built, symbols, budget=budget, read=place)
    result["file"], result["picture"] = output, draw
    if output is not None:
        from capax.app.files.models import save_model

        best = shallowest(built)
        save_model(best.model, output)
        result["saved"] = {"theorem": best.route.theorem, "what": best.route.what, "read": best.route.read}
    if draw is not None:
        from capax.app.recognise_draw import draw_language

        draw_language(given, built, symbols, draw, picture, budget=budget)
    print_json(result) if as_json else print_text(show_recognise(result))
    if not as_json:
        for file, what in ((output, "written"), (draw, "drawn")):
            say(f"{file}: {what}") if file is not None else None
    if any(one.wrong is not None for one in built):
        raise typer.Exit(1)


def read_given(
    regex: str | None,
    ltl: str | None,
    dfa: str | None,
    language: str | None,
    circuit: str | None,
    alphabet: str | None,
    split: str,
    budget: int,
) -> Any:
    """The language that the options give, in one of five ways."""
    from capax.app import recognise as ways

    if sum(form is not None for form in (regex, ltl, dfa, language, circuit)) != 1:
        what = "give one of REGEX, --ltl, --dfa, --language and --circuit"
        raise CapaxError("bad-option", what, hint="for instance: capax recognise '(ab)*'")
    symbols = None if alphabet is None else read_word(alphabet, split)
    if symbols is not None and (not symbols or len(set(symbols)) != len(symbols)):
        raise CapaxError(
            "bad-alphabet", "the alphabet is empty, or has a symbol twice", hint="for instance: --alphabet ab"
        )
    if regex is not None:
        return ways.given_regex(regex, symbols, budget)
    if ltl is not None:
        return ways.given_ltl(ltl, symbols, budget)
    if symbols is not None:
        raise CapaxError("bad-option", "--alphabet goes with REGEX and --ltl; the others have one of their own")
    if language is not None:
        return ways.given_name(language)
    return ways.given_file(dfa) if dfa is not None else ways.given_circuit(str(circuit))


def read_word(text: str, split: str) -> list[str]:
    """The symbols of a text: its characters, or its words."""
    if split not in ("chars", "words"):
        raise CapaxError("bad-option", f"--as is chars or words, not {split}")
    return text.split() if split == "words" else list(text)


def _check_files(output: str | None, draw: str | None, picture: str | None) -> None:
    """Refuses names of files that could not be written, before the work."""
    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    if draw is not None and Path(draw).suffix.lower() != ".svg":
        raise CapaxError("bad-option", f"a picture of a language is an .svg file, not {draw}", hint="--draw NAME.svg")
    if picture is not None and (draw is None or picture not in PICTURES):
        hint = f"--draw FILE.svg --picture {' | '.join(PICTURES)}"
        raise CapaxError("bad-option", f"there is no picture {picture!r:.60} to draw", hint=hint)


def shallowest(built: Sequence[Any]) -> Any:
    """The shallowest model that answers at once, of those the smallest, with its route; an error if there is none."""
    made = [one for one in built if one.model is not None and one.wrong is None]
    if not made:
        reasons = "; ".join(one.refused for one in built) or "no theorem here builds one"
        raise CapaxError("bad-option", f"there is no model of this language to write: {reasons}")
    return min(made, key=_cost)


def _cost(one: Any) -> tuple[bool, int, int]:
    from capax.theorems.base.route import last_answer

    size = one.model.size
    return one.route.accepts is not last_answer, size.attention_layers, size.parameters
