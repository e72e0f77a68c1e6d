"""A compiled model for a formula of counting logic, with its certificate where there is one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from capax.atlas.recognition.crasp.program import counting_program
from capax.compiler.compile import compile as compile_program
from capax.compiler.compiled import Compiled
from capax.errors import CapaxError
from capax.formal.acceptance import Read, end_marker
from capax.formal.logic.counting import Counting
from capax.model.model import Model
from capax.rasp.analysis.dialects.crasp import C_RASP
from capax.rasp.analysis.dialects.dialect import DialectVerdict
from capax.rasp.python.program import SOp


@dataclass(frozen=True, slots=True)
class CountingModel:
    """A formula as a program, what the dialect check says of it, and the compiled model or why there is none."""

    program: SOp
    dialect: DialectVerdict
    compiled: Compiled | None = None
    refused: str = ""

    @property
    def text(self) -> str:
        """The program in the text language."""
        return self.program.named("accepts").to_text()

    def to_json(self) -> dict[str, Any]:
        """The program, the check and the model's size as plain data."""
        built = self.compiled
        return {
            "program": self.text,
            "in_dialect": self.dialect.inside,
            "findings": [one.what for one in self.dialect.findings],
            "model": None if built is None else {"size": built.size.to_json(), "label": built.label},
            "refused": self.refused or None,
        }

    def lines(self) -> list[str]:
        """The program and model in lines."""
        says = "accepts it" if self.dialect.inside else f"refuses it: {self.dialect.findings[0].what}"
        count = self.text.count(";")
        statements = f"{count} statement{'s' * (count != 1)}"
        lines = [f"program    {statements}; the dialect check of C-RASP {says}"]
        if self.compiled is not None:
            size = self.compiled.size
            lines.append(
                f"model      {size.attention_layers} layers, {sum(size.heads)} heads, {size.parameters:,} parameters;"
                f" {self.compiled.label}"
            )
        return [*lines, *([f"model      not built: {self.refused}"] if self.refused else [])]


def counting_model(
    formula: Counting, alphabet: Sequence[str], read: Read, *, length: int | None = None, words: int = 60
) -> CountingModel:
    """The program of a formula; with a length also the softmax model, for words of up to so many letters."""
    program = counting_program(formula)
    plain = CountingModel(program, C_RASP.check(program))
    if length is None:
        return plain
    marker = (end_marker(alphabet),) if read == "end" else ()
    try:
        compiled = compile_program(
            program, alphabet=[*alphabet, *marker], max_length=length + len(marker), dtype="float64", words=words
        )
    except CapaxError as error:
        return replace(plain, refused=error.what)
    return replace(plain, compiled=compiled)


def read_model(built: CountingModel, alphabet: Sequence[str], read: Read, computes: str) -> Model:
    """The model of a built formula, which says what it computes and where its answer is read."""
    if built.compiled is None:
        raise CapaxError("bad-option", f"there is no model to write: {built.refused}")
    model = built.compiled.model
    origin = replace(model.provenance, read=read, computes=computes)
    if read == "end":
        marker = end_marker(alphabet)
        origin = replace(origin, end_marker=marker, answer=f"yes or no at the end marker {marker}")
    return replace(model, provenance=origin)
