"""How the aggregates and widths of a program follow from what the heads of its model compute.

Found by comparing values on a few words, so a link may be wrong; the checker, which tries all states, then refuses it.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any, Final, TypeAlias

from capax.errors import CapaxError
from capax.model.vocabulary import Token
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import conjuncts, topological
from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Indices, Input, Node, Select, SelectorNode, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import ReferenceEvaluation

WORDS: Final = 60
"""So many words are tried."""
LONG: Final = 16
"""And a few of so many tokens, so that counts have many values."""
FEW: Final = 4
MANY: Final = 20
"""Of more than FEW tokens, which are rarely near each other, MANY long words are tried."""
MOST_VALUES: Final = 4
"""An aggregate of more different values is not made of counts."""
MOST_ALIKE: Final = 4
"""So many nodes are named that another may be the same as."""

PLAIN: Final = (Width(FULL), Width(Select(Const(0), Const(1), "==")))
"""Counts of all keys and of none, which others may be the same as, although no head computes them."""

Signature: TypeAlias = tuple[Any, ...]
"""The values of an s-op at all positions of all words that are tried, with their types."""


@dataclass(slots=True, eq=False)
class Links:
    """What the plan says of aggregates and widths.

    `same` as another, made of `parts`; the `orders` of which widths are ranks; and for a width that counts one key of
    each token, as its `limits`, the width that is 0 at these keys. `counts` has for an aggregate a width that counts
    what it selects.
    """

    same: dict[Node, list[Node]] = field(default_factory=dict)
    parts: dict[Node, list[Node]] = field(default_factory=dict)
    orders: dict[Node, list[tuple[int, Node]]] = field(default_factory=dict)
    limits: dict[Node, Node] = field(default_factory=dict)
    counts: dict[Node, Node] = field(default_factory=dict)

    @property
    def nodes(self) -> list[Node]:
        """All nodes that are named."""
        pairs = [node for pair in (*self.limits.items(), *self.counts.items()) for node in pair]
        parts = [node for whole, some in (*self.same.items(), *self.parts.items()) for node in (whole, *some)]
        return pairs + parts + [node for rank, keys in self.orders.items() for node in (rank, *(k for _, k in keys))]

    def over(self, new: Callable[[Node], Node]) -> "Links":
        """The same of other nodes in place of these."""
        return Links(
            {new(one): [new(other) for other in others] for one, others in self.same.items()},
            {new(whole): [new(part) for part in some] for whole, some in self.parts.items()},
            {new(rank): [(sign, new(key)) for sign, key in keys] for rank, keys in self.orders.items()},
            {new(width): new(other) for width, other in self.limits.items()},
            {new(node): new(width) for node, width in self.counts.items()},
        )

    def add(self, other: "Links") -> None:
        """Adds other links; of two claims about a node the first stays."""
        for node, alike in other.same.items():
            self.same[node] = list(dict.fromkeys([*self.same.get(node, ()), *alike]))
        self.parts = other.parts | self.parts
        self.orders = other.orders | self.orders
        self.limits = other.limits | self.limits
        self.counts = other.counts | self.counts


class SampleWords:
    """A few words on which a program has a value, and the values of nodes on them."""

    def __init__(self, roots: Sequence[Node], tokens: Sequence[Token], longest: int) -> None:
        draw = random.Random(0)
        size = min(longest, 7)
        short = [list(word) for n in (1, 2) for word in product(tokens[:4], repeat=n)] if longest > 1 else []
        some = [draw.sample(tokens, min(len(tokens), 2 + k % 2)) if k % 2 else tokens for k in range(WORDS)]
        words = [draw.choices(letters, k=draw.randint(1, size)) for letters in some] + short[:WORDS]
        words += [[token] * size for token in tokens[:4]] + [
            [a] * (size - 1) + [b] for a, b in product(tokens[:3], repeat=2)
        ]
        several = [len(tokens)] * (MANY if len(tokens) > FEW else 1)
        words += [draw.choices(tokens[:k], k=min(longest, LONG)) for k in (1, 2, *several)]
        evaluations = map(ReferenceEvaluation, words)
        self._tried = [e for e in evaluations if all(_value(e, root) is not None for root in roots)]

    def signature(self, node: Node) -> Signature | None:
        """The values of a node at all positions of all words; None where it has none."""
        values: list[Any] = []
        for each in self._tried:
            sequence = _value(each, node)
            if sequence is None:
                return None
            values += [(type(v), v) for v in sequence]
        return tuple(values)

    def numbers(self, node: Node) -> list[Any]:
        """The values of a node at all positions of all words."""
        return [value for word in self.by_word(node) for value in word]

    def by_word(self, node: Node) -> list[tuple[Atom, ...]]:
        """The values of a node on each word."""
        return [tuple(_value(each, node) or ()) for each in self._tried]


def _value(evaluation: ReferenceEvaluation, node: Node) -> list[Atom] | None:
    try:
        return list(evaluation.value(node).values)  # type: ignore[union-attr]
    except CapaxError:
        return None


def find_links(
    roots: Sequence[Node],
    computed: Sequence[Node],
    width_parts: dict[Node, list[Node]],
    tokens: Sequence[Token],
    longest: int,
) -> Links:
    """The links of s-ops, and of the nodes that heads compute, to counts that both are made of."""
    words = SampleWords(roots, tokens, longest)
    links = Links(parts=dict(width_parts))
    counts: dict[Signature | None, Node] = {}
    for node in (*width_parts, *computed):
        if isinstance(node, Width):
            counts.setdefault(words.signature(node), node)
    known = {node: words.signature(node) for node in (*width_parts, *computed, *PLAIN)}
    for node in topological(*roots):
        if isinstance(node, (PairAggregate, PairWidth)) and node not in known:
            values = words.signature(node)
            alike: list[Node] = [n for n in known if type(n) is type(node) and known[n] == values]
            links.same[node] = alike[:MOST_ALIKE]
    for node in dict.fromkeys((*topological(*roots), *computed)):
        if isinstance(node, (Aggregate, Width)) and node not in width_parts and _reads_tokens(node):
            before = computed.index(node) if node in computed else len(computed)
            _link(node, words, links, counts, known, own=node in computed, others=computed[:before])
    for node in dict.fromkeys(n for b in (*roots, *computed) for n in topological(b)):
        if isinstance(node, Width):
            if (order := _order(node, words)) is not None:
                links.orders[node] = order
            if (limit := _limit(node, words, len(tokens))) is not None and len(tokens) < longest:
                links.limits[node] = limit
    return links


def _reads_tokens(node: Node) -> bool:
    return any(isinstance(below, Input) for below in topological(node))


def _link(
    node: Aggregate | Width,
    words: SampleWords,
    links: Links,
    counts: dict[Signature | None, Node],
    known: dict[Node, Signature | None],
    *,
    own: bool,
    others: Sequence[Node],
) -> None:
    """Adds how a node follows from counts, and the nodes that it is the same as."""
    if alike := _alike(node, words, {n: s for n, s in known.items() if not own or n in others}):
        links.same[node] = alike
    parts = None if isinstance(node, Width) else _parts(node, words, counts, known)
    if parts is not None:
        links.parts[node] = parts
        assert isinstance(node, Aggregate)
        whole = Width(node.selector)
        if whole in known and _reads_tokens(node.selector) and whole not in parts:
            links.parts.setdefault(whole, parts)
        if whole in known or whole in parts:
            links.counts[node] = whole
    elif alike:
        return
    elif isinstance(node, Width):
        counts.setdefault(words.signature(node), node)
    elif not isinstance(node.selector, Best):
        whole = Width(node.selector)
        size = whole if whole in known else counts.get(words.signature(whole))
        if size is not None and (size is whole or _selects_several(node.selector, words)):
            links.counts[node] = size


def _alike(node: Aggregate | Width, words: SampleWords, known: dict[Node, Signature | None]) -> list[Node]:
    """The nodes that heads compute and that have the same values, and count and average the same."""
    values, alike = words.signature(node), list[Node]()
    for other, signature in known.items():
        counts = isinstance(node, Width) and isinstance(other, Width)
        averages = isinstance(node, Aggregate) and isinstance(other, Aggregate) and _average_alike(node, other, words)
        if signature == values and (counts or averages):
            alike.append(other)
    return alike[:MOST_ALIKE]


def _average_alike(one: Aggregate, two: Aggregate, words: SampleWords) -> bool:
    """Whether two aggregates have the same default, and select as many keys and average the same values."""
    if (type(one.default), one.default) != (type(two.default), two.default):
        return False
    if isinstance(one.selector, Best) != isinstance(two.selector, Best):
        return False
    pairs = (Width(one.selector), Width(two.selector)), (one.value, two.value)
    return all(words.signature(a) == words.signature(b) for a, b in pairs)


def _parts(
    node: Aggregate, words: SampleWords, counts: dict[Signature | None, Node], known: Iterable[Node]
) -> list[Node] | None:
    """Widths of which an aggregate of few numbers is made, one for each value; all but one where all keys are known."""
    selector, value = node.selector, node.value
    values = list(dict.fromkeys((type(v), v) for v in words.numbers(value)))
    if isinstance(selector, Best) or any(kind not in (int, float) for kind, _ in values):
        return None
    if _is_uniform(value, words):
        whole = Width(selector)
        return [counts.setdefault(words.signature(whole), whole)]
    if len(values) > MOST_VALUES or len({v for _, v in values}) < len(values):
        return None
    wholes = [
        _counted(Width(_of_value(selector, value, v)), words, counts, known)
        for _, v in sorted(values, key=lambda v: v[1])
    ]
    if not _reads_tokens(selector) and len(wholes) > 1:
        signatures = set(counts.values())
        spare = next((w for w in wholes if w not in signatures), None)  # of the least value, which is often 0
        wholes = [w for w in wholes if w is not spare]
    if not _selects_several(selector, words) and not any(whole in known for whole in wholes):
        return None
    for one in wholes:
        counts.setdefault(words.signature(one), one)
    return wholes


def _is_uniform(value: SOpNode, words: SampleWords) -> bool:
    """Whether an s-op has one value at all positions of each word."""
    return all(len(set(word)) < 2 for word in words.by_word(value))


def _selects_several(selector: SelectorNode, words: SampleWords) -> bool:
    """Whether some query selects more than one key."""
    return not isinstance(selector, Best) and max(words.numbers(Width(selector)), default=0) > 1


def _counted(width: Width, words: SampleWords, counts: dict[Signature | None, Node], known: Iterable[Node]) -> Node:
    """A width that is known already and has the same values, or this one."""
    own, signature = set(conjuncts(width.selector)), words.signature(width)
    alike = next((w for w in known if isinstance(w, Width) and set(conjuncts(w.selector)) == own), None)
    if alike is not None:
        return alike
    never = not any(value for _, value in signature or ())  # then it may be one that is rare
    return width if never else counts.get(signature, width)


def _of_value(selector: SelectorNode, value: SOpNode, of: Atom) -> SelectorNode:
    """The keys of a selector that have a value."""
    return And(selector, Select(value, Const(of), "=="))


def _limit(node: Width, words: SampleWords, tokens: int) -> Width | None:
    """A width that is 0 at all keys that another counts, and that is not 0 everywhere; None if there is none."""
    if max(words.numbers(node), default=0) > tokens:
        return None
    for other in topological(node.selector):
        if isinstance(other, Width) and _reads_tokens(other) and any(words.numbers(other)):
            both = And(node.selector, Select(other, Const(0), "!="))
            if not any(words.numbers(Width(both))):
                return other
    return None


def _order(node: Width, words: SampleWords) -> list[tuple[int, Node]] | None:
    """The s-ops, with a sign, in whose order a width counts the keys before the query; None if it is no rank."""
    ranks = words.by_word(node)
    if any(sorted(word) != list(range(len(word))) for word in ranks) or not any(len(set(w)) > 1 for w in ranks):
        return None
    leaves = [n for n in topological(node.selector) if isinstance(n, Select) and n.key is n.query]
    keys = {leaf.key: -1 if leaf.op in (">", ">=") else 1 for leaf in leaves if leaf.op not in ("==", "!=")}
    keys.pop(Indices(), None)
    if len(keys) > 4:
        return None
    for some in permutations(keys.items()):
        if all(_sorted_by(some, words, number) == list(word) for number, word in enumerate(ranks)):
            return [*((sign, key) for key, sign in some), (1, Indices())]
    return None


def _sorted_by(keys: Sequence[tuple[SOpNode, int]], words: SampleWords, number: int) -> list[int]:
    """The rank of each position of a word, by some keys in turn, and then by position."""
    columns = [(words.by_word(key)[number], sign) for key, sign in keys]
    size = len(words.by_word(Indices())[number])
    order = list(range(size))
    for column, sign in reversed(columns):
        order.sort(key=lambda i: column[i], reverse=sign < 0)  # equal ones stay as they are
    return [order.index(i) for i in range(size)]
