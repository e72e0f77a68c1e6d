"""`capax atlas`: questions about transformers and formal languages, and views of the records."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from capax.app.commands._result import Result, finish
from capax.app.options import Json, choice
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.atlas.records import Atlas

GROUP: Final = ("Languages and machines", 3)


Attention: TypeAlias = Annotated[
    str | None,
    choice(
        "--attention",
        choices=("leftmost-hard", "rightmost-hard", "unique-hard", "average-hard", "softmax"),
        help="The kind of attention.",
    ),
]
Mask: TypeAlias = Annotated[
    str | None,
    choice(
        "--mask",
        choices=("none", "causal", "strict-past", "strict-future", "mixed"),
        help="What a position may look at.",
    ),
]
Precision: TypeAlias = Annotated[
    str | None,
    choice(
        "--precision",
        choices=("constant", "rounded", "log", "poly", "rational", "real"),
        help="The bits of a number.",
    ),
]
Steps: TypeAlias = Annotated[
    str | None,
    choice("--steps", choices=("none", "log", "linear", "poly", "unbounded"), help="Tokens written before the answer."),
]
Acceptance: TypeAlias = Annotated[
    str | None, choice("--acceptance", choices=("exact", "margin"), help="What it means to recognise.")
]
Norm: TypeAlias = Annotated[
    str | None, choice("--norm", choices=("none", "smoothed", "plain"), help="What layer norm divides by.")
]
Uniformity: TypeAlias = Annotated[
    str | None, choice("--uniformity", choices=("one", "per-length"), help="Whether one model serves all lengths.")
]
Width: TypeAlias = Annotated[
    str | None, choice("--width", choices=("constant", "log", "poly"), help="The width of the stream.")
]
Depth: TypeAlias = Annotated[
    str | None, choice("--depth", choices=("one", "constant", "log", "polylog"), help="The number of layers.")
]
Padding: TypeAlias = Annotated[
    str | None, choice("--padding", choices=("none", "poly"), help="Blank tokens after the word.")
]
Read: TypeAlias = Annotated[str | None, choice("--read", choices=("last", "end"), help="Where the answer is read.")]


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="Keywords, a colon, a language or class.")
    ] = None,
    attention: Attention = None,
    mask: Mask = None,
    positions: Annotated[str | None, typer.Option(help="none, periodic, finite-image, arbitrary, ...")] = None,
    precision: Precision = None,
    steps: Steps = None,
    acceptance: Acceptance = None,
    norm: Norm = None,
    uniformity: Uniformity = None,
    width: Width = None,
    depth: Depth = None,
    padding: Padding = None,
    read: Read = None,
    language: Annotated[str | None, typer.Option("--language", metavar="NAME", help="Do they recognise it?")] = None,
    cls: Annotated[str | None, typer.Option("--class", metavar="NAME", help="Do they recognise all of it?")] = None,
    what_if: Annotated[
        str | None, typer.Option("--what-if", metavar="TEXT", help='An assumption, such as "TC0 = NC1".')
    ] = None,
    knob: Annotated[
        str | None,
        typer.Option("--knob", metavar="LANGUAGE", help="Which change of assumption decides a language."),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="List the cells that no record decides.")] = False,
    circuits: Annotated[
        bool, typer.Option("--circuits", help="List classes by their circuits; QUESTION is then FIELD=VALUE ...")
    ] = False,
    fields: Annotated[bool, typer.Option("--fields", help="The fields, their values and keywords.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Print all records, as Markdown.")] = False,
    cite: Annotated[bool, typer.Option("--cite", help="Print BibTeX of what the answer cites, or of all.")] = False,
    draw: Annotated[str | None, typer.Option("--draw", metavar="FILE", help="Draw the classes, as .svg.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="FILE", help="Write the table, as .html.")] = None,
    as_json: Json = False,
) -> None:
    """What is known about transformers and formal languages: an answer by inference, with its proof and sources.

    Exit code 0 whatever the answer is. Fields that are not given are left open, or take the default of --fields.

    Example: capax atlas --attention leftmost-hard --language PARITY
    """
    from capax.app.commands._atlas_results import Citations, RecordsPage
    from capax.atlas.setting import FIELDS

    values = (attention, mask, positions, precision, steps, acceptance, norm, uniformity, width, depth, padding, read)
    given = {name: value for name, value in zip(FIELDS, values, strict=True) if value is not None}
    if page or circuits:
        other = any((given, language, cls, knob))
        finish(RecordsPage() if page else _circuits(words, what_if, other=other), as_json=as_json)
        return
    if draw is not None or table is not None:
        _write(draw, table, what_if)
        if not (words or language or cls or knob or open_ or fields or cite):
            return
    request = Request(" ".join(words or []), given, language, cls, knob, open_, fields, what_if)
    request.check()
    result = answer(request)
    finish(Citations.of(result) if cite else result, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of the command asks for."""

    text: str
    given: dict[str, str]
    language: str | None
    cls: str | None
    knob: str | None
    open: bool
    fields: bool
    what_if: str | None

    @property
    def asks(self) -> bool:
        """Whether a question is asked, to which the fields belong."""
        return bool(self.text) or not (self.language is self.cls is self.knob is None)

    def check(self) -> None:
        """Refuses options that do not go together."""
        names = (self.language, self.cls, self.knob)
        if sum((bool(self.text), *(name is not None for name in names), self.open, self.fields)) > 1:
            what = "give one of QUESTION, --language, --class, --knob, --open and --fields"
            raise CapaxError("bad-option", what, hint="for instance: capax atlas softmax : PARITY")
        if self.given and not self.asks:
            what = "the fields belong to a question, and there is none"
            raise CapaxError("bad-option", what, hint="add --language NAME, --class NAME or --knob NAME")


