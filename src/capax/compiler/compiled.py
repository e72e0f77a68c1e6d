"""What compiling gives: the model, evidence for it, and its size."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from capax.certify.certificate import NONE
from capax.certify.parts.sink_token import certificate_of
from capax.certify.recheck.recheck import wanted_of
from capax.compiler.analysis.analysis import Facts
from capax.compiler.analysis.causal_change import causal_change
from capax.compiler.check.agreement import agreement
from capax.compiler.check.witnesses import errors_of
from capax.compiler.domain import Domain, domain
from capax.compiler.pipeline import build
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.types import Atom, sequence_type
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.python.program import Program
from capax.report import Report


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compiled:
    """A program as a model: called with a word it gives the program's answers."""

    program: Program
    domain: Domain
    model: Model
    check: Report
    errors: tuple[dict[str, Any], ...]

    def __call__(self, word: Iterable[Any]) -> Sequence | list[Atom]:
        """The decoded answers for a word of the domain; any other word is refused."""
        return _typed(self.model(word))

    def batch(self, words: Iterable[Iterable[Any]]) -> list[Sequence | list[Atom]]:
        """The decoded answers for many words."""
        return [_typed(answer) for answer in self.model.batch(words)]

    @property
    def size(self) -> Any:
        """The size of the model."""
        from capax.model.size import size

        return size(self.model)

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate that travels in the model's file: up to which length which number system is proved right."""
        found: dict[str, Any] = self.model.facts["certificate"]
        return found

    @property
    def certified_length(self) -> int:
        """The length up to which every answer is proved right in the model's own number system."""
        verdicts = {v["numbers"]: v["length"] for v in self.certificate["verdicts"]}
        return int(verdicts.get(self.model.numbers, 0))

    @property
    def label(self) -> str:
        """What is known of the answers, in a few words; of which program and on which words, where not of all."""
        partly = ", on words on which the program has a value" if self.check.figures["fails"] else ""
        causal = f", for {claimed_program(True)}" if self.domain.causal else ""
        return f"{self._known()}{partly}{causal}"

    def _known(self) -> str:
        n, tested = self.certified_length, bool(self.check.count)
        if n == self.domain.max_length:
            return f"certified in {self.model.numbers} up to length {n}"
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


def compile_program(
    program: Program,
    *,
    alphabet: Any,
    max_length: int,
    certify: bool | Literal["require"] = True,
    words: int = 150,
    **settings: Any,
) -> Compiled:
    """The program as a transformer that is right on every word of 1 to `max_length` tokens of the alphabet.

    Settings: `causal` (no position sees a later one), `dtype` (float32 or float64), `masks` (heads may have masks of
    their own), `mlp_depth` (the most hidden stages of an MLP), `keep_all` (no direction of the stream is used twice),
    `budget` (how much work and memory compiling may take), `target` (the tool that the model is for: see
    `capax.compiler.target.target`). Compilation ends with a check on about three
    times `words` words, and with a certificate: where the model cannot be certified at its full length, the result's
    `label` says so; `certify="require"` refuses such a model, and `certify=False` tries nothing.

    >>> from capax import tokens, select, selector_width
    >>> import capax
    >>> hist = selector_width(select(tokens, tokens, "=="))
    >>> capax.compile(hist, alphabet="ab", max_length=5)("abaa")
    [3, 1, 3, 3]
    """
    if not isinstance(program, Program) or not isinstance(program.node, SOpNode):
        raise CapaxError(
            "not-compilable",
            "only an s-op can be compiled" if isinstance(program, Program) else f"not a program: {program!r:.60}",
            hint="compile `aggregate(selector, ...)` or `selector_width(selector)`",
        )
    if certify not in (True, False, "require"):
        raise CapaxError("bad-option", f'certify is True, False or "require", not {certify!r:.40}')
    unknown = settings.keys() - {"causal", "dtype", "masks", "mlp_depth", "keep_all", "budget", "target"}
    if unknown:
        raise CapaxError(
            "bad-option", f"there is no setting {min(unknown)!r}", hint="see help(capax.compiler.compiled)"
        )
    target = settings.pop("target", None)
    found = domain(alphabet, max_length, **settings)
    _refuse_large(program.node, found)
    asked = found
    try:
        model, facts, found = _built(program, asked, target)
    except CapaxError as error:
        if error.data.get("coarse") and _in_float64(program, asked, target) is not None:
            error.hint = f'compile with dtype="float64", in which it can be compiled; or {error.hint}'
        raise
    check = agreement(model, program.node, found, words=words)
    if check.counterexample is not None:  # where no word has a value there is nothing to compare
        raise _wrong(check, _in_float64(program, asked, target), program.node, words)
    errors = tuple(errors_of(facts, check.figures["fails"], found))
    model = replace(model, facts={**model.facts, **_recorded(program, found, check, errors)})
    compiled = Compiled(program, found, _certified(model, program.node, found, certify), check, errors)
    if certify == "require" and compiled.certified_length < found.max_length:
        raise _not_certified(compiled)
    return compiled


