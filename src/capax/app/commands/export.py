"""`capax export`: a model as a folder for another tool."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import MODEL, Json, StoredBudget, Unchecked, choice, count
from capax.app.process.output import say
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.app.files.exports import Export

GROUP: Final = ("Models", 6)
TARGETS: Final = ("torch", "onnx", "transformer-lens", "hf", "llama", "mistral", "qwen2", "phi3", "gguf")


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    to: Annotated[
        str,
        choice("--to", choices=TARGETS, help="The tool that reads it."),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing export.")] = False,
    words: Annotated[int, typer.Option("--words", metavar="N", help="How many words of each kind to try.")] = 300,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    length: Annotated[
        int | None, typer.Option("--length", metavar="N", help="Write a loop out for words of this length.")
    ] = None,
    budget: StoredBudget = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Export a model to another tool, load it back there, and compare the answers. Exit code 1 if they differ.

    Example: capax export reverse.safetensors --to torch -o reverse-torch
    """
    try:
        exported = export_file(
            model, to, output, unchecked=unchecked, force=force, words=words, seed=seed, budget=budget, length=length
        )
    except CapaxError as error:
        if error.code != "export-differs":
            raise
        say(error.render(), "error")
        raise typer.Exit(1) from None
    finish(exported, as_json=as_json)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """An export: the files, the check, what was added to the model, and what its certificate proves if it has one."""

    model: str
    target: str
    directory: str
    export: "Export"
    claim: str | None
    proved: tuple[str, ...] | None
    not_proved: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        report = self.export.report
        proved = {} if self.proved is None else parts(self, "proved", "not_proved")
        return (
            parts(self, "model", "target", "directory")
            | {"files": list(self.export.files), "added": list(self.export.added)}
            | ({"reads": list(self.export.limits)} if self.export.limits else {})
            | {"difference": report.figures["difference"], "claim": self.claim, **proved, "check": report.to_json()}
        )

    def render(self) -> str:
        """The files, and how far the export agrees with the model."""
        report = self.export.report
        lines = [f"{self.directory}: {', '.join(self.export.files)}"]
        lines += [f"added: {note}" for note in self.export.added]
        lines += [f"reads: {note}" for note in self.export.limits]
        for part in report.parts:
            seed = f", seed {part.seed}" if part.seed is not None else ""
            lines.append(f"yes {part.statement} ({part.evidence}, {count(part.count or 0, 'word')}{seed})")
        lines += [f"proved: {line}" for line in self.proved or ()]
        lines += [f"not proved: {line}" for line in self.not_proved]
        lines += [f"causal: {self.claim}"] if self.claim is not None else []
        lines.append(f"largest difference of a logit: {report.figures['difference']:.3g}")
        return "\n".join(lines)


def export_file(
    path: str,
    to: str,
    directory: str,
    *,
    unchecked: bool = False,
    force: bool = False,
    words: int = 300,
    seed: int = 0,
    budget: int | None = None,
    length: int | None = None,
) -> ExportResult:
    """What exporting the model in a file gave."""
    from capax.app.files.exports import export
    from capax.app.files.models import given_model
    from capax.model.claim import claim
    from capax.model.export.target import target

    tool = target(to)
    model = given_model(path, unchecked=unchecked)
    exported = export(model, directory, tool, force=force, words=words, seed=seed, budget=budget, length=length)
    return ExportResult(path, tool.name, directory, exported, claim(model.provenance), *_certified(Path(directory)))


def _certified(folder: Path) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """What the certificate of an export proves and what not; None where it has none."""
    if not (folder / "certificate.json").is_file():
        return None, ()
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return tuple(certificate["proved"]), tuple(certificate.get("not_proved", []))
