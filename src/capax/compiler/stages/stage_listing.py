"""The stages of a compilation, in order: the name of each and its result."""

from collections.abc import Callable
from typing import Final

from capax.compiler.compiled import Compiled, Stage
from capax.compiler.stages.evidence_stages import CertificateStage, CheckStage, ModelStage
from capax.compiler.stages.network_stages import HeadsStage, LayoutStage, MlpsStage, ScheduleStage
from capax.compiler.stages.program_stages import AnalysisStage, OutputSpecStage, RoundingStage, SourceStage
from capax.compiler.stages.stage_parts import StagePart, parts_of

NAMES: Final = (
    "source",
    "output-spec",
    "analysis",
    "rounding",
    "schedule",
    "heads",
    "mlps",
    "layout",
    "model",
    "check",
    "certificate",
)
"""The names of the stages, in order."""


def stages_of(compiled: Compiled) -> tuple[Stage, ...]:
    """The stages of a compilation, from the source to the certificate."""
    passes = compiled.passes
    parts = parts_of(passes)
    return (
        Stage("source", SourceStage(compiled.program.to_text().rstrip()), compiled.program),
        Stage("output-spec", OutputSpecStage(passes), passes.spec),
        Stage("analysis", AnalysisStage(parts), _values(parts, lambda part: part.analysis)),
        Stage("rounding", RoundingStage(parts), _values(parts, lambda part: part.rounding)),
        Stage("schedule", ScheduleStage(parts), _values(parts, lambda part: part.schedule)),
        Stage("heads", HeadsStage(parts), _values(parts, lambda part: part.network.heads)),
        Stage("mlps", MlpsStage(parts), _values(parts, lambda part: part.network.mlps)),
        Stage("layout", LayoutStage(parts), _values(parts, lambda part: part.layout)),
        Stage("model", ModelStage(passes.model), passes.model),
        Stage("check", CheckStage(compiled.check), compiled.check),
        Stage("certificate", CertificateStage(compiled), compiled.certificate),
    )


def _values(parts: tuple[StagePart, ...], value: Callable[[StagePart], object]) -> object:
    """What a pass gave; of a program with a loop, a tuple of what it gave for each part."""
    first, *others = map(value, parts)
    return (first, *others) if others else first
