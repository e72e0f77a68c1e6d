"""`capax decompile MODEL`: the program that a model computes, and what is proved of it."""

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import columns, fact
from capax.app.commands._result import finish
from capax.app.commands.audit import AGAINST, alphabet_option, answers_option, read_option
from capax.app.options import SPLITS, Json, Unchecked, choice, count
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.auditor.verdict import Audit
    from capax.decompiler.decompiled import Decompiled
    from capax.model.model import Model

GROUP: Final = ("Models", 9)


@dataclass(frozen=True, slots=True)
class DecompileResult:
    """What came of a model file; `against` is the audit of the model against what it was to compute, if asked for."""

    model: str
    result: "Decompiled"
    against: "Audit | None" = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        against = None if self.against is None else self.against.to_json()
        return {"model": self.model, **self.result.to_json(), "against": against}

    def render(self) -> str:
        """The program and its evidence, then what each part does."""
        result = self.result
        lines = [self._title()]
        if result.program is None:
            best = f"; best agreement on the words looked at {result.best:.4f}" if result.best else ""
            lines += fact("reason", f"{result.reason}{best}")
        lines += _evidence(result)
        if self.against is not None:
            lines += fact("against", _verdict(self.against))
        lines += [*_heads(result), *_parts(result)]
        if result.program is not None:
            lines += ["", indent(result.program.to_text().rstrip(), "  ")]
        return "\n".join(lines)

    def _title(self) -> str:
        from capax.decompiler.decompiled import ROUTES

        result = self.result
        if result.program is None:
            return f"{self.model}: no program found"
        layers = f"{result.layers} layer{'s' * (result.layers != '1')}"
        heads = ", ".join(map(str, result.heads_of_program or ())) or "none"
        size = f"{count(result.nodes or 0, 'node')}, {layers}, heads {heads}"
        return f"{self.model}: a program of {size}; {ROUTES[result.route]}"


def card(result: "Decompiled") -> dict[str, str]:
    """The forms of what came of decompiling in a notebook."""
    from capax.draw.subjects.card import text_card

    return text_card(DecompileResult("the model", result).render())


def _verdict(audit: "Audit") -> str:
    """What an audit found, as a sentence about the model where it is one."""
    summary = audit.summary()
    return f"the model {summary}" if summary.startswith("equals") else summary


def _evidence(result: "Decompiled") -> list[str]:
    """How often the program agrees, what the audit says, and the automaton."""
    lines = fact("fitted", f"to words of up to {result.fitted} letters")
    agreement = result.agreement
    if agreement is not None:
        words = f"{agreement.words:,} words of {agreement.lengths[0]} to {agreement.lengths[1]} letters"
        lines += fact("agreement", f"{agreement.share:.4f} on {words} (seed {agreement.seed})")
    elif result.program is not None:
        lines += fact("agreement", "not measured: the model reads no words longer than those fitted")
    if result.audit is not None:
        lines += fact("audit", _verdict(result.audit))
        wrong = result.audit.wrong
        if wrong is not None and wrong.counterexample is not None:
            case = wrong.counterexample
            lines += fact("", f"the model answers {case.answer!r} there, and the program {case.expected!r}")
    if result.states is not None:
        longest = "" if result.audit is None else f" for words of up to {result.audit.lengths[-1].length} letters"
        lines += fact("automaton", f"{result.states} states{longest}, learned from the answers")
    if result.tables is not None:
        kept = f"{result.tables:.4f} of the answers"
        lines += fact("attention", f"tables by token, distance and position in its place keep {kept}")
    return lines


def _heads(result: "Decompiled") -> list[str]:
    """What each head does."""
    lines = [""] if result.heads else []
    for head in result.heads:
        gives = f" -> {', '.join(head.gives)}" if head.gives else ""
        note = f" ({head.reason})" if head.reason else ""
        lines += fact(head.title, f"{head.does or 'not explained'}{gives}{note}")
    return lines


def _parts(result: "Decompiled") -> list[str]:
    """The share of answers that do not need each part."""
    if not result.parts:
        return []
    rows = [["without", "answers kept"], *([p.part, f"{p.kept:.3f}"] for p in result.parts)]
    return ["", *columns(rows, right=(1,))]


