"""The axes of a program of which all words are few: what happens together is what is seen on them.

Axes know little of how bases combine: two means over the same keys are two axes, and a mean of means has every mean of
up to N of its values. So an answer may count as possible that no word has. Here the program is run on all words up to
the length, an axis has the values that are seen, and those combinations of axes happen that are seen at a position of a
word. Words on which the program fails are left out: nothing is claimed of them.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from capax.certify.certify_budget import TOO_MANY, WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.axes import MOST_CELLS, TOKEN, Axes
from capax.certify.values.coded_values import distinct, expand
from capax.certify.values.selectors import FilledSelectors
from capax.certify.values.short_words import PER_TOKEN
from capax.model.parts import Array
from capax.rasp.analysis.all_words import reads_no_position, words_for_all
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Indices, Node, SelectorNode, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import FastRun
from capax.rasp.meaning.sequence import Sequence as ProgramSequence


class SeenValues:
    """The values of a program's s-ops at all positions of words that stand for all up to a length."""

    def __init__(self, root: SOpNode, alphabet: Sequence[Atom], longest: int, budget: WorkBudget) -> None:
        words = words_for_all(root, alphabet, longest)
        if words is None:
            raise NotCertified(TOO_MANY, too_many=True)
        sops: list[Node] = [n for n in topological(root) if isinstance(n, SOpNode)]
        budget.spend(PER_TOKEN * sum(map(len, words)))
        run = FastRun(words)
        run.run(sops, keep=True)
        has_value = [isinstance(outcome, ProgramSequence) for outcome in run.outcomes(root)]
        self._run, self._sops = run, set(sops)
        self._words = [word for word, fine in zip(words, has_value, strict=True) if fine]
        self._has_value, self._free = has_value, reads_no_position(root)
        self._columns: dict[Node, list[Atom] | None] = {}

    def column(self, node: Node) -> list[Atom] | None:
        """The values of an s-op, word by word; None where it is no part of the program.

        Of a program that reads no position, tokens may stand anywhere: nothing is known of positions then.
        """
        if node not in self._columns:
            self._columns[node] = self._column(node)
        return self._columns[node]

    def _column(self, node: Node) -> list[Atom] | None:
        if node is TOKEN:
            return [token for word in self._words for token in word]
        if node is Indices():
            return None if self._free else [i for word in self._words for i in range(len(word))]
        if node not in self._sops:
            return None
        outcomes = [o for o, fine in zip(self._run.outcomes(node), self._has_value, strict=True) if fine]
        if not all(isinstance(o, ProgramSequence) for o in outcomes):
            return None
        return [v for o in outcomes if isinstance(o, ProgramSequence) for v in o.values]


class AxesOnWords(Axes):
    """Axes with the values, and with the combinations of values, that are seen on all words."""

    def __init__(
        self,
        root: SOpNode,
        alphabet: Sequence[Atom],
        longest: int,
        parts: Mapping[Node, Sequence[SelectorNode]] | None = None,
        *,
        budget: WorkBudget | None = None,
        filled: FilledSelectors | None = None,
    ) -> None:
        self._seen = SeenValues(root, alphabet, longest, budget or WorkBudget())
        self._ranks: dict[Node, Array | None] = {}
        self._happening: dict[tuple[Node, ...], Array] = {}
        super().__init__(root, alphabet, longest, parts, budget=budget, filled=filled)

    def feasible(self, axes: tuple[Node, ...]) -> Array | None:
        """Which combinations of values of some axes are seen at a position of a word, of those that seem possible."""
        possible = super().feasible(axes)
        shape = [len(self.values[a]) for a in axes]
        known = tuple(a for a in axes if self._rank(a) is not None)
        if not known or math.prod(shape) > MOST_CELLS:
            return possible
        if known not in self._happening:
            happens: Array = np.zeros([len(self.values[a]) for a in known], bool)
            happens[tuple(self._rank(a) for a in known)] = True
            self._happening[known] = happens
        seen = expand(self._happening[known], known, axes, shape)
        return seen if possible is None else possible & seen

    def _result_values(self, node: SOpNode) -> tuple[Atom, ...]:
        column = self._seen.column(node)
        return super()._result_values(node) if column is None else tuple(distinct(v for v in column if v == v))

    def _is_met(self, node: Aggregate, parts: Mapping[Node, Sequence[SelectorNode]]) -> bool:
        return False  # sums would be other axes than the values that are seen

    def _rank(self, axis: Node) -> Array | None:
        """Which of its values an axis has at each position of all words; None where that is not known."""
        if axis not in self._ranks:
            column = self._seen.column(axis)
            rank = {v: i for i, v in enumerate(self.values[axis])}
            found = np.array([rank.get(v, -1) for v in column or ()], np.int64)
            self._ranks[axis] = found if column and (found >= 0).all() else None
        return self._ranks[axis]
