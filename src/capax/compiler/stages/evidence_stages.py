"""The stages that are about the model: its size, the check against the program, and the certificate."""

from dataclasses import dataclass
from typing import Any

from capax.compiler.compiled import Compiled
from capax.compiler.stages.stage_lines import counted, value_text
from capax.model.model import Model
from capax.model.size import size
from capax.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class ModelStage:
    """The model: its size, and what was added for a target."""

    model: Model

    def to_json(self) -> dict[str, Any]:
        """The number system, the size and the target."""
        target = self.model.provenance.target
        return {
            "numbers": self.model.numbers,
            "size": size(self.model).to_json(),
            "target": None if target is None else target.to_json(),
        }

    def render(self) -> str:
        """The size as a table."""
        target = self.model.provenance.target
        added = [] if target is None else [f"for {target.name}: {what}" for what in target.added]
        if added:
            added.append("these layers are renumbered; the stages above show the model without what was added")
        return "\n".join([f"numbers           {self.model.numbers}", str(size(self.model)), *added])


@dataclass(frozen=True, slots=True, eq=False)
class CheckStage:
    """The comparison of the model with the program."""

    report: Report

    def to_json(self) -> dict[str, Any]:
        """The report."""
        return self.report.to_json()

    def render(self) -> str:
        """A line for each kind of words, and what could not be compared."""
        lines = [f"{'yes' if self.report.holds else 'no'}: {self.report.statement}"]
        for part in self.report.parts:
            seed = f", seed {part.seed}" if part.seed is not None else ""
            how = f"{part.evidence}, {counted(part.count or 0, 'word')}{seed}"
            lines.append(f"  {'yes' if part.holds else 'no':<3} {part.statement} ({how})")
        lines += [f"  --  nothing to compare on {which}" for which in self.report.figures["not compared"]]
        lines += [
            f"  the program fails with {code}, for instance on {' '.join(map(value_text, word))}"
            for code, word in self.report.figures["fails"].items()
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class CertificateStage:
    """Up to which length the answers are proved right, in which number system."""

    compiled: Compiled

    def to_json(self) -> dict[str, Any]:
        """The label, the certified length and the certificate."""
        compiled = self.compiled
        return {
            "label": compiled.label,
            "certified_length": compiled.certified_length,
            "certificate": compiled.certificate.to_json(),
        }

    def render(self) -> str:
        """A line for each number system."""
        lines = [self.compiled.label]
        for verdict in self.compiled.certificate.verdicts:
            length = f"up to length {verdict.length:,}" if verdict.length else "not certified"
            breaks = f"; breaks {verdict.breaks}" if verdict.breaks else ""
            lines.append(f"{verdict.numbers:<9} {length}{breaks}")
        return "\n".join(lines)
