"""What compiling gives: the model, evidence for it, its size, and what each pass gave on the way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from capax.certify import Certificate
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.check.causal_change import CausalChange
from capax.compiler.check.possible_errors import PossibleFailure
from capax.compiler.domain import Domain
from capax.compiler.layer_schedule import LayerSchedule
from capax.compiler.layout.network import Network
from capax.compiler.layout.slots import SlotLayout
from capax.compiler.rounding.rounding_check import RoundingBounds
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.model.provenance import RecordedDomain
from capax.model.size import Size, size
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.types import Atom, sequence_type
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.python.program import Program
from capax.rasp.rewrite.assumptions import check_promise
from capax.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """What each pass of a compilation gave; `titles` are the names of nodes, no two alike."""

    spec: OutputSpec
    analysis: Analysis
    rounding: RoundingBounds
    schedule: LayerSchedule
    titles: Mapping[Node, str]
    network: Network
    layout: SlotLayout
    model: Model

    @property
    def domain(self) -> Domain:
        """The words that the model is for, and what it may use."""
        return self.analysis.domain


class StageResult(Protocol):
    """What a stage shows."""

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        ...

    def render(self) -> str:
        """The result as text."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A stage of a compilation: its name, its result as text and JSON, and the value that the pass gave."""

    name: str
    result: StageResult
    value: object

    @property
    def text(self) -> str:
        """The result as text."""
        return self.result.render()

    def to_json(self) -> dict[str, Any]:
        """The name, and the result as plain data."""
        return {"name": self.name, **self.result.to_json()}


@dataclass(frozen=True, eq=False, repr=False)
class Compiled:
    """A program as a model: called with a word it gives the program's answers."""

    program: Program
    passes: Passes
    check: Report
    errors: tuple[PossibleFailure, ...]
    causal_change: CausalChange | None
    certificate: Certificate
    """Up to which length which number system is proved right; it travels in the model's file."""
    assumption: Program | None = None
    """What the words keep; `program` is then what the program written is on such words."""

    def __call__(self, word: Iterable[Any]) -> Sequence | list[Atom]:
        """The decoded answers for a word of the domain; any other word is rejected."""
        if self.assumption is not None:
            return self.batch([word])[0]
        return _typed(self.model(word))

    def batch(self, words: Iterable[Iterable[Any]]) -> list[Sequence | list[Atom]]:
        """The decoded answers for many words."""
        if self.assumption is not None and isinstance(self.assumption.node, SOpNode):
            words = [word if isinstance(word, str) else list(word) for word in words]
            check_promise(self.assumption.node, words)
        return [_typed(answer) for answer in self.model.batch(words)]

    @property
    def domain(self) -> Domain:
        """The words that the model is for, and what it may use."""
        return self.passes.domain

    @cached_property
    def model(self) -> Model:
        """The model; its provenance has the program, the check and the certificate."""
        domain, change = self.domain, self.causal_change
        provenance = replace(
            self.passes.model.provenance,
            program=self.program.to_text(),
            name=self._name(),
            domain=RecordedDomain(domain.alphabet, domain.max_length, domain.causal, domain.masks, domain.mlp_depth),
            check=self.check.to_json(),
            errors=tuple(error.to_json() for error in self.errors),
            causal_change=None if change is None else change.to_json(),
            assumption=None if self.assumption is None else self.assumption.to_text(),
            certificate=self.certificate.to_json(),
        )
        return replace(self.passes.model, provenance=provenance)

    def _name(self) -> str | None:
        """What the program is called; under an assumption it is another one than what was written, and says so."""
        name, assumption = self.program.name, self.assumption
        return name if assumption is None or name is None else f"{name} assuming {describe(assumption.node)}"

    @property
    def size(self) -> Size:
        """The size of the model."""
        return size(self.model)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """What each pass gave, in order, from the source to the certificate."""
        from capax.compiler.stages.stage_listing import stages_of

        return stages_of(self)

    @property
    def certified_length(self) -> int:
        """The length up to which every answer is proved right in the model's own number system."""
        return self.certificate.length_in(self.passes.model.numbers)

    @property
    def label(self) -> str:
        """What is known of the answers, in a few words; of which program and on which words, where not of all."""
        partly = ", on words on which the program has a value" if self.check.figures["fails"] else ""
        causal = f", for {claimed_program(True)}" if self.domain.causal else ""
        assumed = "" if self.assumption is None else ", for the program on words that keep the assumption"
        return f"{self._known()}{partly}{causal}{assumed}"

    def _known(self) -> str:
        n, tested = self.certified_length, bool(self.check.count)
        if n == self.domain.max_length:
            return f"certified in {self.passes.model.numbers} up to length {n}"
        beyond = "checked by test only" if tested else "not checked"
        return f"certified up to length {n}, {beyond} beyond" if n else beyond

    def __repr__(self) -> str:
        n, tokens = self.domain.max_length, len(self.domain.alphabet)
        name = self.program.name or "program"
        return f"<compiled {name}: words of 1 to {n} of {tokens} tokens; {self.label}; {self.model!r}>"


def _typed(values: list[Atom]) -> Sequence | list[Atom]:
    try:
        return Sequence(values, sequence_type(values))
    except CapaxError:
        return values  # on a word on which the program fails, answers need not have one type
