"""`capax search SPEC`: the smallest programs for a specification, and what was exhausted."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from capax.app.commands._columns import columns, fact
from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, SPLITS, Json, choice, count, no_option, parameters_of
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.lab.engines.job import Done
    from capax.synthesis.outcome import FoundProgram, SearchOutcome, SearchProgress

GROUP: Final = ("Programs", 6)
SHOWS_PROGRESS: Final = True
SETTINGS: Final = PARAMETERS
SPECS: Final = (
    "What is to be computed: a library name, an expression, FILE.rasp, task:NAME, regex:TEXT, a language, a "
    "model file, or a .tsv file of examples, input<TAB>output. Several are searched for in turn."
)
MOST_SHOWN: Final = 12
"""Of a larger alphabet so many letters are printed."""
PROOF: Final = "Also say what was exhausted, and exit with 0 only if nothing was found and everything was tried."

With: TypeAlias = Annotated[
    str, typer.Option("--with", metavar="PARTS", help="Parts to add to the grammar: reciprocal, round, times.")
]
Without: TypeAlias = Annotated[
    str, typer.Option("--without", metavar="PARTS", help="Parts to leave out: width, best, mean, where, ...")
]
StateFile: TypeAlias = Annotated[
    str | None, typer.Option("--state", metavar="FILE", help="Save the search to a file, and resume from it.")
]


@dataclass(frozen=True, slots=True)
class SearchedProgram:
    """The result of one search, for the screen."""

    result: "SearchOutcome"
    proof: bool

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return self.result.to_json()

    def render(self) -> str:
        """The programs with their costs, and what was exhausted."""
        result = self.result
        shown = " ".join(map(str, result.alphabet[:MOST_SHOWN])) + (" ..." if len(result.alphabet) > MOST_SHOWN else "")
        lines = [*fact("spec", f"{result.name} ({result.kind}), alphabet {shown}"), ""]
        for program in result.programs:
            lines += [*program.text.splitlines(), "", *_cost_lines(program)]
            lines.append("")
        if not result.programs:
            lines += [f"no program for {result.name} was found", ""]
        lines += fact("exhausted", _exhausted(result))
        if result.best is not None and not result.is_smallest:
            first, last = result.exhausted + 1, result.best.size - 1
            least = f"{first} to {last} nodes" if first < last else count(last, "node")
            lines += fact("open", f"programs of {least} were not all tried: {_why(result)}")
        elif result.best is None and (result.stop != "size" or self.proof):
            lines += fact("open", f"larger programs were not all tried: {_why(result)}")
        return "\n".join(lines)


def _cost_lines(program: "FoundProgram") -> list[str]:
    heads = ", ".join(map(str, program.heads)) or "none"
    return [
        *fact("size", count(program.size, "node")),
        *fact("layers", f"{program.layers}, heads {heads}; sublayers {program.order or 'none'}"),
        *fact("evidence", program.evidence.text()),
    ]


def _exhausted(result: "SearchOutcome") -> str:
    return result.exhaustion()


def _why(result: "SearchOutcome") -> str:
    reasons = {
        "time": "the time was up",
        "memory": "the bank had reached the limit of memory",
        "size": f"the limit is {count(result.limits.size, 'node')}",
        "done": "the search ended with the first program",
    }
    return reasons[result.stop]


@dataclass(frozen=True, slots=True)
class SearchedList:
    """The results of several searches."""

    done: "tuple[Done, ...]"

    def to_json(self) -> list[dict[str, Any]]:
        """Each result as plain data, with its processor time."""
        return [
            {"spec": d.key, "seconds": round(d.cpu_seconds, 1), "error": d.error, "result": d.result} for d in self.done
        ]

    def render(self) -> str:
        """A table, then the programs."""
        rows = [["specification", "size", "layers", "heads", "exhausted", "candidates", "CPU s"]]
        texts = []
        for done in self.done:
            if done.result is None:
                rows.append([done.key, f"error: {done.error}", "", "", "", "", ""])
                continue
            result = done.result
            best = result["programs"][0] if result["programs"] else None
            costs = (
                ["none", "-", "-"]
                if best is None
                else [str(best["size"]), str(best["layers"]), " ".join(map(str, best["heads"])) or "0"]
            )
            seconds = f"{done.cpu_seconds:.1f}"
            rows.append([done.key, *costs, str(result["exhausted"]), f"{result['candidates']:,}", seconds])
            texts += [] if best is None else ["", best["text"]]
        return "\n".join([*columns(rows, right=(1, 2, 4, 5, 6)), *texts])


def command(
    context: typer.Context,
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help=SPECS)],
    size: Annotated[int, typer.Option("--size", metavar="N", help="The most nodes of a program.")] = 16,
    layers: Annotated[int | None, typer.Option("--layers", metavar="N", help="The most layers.")] = None,
    heads: Annotated[int | None, typer.Option("--heads", metavar="N", help="The most heads, in all layers.")] = None,
    order: Annotated[
        str | None, typer.Option("--order", metavar="TEXT", help="The sublayers in order, such as ssf, for --layers.")
    ] = None,
    hint: Annotated[
        list[str] | None, typer.Option("--hint", metavar="EXPR", help="An s-op or selector that counts as one node.")
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", help="The letters of words.", show_default="those it names, or abc")
    ] = None,
    split: Annotated[str, choice("--as", choices=SPLITS, help="How --alphabet is split.")] = "chars",
    constants: Annotated[
        str | None, typer.Option("--constants", metavar="LIST", help="Strings and integers to name, with commas.")
    ] = None,
    add: With = "",
    without: Without = "",
    ties: Annotated[bool, typer.Option("--all", help="List all programs of the least size.")] = False,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first program that is found.")] = False,
    prove_none: Annotated[bool, typer.Option("--prove-none", help=PROOF)] = False,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="How long to work, in CPU seconds.")] = 60.0,
    memory: Annotated[int, typer.Option("--memory", metavar="MB", help="The most memory of the bank.")] = 1000,
    state: StateFile = None,
    engine: Annotated[
        str, choice("--engine", choices=("serial", "pool"), help="For several SPECs: one core, or all.")
    ] = "pool",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .rasp file for the program.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample.")] = 0,
    as_json: Json = False,
) -> None:
    """Find the smallest programs for a task, a program, a model or examples.

    Exit code 0 if a program was found; with --prove-none, if none was and all programs up to --size were tried.
    Parameters of a task are options: `capax search task:sort --symbols 4`.

    Example: capax search reverse --layers 2 --all
    """
    from capax.app.commands.audit import alphabet_option

    specs, parameters = _split([*specs, *context.args], context)
    options = {
        "alphabet": alphabet_option(alphabet, split),
        "size": size,
        "layers": layers,
        "heads": heads,
        "order": order,
        "hints": tuple(hint or ()),
        "add": _listed(add),
        "without": _listed(without),
        "constants": None if constants is None else [_constant(text) for text in _listed(constants)],
        "ties": ties,
        "first": first,
        "seconds": seconds,
        "megabytes": memory,
        "seed": seed,
        "parameters": parameters,
    }
    if len(specs) > 1:
        _refuse_for_many(state, output, prove_none)
        _search_many(specs, options, engine, as_json)
        return
    _search_one(specs[0], options, state, output, prove_none, as_json)


def _split(words: list[str], context: typer.Context) -> tuple[list[str], dict[str, str]]:
    """The specifications among the words of a command line, and the parameters of tasks, which only tasks have."""
    specs: list[str] = []
    options: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            specs.append(word)
            continue
        options.append(word)
        if "=" not in word and rest and not rest[0].startswith("--"):
            options.append(rest.pop(0))
    if not options:
        return specs, {}
    _check_parameters([word.partition("=")[0] for word in options if word.startswith("--")], specs, context)
    return specs, parameters_of(options, "search")


def _check_parameters(options: list[str], specs: list[str], context: typer.Context) -> None:
    """Refuses options that neither the command has nor one of the tasks."""
    from capax import tasks

    asked = [tasks.task(spec.removeprefix("task:").partition("?")[0]) for spec in specs if spec.startswith("task:")]
    known: list[str] = []
    for task in asked:
        own = [*task.parameters, *(() if task.training is None else task.training.parameters)]
        known += [f"--{parameter.name.replace('_', '-')}" for parameter in own]
    for option in options:
        if option.replace("_", "-") in known:
            continue
        own_options = [text for one in context.command.params for text in one.opts if text.startswith("--")]
        other = "parameters go with task:NAME" if not asked else f"the parameters are {', '.join(known) or 'none'}"
        raise no_option(option, [*own_options, *known], context.command_path, other)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _constant(text: str) -> str | int:
    return int(text) if text.removeprefix("-").isdecimal() else text


def _refuse_for_many(state: str | None, output: str | None, prove_none: bool) -> None:
    if state is not None or output is not None or prove_none:
        raise CapaxError("bad-option", "--state, -o and --prove-none go with one SPEC", hint="search for them in turn")


def _search_many(specs: list[str], options: Mapping[str, object], engine: str, as_json: bool) -> None:
    from capax.app.against_specs.search_jobs import searches

    done = []
    for each in searches(specs, options, engine):
        if sys.stderr.isatty():
            say(f"{each.key}: {each.cpu_seconds:.1f} CPU s", "quiet")
        done.append(each)
    done.sort(key=lambda d: specs.index(d.key))
    found_all = all(d.result is not None and d.result["programs"] for d in done)
    finish(SearchedList(tuple(done)), as_json=as_json, yes=found_all)


def _search_one(
    spec: str, options: Mapping[str, Any], state: str | None, output: str | None, prove_none: bool, as_json: bool
) -> None:
    from capax.app.against_specs.search import search
    from capax.app.against_specs.search_jobs import checkpoint

    if output is not None and not output.endswith(".rasp"):
        raise CapaxError("bad-option", f"a program is written to a .rasp file, not {output}", hint="-o NAME.rasp")
    result = search(spec, **options, state=checkpoint(state), report=_progress)
    written = _write(result, output)
    proved = result.best is None and result.exhausted >= result.limits.size
    yes = proved if prove_none else result.best is not None
    finish(SearchedProgram(result, prove_none), as_json=as_json, yes=yes, written=written)


def _write(result: "SearchOutcome", output: str | None) -> str | None:
    if output is None or result.best is None:
        return None
    from pathlib import Path

    from capax.app.files.text_files import write_text

    write_text(Path(output), result.best.text + "\n")
    return output


def _progress(progress: "SearchProgress") -> None:
    """A line on standard error for each size, at a terminal."""
    if sys.stderr.isatty():
        best = "" if progress.best is None else f", found one of {progress.best.size} nodes"
        counts = f"{progress.candidates:,} candidates, {progress.kept:,} behaviours, {progress.goals:,} goals"
        say(f"size {progress.size}: {counts}, round {progress.rounds}{best}", "quiet")
