"""`capax stages`: what each pass of the compiler gives for a program, as text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._compile_options import (
    Alphabet,
    AlphabetFile,
    AlphabetSplit,
    Causal,
    CertifyChoice,
    CompileBudget,
    DtypeName,
    KeepAll,
    Masks,
    MaxLength,
    MlpDepth,
    Target,
    program_split,
    read_certify,
    read_tokens,
)
from capax.app.commands.compile import compile_to
from capax.app.options import PROGRAM, Json
from capax.app.process.output import print_json, print_text
from capax.compiler.domain import CompileSettings
from capax.plain import parts
from capax.rasp.text.interpreter import BUDGET

if TYPE_CHECKING:
    from capax.compiler.compiled import Stage

GROUP: Final = ("Models", 8)


def command(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    max_length: MaxLength,
    alphabet: Alphabet = None,
    alphabet_file: AlphabetFile = None,
    split: AlphabetSplit = "chars",
    causal: Causal = CompileSettings.causal,
    dtype: DtypeName = CompileSettings.dtype,
    masks: Masks = CompileSettings.masks,
    mlp_depth: MlpDepth = CompileSettings.mlp_depth,
    keep_all: KeepAll = CompileSettings.keep_all,
    budget: CompileBudget = BUDGET,
    certify: CertifyChoice = "yes",
    target: Target = CompileSettings.target,
    as_json: Json = False,
) -> None:
    """Compile a program and print every stage, from the source to the certificate.

    Example: capax stages reverse --alphabet abc --max-length 5
    """
    result = compile_to(
        program,
        split=program_split(alphabet_file, split),
        alphabet=read_tokens(alphabet, alphabet_file, split),
        max_length=max_length,
        causal=causal,
        dtype=dtype,
        masks=masks,
        mlp_depth=mlp_depth,
        keep_all=keep_all,
        budget=budget,
        certify=read_certify(certify),
        target=target,
    )
    listing = StageListing(result.program, result.compiled.stages)
    print_json(listing.to_json()) if as_json else print_text(listing.render())


@dataclass(frozen=True, slots=True)
class StageListing:
    """The stages of a compilation, in order."""

    program: str
    stages: "tuple[Stage, ...]"

    def to_json(self) -> dict[str, Any]:
        """The stages as plain data."""
        return plain(self)

    def render(self) -> str:
        """Every stage under its name."""
        return "\n\n".join(f"== {stage.name}\n{stage.text}" for stage in self.stages)
