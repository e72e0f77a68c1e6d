"""Assumptions: what a program becomes on words on which a promise holds, and whether it holds on a word.

A promise is an s-op that is true at every position of every word that will be given. What is used of it are its parts
`selector_width(s) == c`: the width is c, and where c is 1 an aggregate over s reads the one key that s selects, which
`best(s, indices)` selects, too. So on words that keep the promise the new program has the same values, of the same
types; on others it has values of its own, and whoever runs it checks the words.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological, with_operands
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, Map, Node, SelectorNode, SOpNode, Width
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.sequence import Sequence as Values

USED = "`selector_width(s) == c` with a selector s that the program has"


def known_widths(promise: SOpNode) -> dict[SelectorNode, int]:
    """The widths that a promise names, by their selectors.

    >>> from capax import select, selector_width, tokens
    >>> plus = select(tokens, "+", "==")
    >>> known_widths((selector_width(plus) == 1).node) == {plus.node: 1}
    True
    """
    widths: dict[SelectorNode, int] = {}
    waiting: list[SOpNode] = [promise]
    while waiting:
        match waiting.pop():
            case Map(op="and", args=args):
                waiting += args
            case (
                Map(op="==", args=(Width() as width, Const(value=count)))
                | Map(op="==", args=(Const(value=count), Width() as width))
            ) if type(count) is int:
                if widths.setdefault(width.selector, count) != count:
                    raise CapaxError("bad-option", f"no word keeps the promise: `{describe(width)}` is one number")
            case _:
                pass  # it is checked on words, but not used
    return widths


def assuming(root: SOpNode, promise: SOpNode, longest: int) -> SOpNode:
    """The program on words of up to a length that keep a promise.

    A promise that says nothing of the program, or that no such word keeps, is rejected.
    """
    widths = known_widths(promise)
    for selector, count in widths.items():
        if not 0 <= count <= longest:
            what = f"no word of up to {longest} tokens keeps the promise `{describe(Width(selector))} == {count}`"
            raise CapaxError("bad-option", what, hint=f"promise a number of keys from 0 to {longest}")
    new: dict[Node, Node] = {}
    used = False
    for node in topological(root):
        same = with_operands(node, new)
        match node:
            case Width() if node.selector in widths:
                new[node], used = Const(widths[node.selector]), True
            case Aggregate() if widths.get(node.selector) == 1:
                assert isinstance(same, Aggregate)
                new[node], used = Aggregate(Best(same.selector, Indices()), same.value, same.default), True
            case _:
                new[node] = same
    if not used:
        raise CapaxError(
            "bad-option", f"nothing follows from `{describe(promise)}` for the program", hint=f"promise {USED}"
        )
    result = new[root]
    assert isinstance(result, SOpNode)
    return result


def broken_on(promise: SOpNode, words: Sequence[Iterable[Any]]) -> list[bool]:
    """For each word whether the promise is broken: it is not true at a position, or has no value."""
    outcomes = evaluate_batch(promise, words)
    return [not (isinstance(o, Values) and all(v is True for v in o)) for o in outcomes]


def check_promise(promise: SOpNode, words: Sequence[Iterable[Any]]) -> None:
    """Rejects words on which a promise is broken."""
    for word, broken in zip(words, broken_on(promise, words), strict=True):
        if broken:
            tokens = list(word)
            text = "".join(tokens) if all(isinstance(t, str) and len(t) == 1 for t in tokens) else tokens
            raise CapaxError(
                "broken-assumption",
                f"the model was compiled for words with `{describe(promise)}`, which is not so on {text!r:.80}",
                hint="give another word, or compile the program without the assumption",
            )
