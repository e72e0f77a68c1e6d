"""The result of `capax explain --foc`: a fixed-precision model as formulas of first-order logic with counting."""

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from capax.app.commands._columns import WIDTH
from capax.formal.logic.foc.text import printed_normal
from capax.report import Report
from capax.theorems.languages.parts.logic.model_formula import ModelFormula

LONGEST: Final = 60
"""Words of up to this length are tried at random, beside all short ones."""


@dataclass(frozen=True, slots=True)
class ModelSentences:
    """For each type of positions when the model answers yes there, and whether it did so on the words that were run."""

    name: str
    formula: ModelFormula
    check: Report

    def to_json(self) -> dict[str, Any]:
        """The formulas as plain data."""
        rows = [
            {"token": token, "remainder": r, "formula": printed_normal(self.formula.normal((token, r)))}
            for token, r in self.formula.says
        ]
        about = {"modulus": self.formula.modulus, "regions": self.formula.regions, "same": self.formula.same}
        return {"model": self.name, **about, "types": rows, "check": self.check.to_json()}

    def render(self) -> str:
        """The formulas as text, a paragraph each; one for all types if they say the same."""
        modulus = self.formula.modulus
        regions = f"{self.formula.regions:,} region{'s' * (self.formula.regions != 1)} of counts"
        lines = [f"{self.name}: when it answers yes, as formulas of FOC[MOD; +] ({regions})"]
        for token, r in list(self.formula.says)[: 1 if self.formula.same else None]:
            where = f"at a position of {token!r}" + (f" whose index is {r} modulo {modulus}" if modulus > 1 else "")
            lines += ["", "at every position" if self.formula.same else where]
            text = printed_normal(self.formula.normal((token, r)))
            lines += wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        return "\n".join([*lines, "", str(self.check)])


def model_sentences(path: str, *, unchecked: bool = False) -> ModelSentences:
    """The formulas of the model in a file, checked by running it."""
    from capax.app.files.models import given_model
    from capax.theorems.languages.fixed_precision_formula import agrees, formula_of

    model = given_model(path, unchecked=unchecked)
    formula = formula_of(model)
    longest = LONGEST if model.max_length is None else min(LONGEST, model.max_length)
    return ModelSentences(path, formula, agrees(model, longest))
