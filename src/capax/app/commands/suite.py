"""`capax suite`: ground truth for interpretability, made, listed, checked, and used to score methods."""

from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import columns
from capax.app.commands._result import finish
from capax.app.options import Json, choice
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.suite import Suite, SuiteProgram

GROUP: Final = ("What they learn", 8)
FOLDER: Final = "The folder of a suite."

commands = typer.Typer(
    help="Models with a known circuit, to judge interpretability methods by: make, list, check, score.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _names(text: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _levels(text: str) -> tuple[str, ...]:
    from capax.suite.levels.level_model import LEVELS, SIX

    return {"all": LEVELS, "six": SIX}.get(text) or _names(text)


@commands.command(name="make")
def _make(
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder to write, new or empty.")],
    programs: Annotated[
        str, typer.Option("--programs", metavar="N", help="How many programs, or the names of some, with commas.")
    ] = "120",
    levels: Annotated[
        str, typer.Option("--levels", metavar="NAMES", help="all, six (the first six), or some with commas.")
    ] = "all",
    seed: Annotated[int, typer.Option("--seed", help="The seed of random programs, rotations and words.")] = 0,
    engine: Annotated[
        str, choice("--engine", choices=("serial", "pool"), help="One core, or a process on each.")
    ] = "serial",
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not print a line for each program.")] = False,
    as_json: Json = False,
) -> None:
    """Write models whose circuit, variables and features are known, each right on all words of up to 8 letters.

    A make that was cut short goes on with the same command: programs that are finished are kept. Exit code 1 if a model
    was refused because it was not right enough; the others are written.

    Example: capax suite make -o suite --programs induction,sort --levels plain,rotated
    """
    from capax.suite.make import make

    chosen = int(programs) if programs.removeprefix("-").isdecimal() else _names(programs)
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is 0 or more, not {seed}")
    told = None if quiet or as_json else say
    made = make(output, programs=chosen, levels=_levels(levels), seed=seed, engine=engine, say=told, clock=process_time)
    finish(made, as_json=as_json, yes=not made.refused)


@commands.command(name="list")
def _list(
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", help=FOLDER)] = None,
    as_json: Json = False,
) -> None:
    """List the programs of a suite with their levels; without a folder, those that a suite can have by name.

    Example: capax suite list suite
    """
    from capax.suite import load, written_programs

    if folder is None:
        known = [program for kind in ("library", "family") for program in written_programs(kind)]
        finish(ProgramList(tuple(known)), as_json=as_json)
    else:
        finish(SuiteList(load(folder)), as_json=as_json)


@commands.command(name="check")
def _check(
    folder: Annotated[str, typer.Argument(metavar="DIR", help=FOLDER)],
    levels: Annotated[str, typer.Option("--levels", metavar="NAMES", help="all, six, or some with commas.")] = "all",
    programs: Annotated[
        str, typer.Option("--programs", metavar="NAMES", help="Some programs, with commas; all if not given.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not print a line for each program.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute what a suite claims: answers on all words, every edge by interchange, notes, features and pairs.

    Exit code 1 if something is wrong.

    Example: capax suite check suite
    """
    from capax.suite import check

    told = None if quiet or as_json else say
    result = check(folder, levels=_levels(levels), programs=_names(programs), say=told, clock=process_time)
    finish(result, as_json=as_json, yes=not result.problems)


@commands.command(name="score")
def _score(
    folder: Annotated[str, typer.Argument(metavar="DIR", help=FOLDER)],
    methods: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAMES",
            help="eap, eap-ig, exact, zero, sae, probe, with commas; auto-circuit-eap and auto-circuit-ig by the "
            "package auto-circuit, where it is installed.",
        ),
    ] = "eap,eap-ig,exact",
    levels: Annotated[str, typer.Option("--levels", metavar="NAMES", help="all, six, or some with commas.")] = "all",
    programs: Annotated[
        str, typer.Option("--programs", metavar="NAMES", help="Some programs, with commas; all if not given.")
    ] = "",
    pairs: Annotated[int, typer.Option("--pairs", metavar="N", help="Pairs of words of each length, at most 40.")] = 40,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="Write tables and pictures, as .html.")
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="FILE", help="Save scores here as they come, and resume from them.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not print a line for each model.")] = False,
    as_json: Json = False,
) -> None:
    """Run discovery methods, autoencoders and probes on the models of a suite, and compare them with the truth.

    Edges are judged by the area under the ROC curve against the edges that matter for words of one length. It needs
    torch, and transformer_lens for edges.

    Example: capax suite score suite --method eap,exact --levels plain,soft --report scores.html
    """
    from capax.suite import score

    if report is not None and not report.endswith(".html"):
        raise CapaxError("bad-option", f"a report goes to an .html file, not to {report}", hint="--report scores.html")
    if pairs < 1:
        raise CapaxError("bad-option", f"at least one pair of words is needed, not {pairs}")
    scores = score(
        folder,
        _names(methods),
        levels=_levels(levels),
        programs=_names(programs),
        pairs=pairs,
        state=state,
        say=None if quiet or as_json else say,
        clock=process_time,
    )
    if report is not None:
        from capax.app.files.text_files import write_text
        from capax.draw.subjects.suite_report import suite_report

        write_text(Path(report), suite_report(scores))
    finish(scores, as_json=as_json, written=report)


@dataclass(frozen=True, slots=True)
class ProgramList:
    """The programs that a suite can have by name."""

    programs: "tuple[SuiteProgram, ...]"

    def to_json(self) -> list[dict[str, Any]]:
        """Each program as plain data."""
        return [program.to_json() for program in self.programs]

    def render(self) -> str:
        """A line for each program."""
        return "\n".join(columns([[p.id, p.kind, p.what] for p in self.programs]))


@dataclass(frozen=True, slots=True)
class SuiteList:
    """The programs of a suite, with their levels."""

    suite: "Suite"

    def to_json(self) -> dict[str, Any]:
        """The suite as plain data."""
        suite = self.suite
        cases = [{**case.program.to_json(), "levels": list(case.levels)} for case in suite.cases]
        return {"version": suite.version, "seed": suite.seed, "digest": suite.digest, "cases": cases}

    def render(self) -> str:
        """A line for each program, and the digest of the whole."""
        suite = self.suite
        rows = [[c.program.id, c.program.kind, str(len(c.levels)), c.program.what] for c in suite.cases]
        about = f"{len(suite.cases)} programs, seed {suite.seed}, made by capax {suite.version}"
        return "\n".join([*columns(rows, right=(2,)), f"{about}, digest {suite.digest[:16]}"])