def _built(program: Program, found: Domain, target: Any) -> tuple[Model, Facts, Domain]:
    """The model of a program, what is known of its values, and the words that it is for."""
    assert isinstance(program.node, SOpNode)
    places = {w.node: w.span.place for w in program.construction.everything() if w.span is not None}
    if target is None:
        return *build(program.node, found, program.names(), places), found
    from capax.compiler.target.target import build_for, check_target  # it takes as long to import as to compile

    return build_for(check_target(target), program.node, found, program.names(), places)


def _in_float64(program: Program, found: Domain, target: Any) -> tuple[Model, Domain] | None:
    """The model in float64 and its words, where float32 was asked for and float64 can be compiled: to say so."""
    if found.dtype == "float64":
        return None
    try:
        model, _, precise = _built(program, replace(found, dtype="float64"), target)
    except CapaxError:
        return None
    return model, precise


def _wrong(check: Report, precise: tuple[Model, Domain] | None, node: SOpNode, words: int) -> CapaxError:
    """The error for weights that give other answers than the program; `precise` is the model in float64, if any."""
    wrong, hint = check.counterexample, None
    if precise is not None and agreement(precise[0], node, precise[1], words=words).holds:
        hint = 'compile with dtype="float64", in which the answers are right on all words that were tried'
    return CapaxError(
        "compiled-wrong",
        f"on the word {wrong['word']!r:.80} the weights give {wrong['answer']!r:.80}, "
        f"the program {wrong['expected']!r:.80}",
        hint=hint,
        report=check,
    )


ALWAYS: Final = 1000
"""A program of so many parts is compiled whatever the budget."""


def _refuse_large(root: SOpNode, found: Domain) -> None:
    """Refuses a program of more parts than the budget: going through them takes long, whatever their values."""
    parts = len(topological(root))
    if parts > max(found.budget, ALWAYS):
        what = f"the program has {parts:,} parts, more than the budget of {found.budget:,}"
        raise CapaxError("too-many-values", what, hint="write it with fewer parts, or raise the budget")


def _certified(model: Model, node: SOpNode, found: Domain, certify: bool | Literal["require"]) -> Model:
    """The model with its certificate among its facts."""
    if not certify:
        return replace(model, facts={**model.facts, "certificate": NONE})
    wanted = wanted_of(model, node, causal=found.causal)
    return replace(model, facts={**model.facts, "certificate": certificate_of(model, wanted)})


def _not_certified(compiled: Compiled) -> CapaxError:
    verdicts = {v["numbers"]: v for v in compiled.certificate["verdicts"]}
    why = verdicts[compiled.model.numbers]
    rest = f"a certificate up to length {why['length']:,}" if why["length"] else "a model that is checked by test only"
    ways = [*([why["help"]] if why["help"] else []), f"or take {rest}: leave `certify` at True"]
    return CapaxError(
        "not-certified",
        f"length {compiled.domain.max_length} cannot be certified in {compiled.model.numbers}: {why['breaks']}",
        hint="; ".join(ways).removeprefix("or "),
    )


def _recorded(program: Program, found: Domain, check: Report, errors: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """What travels with the model."""
    assert isinstance(program.node, SOpNode)
    return {
        "program": program.to_text(),
        "name": program.name,
        "domain": {
            "alphabet": list(found.alphabet),
            "max_length": found.max_length,
            "causal": found.causal,
            "masks": found.masks,
            "mlp_depth": found.mlp_depth,
        },
        "check": check.to_json(),
        "errors": list(errors),
        **({"causal_change": causal_change(program.node, found)} if found.causal else {}),
    }