def command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file, or a folder of Hugging Face or TransformerLens.")
    ],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="PROGRAM", help="The .rasp file for the program.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="SPEC", help=f"Also audit the model itself. {AGAINST}")
    ] = None,
    answers: Annotated[
        str | None, typer.Option("--answers", metavar="A=B,...", help="The model's output B for each answer A of SPEC.")
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option(
            "--max-length", metavar="N", help="The longest words of the audit.", show_default="20, or those fitted"
        ),
    ] = None,
    fit: Annotated[
        int | None,
        typer.Option("--fit", metavar="N", help="The longest words looked at.", show_default="8 for heads, else 12"),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="How long to work, wall-clock time.")] = 60.0,
    read: Annotated[
        str | None,
        choice("--read", choices=("each", "last", "end"), help="Where the answer is read.", show_default="its file's"),
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", help="The letters of words.", show_default="the model's tokens")
    ] = None,
    split: Annotated[str, choice("--as", choices=SPLITS, help="How --alphabet is split.")] = "chars",
    end: Annotated[str | None, typer.Option("--end", metavar="TOKEN", help="The end marker after a word.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the words.")] = 0,
    draw: Annotated[
        str | None, typer.Option("--draw", metavar="FILE", help="Draw program and attention side by side, as .html.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Find the program that a model computes, and prove that it is the right one or where it differs.

    Exit code 0 if a program was found and the audit proved it equal on all lengths, 1 otherwise.

    Example: capax decompile model.safetensors -o program.rasp
    """
    from capax.app.against_specs.audit import audit
    from capax.app.against_specs.decompile import decompile
    from capax.app.files.checkpoints import any_model

    _check_files(output, draw)
    loaded = any_model(model, unchecked=unchecked)
    where, letters = read_option(read), alphabet_option(alphabet, split)
    own = None
    if against is not None:
        pairs, most = answers_option(answers), max_length
        own = audit(
            loaded, against, max_length=most, seconds=seconds, read=where, answers=pairs, alphabet=letters, end=end
        )
    result = decompile(
        loaded, fit=fit, max_length=max_length, seconds=seconds, read=where, alphabet=letters, end=end, seed=seed
    )
    written = _write(result, model, output)
    if draw is not None and result.program is not None:
        _draw(loaded, result, draw)
    finish(DecompileResult(model, result, own), as_json=as_json, yes=result.proved, written=written)


def _check_files(output: str | None, draw: str | None) -> None:
    """Refuses files that could not be written, before the work and not after it."""
    for name, ending in ((output, ".rasp"), (draw, ".html")):
        if name is None:
            continue
        if not name.endswith(ending):
            what = f"{'a program' if ending == '.rasp' else 'a drawing'} goes to a {ending} file, not to {name}"
            raise CapaxError("bad-option", what, hint=f"-o program{ending}" if ending == ".rasp" else "--draw it.html")
        if not Path(name).parent.is_dir():
            raise CapaxError("file-unreadable", f"there is no folder {Path(name).parent} to write {Path(name).name} to")


def _write(result: "Decompiled", model: str, output: str | None) -> str | None:
    """Writes the program, with its evidence as a comment; the name of the file."""
    if output is None or result.program is None:
        return None
    from capax.app.files.text_files import write_text

    summary = "" if result.audit is None else f"# Audit: {_verdict(result.audit)}.\n"
    write_text(Path(output), f"# What {Path(model).name} computes.\n{summary}\n{result.program.to_text()}")
    return output


def _draw(model: "Model", result: "Decompiled", file: str) -> None:
    from capax.app.files.text_files import write_text
    from capax.draw.ink.html import html_beside
    from capax.draw.subjects.model_view import example_word, model_flow
    from capax.draw.view.flow import flow

    assert result.program is not None
    word = example_word(model)
    views = [flow(result.program, word), model_flow(model, word, title="the model")]
    write_text(Path(file), html_beside(views, "the program and the model"))
    say(f"written to {file}")
