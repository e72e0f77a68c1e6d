"""A program of the suite, compiled: its words, its model with a BOS token, and its circuit with a witness an edge."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np

from capax.compiler.compile import compile
from capax.compiler.compiled import Compiled
from capax.compiler.node_meanings.node_notes import node_notes, planned_nodes
from capax.compiler.node_meanings.variables import ProgramNames, Variable, variables_of
from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitEdge, circuit_edges, plain_for_circuit
from capax.model.interpretability.interchange import ExchangePlan
from capax.model.interpretability.lens_model import LensModel, lens_model, tokens_of
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Token, token_key
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.python.program import Program

LENGTH: Final = 8
"""The length of the longest words of the suite."""
SOME: Final = 1_500
"""So many words of each length are looked through for values of variables; all, where they have three letters."""
BUDGET: Final = 2_000
"""What compiling a program may cost; it keeps random programs short."""
Kind = Literal["library", "family", "random"]


@dataclass(frozen=True, slots=True)
class SuiteProgram:
    """A program with the words that it is compiled for; `wide`: it reads words over larger alphabets too."""

    id: str
    kind: Kind
    what: str
    text: str
    alphabet: str = "abc"
    causal: bool = False
    wide: bool = False

    def to_json(self) -> dict[str, Any]:
        """The program as plain data."""
        return {
            "id": self.id,
            "kind": self.kind,
            "what": self.what,
            "program": self.text,
            "alphabet": list(self.alphabet),
            "max_length": LENGTH,
            "causal": self.causal,
            "wide": self.wide,
        }

    @staticmethod
    def from_json(data: Any) -> "SuiteProgram":
        """The program of plain data."""
        letters = "".join(data["alphabet"])
        name, kind, what, text = (data[n] for n in ("id", "kind", "what", "program"))
        return SuiteProgram(name, kind, what, text, letters, bool(data["causal"]), bool(data["wide"]))


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCase:
    """A program of the suite as a model: compiled, in plain form, with its circuit, variables and notes on nodes."""

    program: SuiteProgram
    compiled: Compiled
    model: Model
    lens: LensModel
    edges: tuple[CircuitEdge, ...]
    variables: tuple[Variable, ...]
    notes: dict[str, str]

    @property
    def confirmed(self) -> bool:
        """Whether every edge that is in by the weights has a witness."""
        return all(edge.witness is not None for edge in self.edges)


def written_programs(kind: Literal["library", "family"]) -> tuple[SuiteProgram, ...]:
    """The programs of the library, or the members of families, in their order."""
    name = {"library": "library.toml", "family": "families.toml"}[kind]
    data = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return tuple(_entries(data, kind))


def _entries(data: Any, kind: Kind) -> Iterator[SuiteProgram]:
    for entry in data["program"]:
        letters, causal, wide = entry.get("alphabet", "abc"), entry.get("causal", False), entry.get("wide", False)
        yield SuiteProgram(entry["id"], kind, entry["what"], entry["text"], letters, causal, wide)


def compiled_case(program: SuiteProgram, alphabet: str | None = None, plan: ExchangePlan | None = None) -> CompiledCase:
    """Compiles a program for its words, or for those over a larger alphabet, and finds its circuit."""
    compiled = compile(
        Program.from_text(program.text),
        alphabet=alphabet or program.alphabet,
        max_length=LENGTH,
        causal=program.causal,
        keep_all=True,
        target="transformer-lens",
        budget=BUDGET,
    )
    model = plain_for_circuit(compiled.model, bos=True)
    lens = lens_model(model, heads=2)
    if not isinstance(lens.decoding, Classes):
        raise CapaxError("bad-suite", f"the answers of {program.id} are numbers that are computed, not one of a few")
    edges = circuit_edges(lens, plan or ExchangePlan())
    passes = compiled.passes
    names = ProgramNames(passes.spec.value, passes.titles)
    variables = variables_of(names, passes.domain, model, lens, most=looked_at(lens))
    notes = node_notes(passes.titles, planned_nodes(passes.network), model)
    return CompiledCase(program, compiled, model, lens, edges, variables, notes)


def looked_at(lens: LensModel) -> int:
    """How many words of each length variables and dictionaries of features are read from."""
    return 3**LENGTH if len(lens.rows) <= 3 else SOME


def program_answers(case: CompiledCase, lens: LensModel, words: Sequence[Array]) -> list[Array]:
    """The program's own answers, as numbers of the model's answers; -1 for a value that the model does not have."""
    assert isinstance(lens.decoding, Classes)
    known = {token_key(value): code for code, value in enumerate(lens.decoding.values)}
    node = case.compiled.passes.spec.value
    results = []
    for rows in words:
        outcomes = evaluate_batch(node, [tokens_of(lens, row) for row in rows])
        codes = [
            [-1] if isinstance(o, CapaxError) else [known.get(token_key(_token(v)), -1) for v in o] for o in outcomes
        ]
        results.append(np.array(codes))
    return results


def _token(value: object) -> Token:
    assert isinstance(value, str | int | float)
    return value
