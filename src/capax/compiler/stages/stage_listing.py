"""The stages of a compilation, in order: the name of each and its result."""

from typing import Final

from capax.compiler.compiled import Compiled, Stage
from capax.compiler.stages.evidence_stages import CertificateStage, CheckStage, ModelStage
from capax.compiler.stages.network_stages import HeadsStage, LayoutStage, MlpsStage, ScheduleStage
from capax.compiler.stages.program_stages import AnalysisStage, OutputSpecStage, RoundingStage, SourceStage

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
    return (
        Stage("source", SourceStage(compiled.program.to_text().rstrip()), compiled.program),
        Stage("output-spec", OutputSpecStage(passes), passes.spec),
        Stage("analysis", AnalysisStage(passes), passes.analysis),
        Stage("rounding", RoundingStage(passes), passes.rounding),
        Stage("schedule", ScheduleStage(passes), passes.schedule),
        Stage("heads", HeadsStage(passes), passes.network.heads),
        Stage("mlps", MlpsStage(passes), passes.network.mlps),
        Stage("layout", LayoutStage(passes), passes.layout),
        Stage("model", ModelStage(passes.model), passes.model),
        Stage("check", CheckStage(compiled.check), compiled.check),
        Stage("certificate", CertificateStage(compiled), compiled.certificate),
    )