def _circuits(filters: list[str] | None, what_if: str | None, *, other: bool) -> Result:
    """The classes that circuits define, by their fields; `other` says that something else is asked, too."""
    from capax.app.commands._atlas_circuits import CircuitClasses

    if other:
        what = "--circuits goes with FIELD=VALUE and --what-if only"
        raise CapaxError("bad-option", what, hint="for instance: capax atlas --circuits depth=constant")
    return CircuitClasses.of(_supposed(what_if), filters or [])


def answer(request: Request) -> Result:
    """The answer of the atlas to a question, or the overview."""
    from capax.app.commands import _atlas_results as results
    from capax.atlas.questions.question import parse

    request.check()
    atlas = _supposed(request.what_if)
    language, cls, given = request.language, request.cls, request.given
    if request.text:
        keywords, name, is_class = parse(atlas, request.text)
        twice = sorted(keywords.keys() & given.keys())
        if twice:
            raise CapaxError("bad-question", f"the question and an option both give {twice[0]}", hint="leave one out")
        given = given | keywords
        language, cls = (None, name) if is_class else (name, None)
    if language is not None:
        return results.LanguageAnswer.of(atlas, given, language)
    if cls is not None:
        return results.ClassAnswer.of(atlas, given, cls)
    if request.knob is not None:
        return results.Sensitivity.of(atlas, given, request.knob)
    if request.open:
        return results.OpenCells.of(atlas)
    if request.fields:
        return results.FieldList()
    return results.Overview() if request.what_if is None else results.WhatIf.of(request.what_if)


def _supposed(what_if: str | None) -> "Atlas":
    """The atlas, under an assumption if there is one."""
    from capax.atlas.dataset import ATLAS
    from capax.atlas.inference.what_if import suppose

    return ATLAS if what_if is None else suppose(ATLAS, what_if)


def _write(draw: str | None, table: str | None, what_if: str | None) -> None:
    """Writes the picture and the page, with a message for each."""
    from capax.app.commands._atlas_pictures import lattice_svg, table_html
    from capax.app.files.text_files import write_text

    for option, name, ending in (("--draw", draw, ".svg"), ("--table", table, ".html")):
        if name is not None and Path(name).suffix.lower() != ending:
            raise CapaxError("bad-option", f"{option} writes {ending}, not {name}", hint=f"{option} NAME{ending}")
    atlas = _supposed(what_if)
    if draw is not None:
        write_text(Path(draw), lattice_svg(atlas))
        say(f"{draw}: drawn")
    if table is not None:
        write_text(Path(table), table_html(atlas, what_if))
        say(f"{table}: written")
