"""Words on which a part of a program fails: each error that the values do not exclude is looked for by itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capax.compiler.analysis.analysis import Analysis, PossibleError
from capax.compiler.check.agreement import Word, hard_words, random_words, short_words
from capax.compiler.domain import Domain
from capax.errors import CODES, CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import SelectorNode, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairWidth, TripleNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch

TRIED = 200


@dataclass(frozen=True, slots=True)
class PossibleFailure:
    """An error that the values do not exclude, with a word that has it; without one it is assumed not to happen.

    `where` is the part of the program that may fail, as text.
    """

    code: str
    where: str
    what: str
    word: Word | None

    def to_json(self) -> dict[str, Any]:
        """The error as plain data."""
        return {
            "code": self.code,
            "where": self.where,
            "what": self.what,
            "outcome": "assumed not to happen" if self.word is None else "happens",
            "word": None if self.word is None else list(self.word),
        }


def errors_of(analysis: Analysis, fails: Mapping[str, Sequence[Atom]], domain: Domain) -> Iterable[PossibleFailure]:
    """Each error that the values do not exclude: with a word that has it, or as an assumption.

    `fails` has for each kind of error a word on which the whole program has it.
    """
    tried: list[Word] = [tuple(w) for w in fails.values()]
    if analysis.possible_errors:
        longest = max(20, min(TRIED, 4_000_000 // domain.max_length**2))
        tried += [*short_words(domain, longest)[0], *hard_words(domain, longest), *random_words(domain, longest, 1)]
    for possible in analysis.possible_errors:
        if any(isinstance(part, State) for part in topological(possible.node)):
            word = fails.get(possible.code)  # inside a loop: a part has no value of its own on a word
            witness = None if word is None else tuple(word)
        else:
            witness = _witness(possible, tried)
        yield PossibleFailure(possible.code, describe(possible.node), possible.what, witness)
    # an error of a part that the answers do not need, which was left out before the values were looked at
    for code in sorted(fails.keys() - {possible.code for possible in analysis.possible_errors}):
        yield PossibleFailure(code, "", CODES[code], tuple(fails[code]))


def _witness(possible: PossibleError, words: Sequence[Word]) -> Word | None:
    """A word on which this very part fails in this way."""
    node = possible.node
    if isinstance(node, SelectorNode):
        node = Width(node)
    elif isinstance(node, TripleNode):
        node = PairWidth(node)
    assert isinstance(node, SOpNode)
    for word, outcome in zip(words, evaluate_batch(node, words), strict=True):
        failed = outcome.data.get("node") if isinstance(outcome, CapaxError) and outcome.code == possible.code else None
        if failed in (possible.node, node):
            return word
    return None
