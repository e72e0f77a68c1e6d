"""What compiling gives: the model, evidence for it, its size, and what each pass gave on the way."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

from capax.certify import Certificate
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.check.causal_change import CausalChange
from capax.compiler.check.possible_errors import PossibleFailure
from capax.compiler.domain import Domain
from capax.compiler.layer_schedule import LayerSchedule
from capax.compiler.layout.network import Network
from capax.compiler.layout.slots import SlotLayout
from capax.compiler.rounding.rounding_check import RoundingBounds
from capax.display import Displayed
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.model.provenance import PadsRecord, RecordedDomain
from capax.model.size import Size, size
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node, Padded, SOpNode
from capax.rasp.ir.pad_node import padded
from capax.rasp.ir.types import Atom, sequence_type
from capax.rasp.meaning.reference import read_word
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.python.program import Program
from capax.rasp.rewrite.assumptions import check_promise
from capax.rasp.rewrite.split_loop import LoopSpec
from capax.report import Report

if TYPE_CHECKING:
    from capax.compiler.looped.assemble_loop import LoopLayout
    from capax.compiler.looped.plan_parts import PlannedLoop
    from capax.compiler.node_meanings.variables import Variable, VariableValues
    from capax.model.interpretability.circuit import ModelCircuit
    from capax.model.interpretability.interchange import EdgeWitness
    from capax.model.interpretability.lens_model import LensModel


@dataclass(frozen=True, slots=True, eq=False)
class LoopPasses:
    """What the passes of a program with a loop gave besides: its parts, their networks, and the slots they share."""

    spec: LoopSpec
    planned: "PlannedLoop"
    layout: "LoopLayout"


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """What each pass of a compilation gave; `titles` are the names of nodes, no two alike.

    Of a program with a loop, the passes are those of what is computed after it, and `loop` has the others.
    """

    spec: OutputSpec
    analysis: Analysis
    rounding: RoundingBounds
    schedule: LayerSchedule
    titles: Mapping[Node, str]
    network: Network
    layout: SlotLayout
    model: Model
    loop: LoopPasses | None = None

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
class Compiled(Displayed):
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
    pads: Padded | None = None
    """The pause tokens that follow every word; `program` is then the one that reads them, and so is the model."""

    def __call__(self, word: Iterable[Any]) -> Sequence | list[Atom]:
        """The decoded answers for a word of the domain; any other word is rejected."""
        if self.assumption is not None or self.pads is not None:
            return self.batch([word])[0]
        return _typed(self.model(word))

    def batch(self, words: Iterable[Iterable[Any]]) -> list[Sequence | list[Atom]]:
        """The decoded answers for many words."""
        if self.pads is not None:
            given = [read_word(word) for word in words]
            longer = replace(self, pads=None).batch([padded(self.pads, word) for word in given])
            return [_typed(list(answer)[: len(word)]) for word, answer in zip(given, longer, strict=True)]
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
            domain=recorded_domain(domain),
            check=self.check.to_json(),
            errors=tuple(error.to_json() for error in self.errors),
            causal_change=None if change is None else change.to_json(),
            assumption=None if self.assumption is None else self.assumption.to_text(),
            certificate=self.certificate.to_json(),
            pads=None if self.pads is None else PadsRecord(self.pads.factor, self.pads.power, self.pads.token),
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

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model with its certificate to a file, whole or not at all; `capax.load_model` reads it."""
        self.model.save(path)

    def export(self, target: str, directory: str | PathLike[str], *, force: bool = False) -> Report:
        """Writes the model for another tool ("torch", "transformer-lens", "hf", "onnx"), and compares the answers."""
        return self.model.export(target, directory, force=force)

    def to_torch(self) -> Any:
        """The model as an `nn.Module` with the same answers, whose every weight can be trained."""
        return self.model.to_torch()

    def to_transformer_lens(self) -> Any:
        """The model as a `HookedTransformer` of TransformerLens, as `Model.to_transformer_lens` gives it."""
        return self.model.to_transformer_lens()

    def draw(self, word: Iterable[Any] | None = None) -> Any:
        """The attention of every head on a word, as a picture that notebooks show and that `.save(path)` writes."""
        return self.model.draw(word)

    def explain(self) -> Any:
        """What each head and MLP reads, writes and is for; `print` shows it."""
        return self.model.explain()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """What each pass gave, in order, from the source to the certificate."""
        from capax.compiler.stages.stage_listing import stages_of

        return stages_of(self)

    @cached_property
    def _plain(self) -> "tuple[Model, LensModel]":
        """The model in the form that TransformerLens holds, and that form."""
        from capax.model.interpretability.circuit import plain_for_circuit
        from capax.model.interpretability.lens_model import lens_model

        plain = plain_for_circuit(self.model)
        return plain, lens_model(plain)

    def _variables_of(self, words: Collection[tuple[Atom, ...]]) -> "tuple[Variable, ...]":
        from capax.compiler.node_meanings.variables import ProgramNames, variables_of

        names = ProgramNames(self.passes.spec.value, self.passes.titles)
        return variables_of(names, self.domain, *self._plain, words=words)

    @cached_property
    def _variables(self) -> "tuple[Variable, ...]":
        return self._variables_of(())

    def circuit(self) -> "ModelCircuit":
        """The nodes and edges that matter for the answers, each edge with a word and a donor that show it.

        The names are those of the model in TransformerLens. It needs a model that was compiled with `keep_all=True`.
        """
        from capax.compiler.node_meanings.node_notes import node_notes, planned_nodes
        from capax.model.interpretability.circuit import circuit_of

        plain, _ = self._plain
        return circuit_of(plain, node_notes(self.passes.titles, planned_nodes(self.passes.network), plain))

    def variables(self, word: Iterable[Any]) -> "VariableValues":
        """What the directions of the stream stand for, and the values at each position of a word.

        It needs a model that was compiled with `keep_all=True`.
        """
        from capax.compiler.node_meanings.variables import values_on

        tokens = tuple(word)
        self.model.read(tokens)
        known = values_on(self._variables, self._plain[1], tokens)
        if known is None:  # the word has values that no word had from which the variables were read
            known = values_on(self._variables_of([tokens]), self._plain[1], tokens)
        assert known is not None, "its values are among those of the words"
        return known

    def interchange(self, word: Iterable[Any], donor: Iterable[Any], node: str) -> "EdgeWitness":
        """The answers for a word, and what they become when a node has the value that it has on a donor.

        A node is `input`, `pos`, a head such as `a0.h1`, or an MLP such as `m0`, as `circuit` names them; the donor
        has the word's length.
        """
        from capax.model.interpretability.interchange import interchange

        plain, lens = self._plain
        tokens, others = list(word), list(donor)
        plain.read(tokens), plain.read(others)
        if len(tokens) != len(others):
            what = f"the donor has {len(others)} tokens and the word {len(tokens)}"
            raise CapaxError("word-length", what, hint="give a donor of the same length")
        if node not in lens.shape.nodes():
            names = ", ".join(lens.shape.nodes()[:12])
            raise CapaxError("bad-circuit", f"the model has no node {node!r:.60}", hint=f"nodes are {names}")
        return interchange(lens, tokens, others, [node])

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


def recorded_domain(domain: Domain) -> RecordedDomain:
    """A domain, as a model's file has it."""
    return RecordedDomain(
        domain.alphabet, domain.max_length, domain.causal, domain.masks, domain.mlp_depth, domain.keep_all
    )


def _typed(values: list[Atom]) -> Sequence | list[Atom]:
    try:
        return Sequence(values, sequence_type(values))
    except CapaxError:
        return values  # on a word on which the program fails, answers need not have one type
