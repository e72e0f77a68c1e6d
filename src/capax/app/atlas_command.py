"""The options of `capax atlas`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="atlas")(_atlas)


def _atlas(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="Keywords, a colon, a language or class.")
    ] = None,
    attention: Annotated[str | None, typer.Option(help="leftmost-hard, average-hard, softmax, ...")] = None,
    mask: Annotated[str | None, typer.Option(help="none, causal, strict-past, strict-future, mixed")] = None,
    positions: Annotated[str | None, typer.Option(help="none, periodic, finite-image, arbitrary, ...")] = None,
    precision: Annotated[str | None, typer.Option(help="constant, rounded, log, poly, rational, real")] = None,
    steps: Annotated[str | None, typer.Option(help="none, log, linear, poly, unbounded")] = None,
    acceptance: Annotated[str | None, typer.Option(help="exact or margin")] = None,
    norm: Annotated[str | None, typer.Option(help="layer norm: none, smoothed, plain")] = None,
    uniformity: Annotated[str | None, typer.Option(help="one or per-length")] = None,
    width: Annotated[str | None, typer.Option(help="constant, log, poly")] = None,
    depth: Annotated[str | None, typer.Option(help="one, constant, log, polylog")] = None,
    padding: Annotated[str | None, typer.Option(help="none or poly")] = None,
    read: Annotated[str | None, typer.Option(help="where the answer is read: last or end")] = None,
    language: Annotated[str | None, typer.Option("--language", metavar="NAME", help="Do they recognise it?")] = None,
    cls: Annotated[str | None, typer.Option("--class", metavar="NAME", help="Do they recognise all of it?")] = None,
    what_if: Annotated[
        str | None, typer.Option("--what-if", metavar="TEXT", help='Suppose, such as "TC0 = NC1".')
    ] = None,
    knob: Annotated[
        str | None, typer.Option("--knob", metavar="LANGUAGE", help="Which change of assumption decides it?")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="What no record decides.")] = False,
    fields: Annotated[bool, typer.Option("--fields", help="The fields, their values and keywords.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Print all records, as Markdown.")] = False,
    cite: Annotated[bool, typer.Option("--cite", help="Print BibTeX of what the answer cites, or of all.")] = False,
    draw: Annotated[str | None, typer.Option("--draw", metavar="FILE", help="Draw the classes, as .svg.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="FILE", help="Write the table, as .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")] = False,
) -> None:
    """What is known about transformers and formal languages: an answer by inference, with the proof and its sources.

    Exit code 0 whatever the answer is. Fields that are not given are left open, or as --fields says.

    Example: capax atlas --attention leftmost-hard --language PARITY
    """
    given = {
        name: value
        for name, value in (
            ("attention", attention),
            ("mask", mask),
            ("positions", positions),
            ("precision", precision),
            ("steps", steps),
            ("acceptance", acceptance),
            ("norm", norm),
            ("uniformity", uniformity),
            ("width", width),
            ("depth", depth),
            ("padding", padding),
            ("read", read),
        )
        if value is not None
    }
    if page:
        from capax.app.atlas import records_page

        print_json({"markdown": records_page()}) if as_json else print_text(records_page())
        return
    if draw is not None or table is not None:
        _write(draw, table, what_if)
        if not (words or language or cls or knob or open_ or fields or cite):
            return
    _run(_Asked(" ".join(words or []), given, language, cls, knob, open_, fields, what_if), cite, as_json)


class _Asked:
    """What one call of the command asks for."""

    def __init__(
        self,
        text: str,
        given: dict[str, str],
        language: str | None,
        cls: str | None,
        knob: str | None,
        open_: bool,
        fields: bool,
        what_if: str | None,
    ) -> None:
        self.text, self.given, self.language, self.cls = text, given, language, cls
        self.knob, self.open, self.fields, self.what_if = knob, open_, fields, what_if
        self.asks = bool(text) or not (language is cls is knob is None)
        """Whether a question is asked, whose sources can be cited."""
        kinds = [bool(text), language is not None, cls is not None, knob is not None, open_, fields]
        if sum(kinds) > 1:
            what = "give one of QUESTION, --language, --class, --knob, --open and --fields"
            raise CapaxError("bad-option", what, hint="for instance: capax atlas softmax : PARITY")
        if given and not any(kinds[:4]):
            what = "the fields belong to a question, and there is none"
            raise CapaxError("bad-option", what, hint="add --language NAME, --class NAME or --knob NAME")


def _run(asked: _Asked, cite: bool, as_json: bool) -> None:
    from capax.app import atlas as shelf

    result, text = _answered(asked)
    if cite:
        text = shelf.cited(shelf.cited_by(result) if asked.asks else shelf.all_papers())
        result = {"bibtex": text}
    print_json(result) if as_json else print_text(text)


def _answered(asked: _Asked) -> tuple[Any, str]:
    """The result as plain data, and as text."""
    from capax.app import atlas as shelf
    from capax.app import show_atlas as show
    from capax.atlas.questions.keywords import parse

    known = shelf.world(asked.what_if)
    language, cls, given = asked.language, asked.cls, asked.given
    if asked.text:
        read, name, is_class = parse(known, asked.text)
        twice = sorted(read.keys() & given.keys())
        if twice:
            raise CapaxError("bad-question", f"the question and an option both give {twice[0]}", hint="leave one out")
        given = given | read
        language, cls = (None, name) if is_class else (name, None)
    if language is not None:
        result: Any = shelf.ask_language(known, given, language)
        return result, show.show_language(result)
    if cls is not None:
        result = shelf.ask_class(known, given, cls)
        return result, show.show_class(result)
    if asked.knob is not None:
        result = shelf.ask_knobs(known, given, asked.knob)
        return result, show.show_knobs(result)
    if asked.open:
        result = shelf.ask_open(known)
        return result, show.show_open(result)
    if asked.fields:
        result = shelf.list_fields()
        return result, show.show_fields(result)
    if asked.what_if is not None:
        result = shelf.ask_changes(asked.what_if)
        return result, show.show_changes(result)
    result = shelf.overview()
    return result, show.show_overview(result)


def _write(draw: str | None, table: str | None, what_if: str | None) -> None:
    """Writes the picture and the page, and says so."""
    from capax.app.atlas_pictures import lattice_svg, table_html
    from capax.app.files.read import write_text

    for name, ending in ((draw, ".svg"), (table, ".html")):
        if name is not None and Path(name).suffix.lower() != ending:
            option = "--draw" if ending == ".svg" else "--table"
            raise CapaxError("bad-option", f"{option} writes {ending}, not {name}", hint=f"{option} NAME{ending}")
    if draw is not None:
        write_text(Path(draw), lattice_svg(what_if))
        say(f"{draw}: drawn")
    if table is not None:
        write_text(Path(table), table_html(what_if))
        say(f"{table}: written")
