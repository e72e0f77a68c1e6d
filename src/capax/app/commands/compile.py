"""`capax compile`: a program as transformer weights, verified and certified."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._compile_options import CompileRequest, with_settings
from capax.app.options import PROGRAM, Json, ModelOutput
from capax.app.process.output import print_json, print_text, say
from capax.app.resolve import Resolved, resolve
from capax.display import parts
from capax.errors import CapaxError, nearest
from capax.rasp.ir.describe import describe
from capax.rasp.text.interpreter import BUDGET

if TYPE_CHECKING:
    from capax.compiler.check.possible_errors import PossibleFailure
    from capax.compiler.compiled import Compiled, Stage

GROUP: Final = ("Models", 1)
ENDING: Final = ".safetensors"
MOST_TOKENS: Final = 8
"""How many tokens of an alphabet are shown."""


@with_settings
def command(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    request: CompileRequest,
    output: ModelOutput = None,
    stage: Annotated[
        str | None, typer.Option("--stage", metavar="NAME", help="Print one stage only; `capax stages` prints all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile a program to transformer weights, verify and certify them. Without -o it only reports.

    Example: capax compile reverse --alphabet abc --max-length 20 -o reverse.safetensors
    """
    result = compile_to(program, output, split=request.split, **request.settings)
    if stage is not None:
        one = stage_named(result.compiled, stage)
        print_json(one.to_json()) if as_json else print_text(one.text)
    else:
        print_json(result.to_json()) if as_json else print_text(result.render())
    if output is not None and not as_json:
        say(f"written to {output}")


def compile_to(
    program: str | Resolved, output: str | None = None, *, split: str = "chars", budget: int = BUDGET, **settings: Any
) -> "CompileResult":
    """A program as a model, which is written to `output` if that is a file; settings are those of `capax.compile`."""
    from capax.app.files.models import save_model
    from capax.certify.plan.plan import with_plan
    from capax.compiler.compile import compile
    from capax.model.io.atomic import check_writable

    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    if output is not None:
        check_writable(Path(output))
    resolved = resolve(program, split=split, budget=max(budget, BUDGET))
    compiled = compile(resolved.program, budget=budget, **settings)
    if output is not None:
        save_model(with_plan(compiled.model) if compiled.certified_length else compiled.model, output)
    return CompileResult(resolved.name, compiled, output)


def stage_named(compiled: "Compiled", name: str) -> "Stage":
    """The stage of a compilation that a name stands for."""
    from capax.compiler.stages.stage_listing import NAMES

    if name not in NAMES:
        near = nearest(name, list(NAMES))
        hint = f"did you mean {near}?" if near else f"the stages are {', '.join(NAMES)}"
        raise CapaxError("bad-option", f"there is no stage {name!r:.60}", hint=hint)
    return next(stage for stage in compiled.stages if stage.name == name)


@dataclass(frozen=True, slots=True)
class CompileResult:
    """What compiling a program gave, and the file that the model was written to."""

    program: str
    compiled: "Compiled"
    file: str | None

    def to_json(self) -> dict[str, Any]:
        """The size, the check, the certified lengths and the possible errors as plain data."""
        from capax.model.claim import claimed_program

        compiled = self.compiled
        provenance = compiled.model.provenance
        assert provenance.domain is not None, "compiled models have one"
        return {
            "program": self.program,
            "domain": provenance.domain.to_json(),
            "pads": None if provenance.pads is None else provenance.pads.to_json(),
            "numbers": compiled.domain.dtype,
            "size": compiled.size.to_json(),
            "check": compiled.check.to_json(),
            "certified_length": compiled.certified_length,
            "label": compiled.label,
            "about": claimed_program(compiled.domain.causal),
            "verdicts": [
                parts(v, "numbers", "length", "breaks", "where", "help") for v in compiled.certificate.verdicts
            ],
            "errors": [error.to_json() for error in compiled.errors],
            "causal_change": provenance.causal_change,
            "assumption": provenance.assumption,
            "target": None if provenance.target is None else provenance.target.to_json(),
            "file": self.file,
        }

    def render(self) -> str:
        """The report as text, the certificate first."""
        from capax.app.commands._check_text import check_lines, verdict_lines
        from capax.model.claim import causal_note

        compiled = self.compiled
        lines = [f"{self.program}: {self._domain()}", compiled.label, *_pad_lines(compiled)]
        lines += ["", str(compiled.size), *self._added(), ""]
        lines += [*check_lines(compiled.check), *verdict_lines(compiled.certificate.verdicts)]
        if compiled.assumption is not None:
            lines += ["", f"assumed of every word, and checked by `capax apply`: {describe(compiled.assumption.node)}"]
        if compiled.causal_change is not None:
            lines += ["", f"causal: {causal_note(compiled.causal_change.to_json())}"]
        return "\n".join([*lines, "", *_error_lines(compiled.errors)])

    def _domain(self) -> str:
        from capax.app.commands._check_text import token_text

        domain = self.compiled.domain
        tokens = domain.alphabet
        first = ", ".join(map(token_text, tokens[:MOST_TOKENS])) + (", ..." if len(tokens) > MOST_TOKENS else "")
        settings = [f"words of 1 to {domain.max_length:,}", f"{len(tokens):,} tokens: {first}", domain.dtype]
        settings += ["causal"] if domain.causal else []
        settings += [] if domain.masks else ["no masks"]
        settings += [f"MLP depth up to {domain.mlp_depth}"] if domain.mlp_depth is not None else []
        return "; ".join(settings)

    def _added(self) -> list[str]:
        """What was added for a target, or for MLPs that may not be deep."""
        target = self.compiled.model.provenance.target
        if target is not None:
            return [f"for {target.name}: {what}" for what in target.added]
        extra = self.compiled.size.heads.count(0)
        plural = "" if extra == 1 else "s"
        return [f"{extra} more layer{plural} without heads for the further stages of MLPs"] if extra else []


def _error_lines(errors: "tuple[PossibleFailure, ...]") -> list[str]:
    from capax.app.commands._check_text import word_text

    if not errors:
        return ["run-time errors: none possible on this domain"]
    lines = ["run-time errors that cannot be ruled out:"]
    for error in errors:
        outcome = f"happens on {word_text(error.word)}" if error.word is not None else "assumed not to happen"
        where = f" in `{error.where}`" if error.where else ""
        lines.append(f"  {error.code}{where}: {outcome}")
    return lines


def _pad_lines(compiled: "Compiled") -> list[str]:
    """The pause tokens that follow every word, if any do."""
    if compiled.pads is None:
        return []
    from capax.app.commands._check_text import token_text
    from capax.rasp.ir.pad_node import count_text, pads_at

    pads, longest = compiled.pads, compiled.domain.max_length
    letters = max(n for n in range(longest) if n + pads_at(pads, n) <= longest)
    tokens = f"{count_text(pads)} pause tokens `{token_text(pads.token)}`"
    return [f"after each word of 1 to {letters:,} letters: {tokens}, whose answers are hidden"]
