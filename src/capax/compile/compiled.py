"""What compiling gives: the model, evidence for it, and its size."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from capax.compile.agreement import agreement
from capax.compile.build import build
from capax.compile.domain import Domain, domain
from capax.compile.facts import Facts
from capax.errors import CapaxError
from capax.model.model import Model
from capax.rasp.describe import describe
from capax.rasp.nodes import SOpNode
from capax.rasp.program import Program
from capax.rasp.sequence import Sequence
from capax.rasp.types import Atom, sequence_type
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
    def certificate(self) -> Any:
        """The evidence that travels in the model's file."""
        return self.model.facts["check"]

    def __repr__(self) -> str:
        n, tokens = self.domain.max_length, len(self.domain.alphabet)
        return f"<compiled {self.program.name or 'program'}: words of 1 to {n} of {tokens} tokens; {self.model!r}>"


def _typed(values: list[Atom]) -> Sequence | list[Atom]:
    try:
        return Sequence(values, sequence_type(values))
    except CapaxError:
        return values  # on a word on which the program fails, answers need not have one type


def compile_program(program: Program, *, alphabet: Any, max_length: int, words: int = 150, **settings: Any) -> Compiled:
    """The program as a transformer that is right on every word of 1 to `max_length` tokens of the alphabet.

    Settings: `causal` (no position sees a later one), `dtype` (float32 or float64), `masks` (heads may have masks of
    their own), `mlp_depth` (the most hidden stages of an MLP), `keep_all` (no direction of the stream is used twice),
    `budget` (the most values, cells or units that one step may need). Compilation ends with a check on about three
    times `words` words.

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
    unknown = settings.keys() - {"causal", "dtype", "masks", "mlp_depth", "keep_all", "budget"}
    if unknown:
        raise CapaxError("bad-option", f"there is no setting {min(unknown)!r}", hint="see help(capax.compile.compiled)")
    found = domain(alphabet, max_length, **settings)
    places = {w.node: w.span.place for w in program.written.everything() if w.span is not None}
    model, facts = build(program.node, found, program.names(), places)
    check = agreement(model, program.node, found, words=words)
    if not check.holds:
        wrong = check.counterexample
        raise CapaxError(
            "compiled-wrong",
            f"on the word {wrong['word']!r:.80} the weights give {wrong['answer']!r:.80}, "
            f"the program {wrong['expected']!r:.80}",
            hint='try dtype="float64", or a smaller max_length',
            report=check,
        )
    errors = tuple(_errors(facts, check))
    model = replace(model, facts={**model.facts, **_recorded(program, found, check, errors)})
    return Compiled(program, found, model, check, errors)


def _recorded(program: Program, found: Domain, check: Report, errors: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """What travels with the model."""
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
    }


def _errors(facts: Facts, check: Report) -> Iterable[dict[str, Any]]:
    """Each error that the values do not exclude: with a word that has it, or as an assumption."""
    witnesses = check.figures["fails"]
    for possible in facts.possible:
        word = witnesses.get(possible.code)
        yield {
            "code": possible.code,
            "where": describe(possible.node),
            "what": possible.what,
            "outcome": "assumed not to happen" if word is None else "happens",
            "word": word,
        }
