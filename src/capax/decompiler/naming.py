"""A node as a program whose parts have names that can be read."""

from collections.abc import Mapping, Sequence

from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.loop_nodes import LoopResult
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, Input, Node, Select, SelectorNode, SOpNode, Width
from capax.rasp.python.program import SOp


def program_of(root: SOpNode, names: Mapping[Node, str]) -> SOp:
    """The program of a node, with names for some of its parts."""
    made: dict[Node, Construction] = {}
    start: list[Node] = [root]
    for node in postorder(start, _parts):
        made[node] = Construction(node, tuple(made[o] for o in _parts(node)), None, names.get(node))
    return SOp(root, made[root])


def _parts(node: Node) -> tuple[Node, ...]:
    """The operands of a node, and the body of a loop."""
    return (*node.operands, *node.nexts) if isinstance(node, LoopResult) else node.operands


def size(root: Node) -> int:
    """The number of nodes of a program; equal parts count once, and so does the body of a loop."""
    return len(postorder([root], _parts))


def named_program(root: SOpNode, heads: Sequence[tuple[str, SelectorNode | None]]) -> SOp:
    """The program of a node: selectors are named by the heads they are, counts and copies by what they do."""
    names: dict[Node, str] = {}
    titles = {
        selector: f"at_{title.split()[-1].replace('.', '_')}" for title, selector in heads if selector is not None
    }
    start: list[Node] = [root]
    inside = postorder(start, _parts)
    names.update({node: titles[node] for node in inside if isinstance(node, SelectorNode) and node in titles})
    for node in inside:
        if isinstance(node, Aggregate | Width) and node is not root:
            names[node] = _title(node)
        elif isinstance(node, Select) and _is_causal(node):
            names[node] = "so_far"
    names[root] = "answer"
    return program_of(root, names)


def _is_causal(node: Select) -> bool:
    return isinstance(node.key, Indices) and isinstance(node.query, Indices) and node.op == "<="


def _title(node: Aggregate | Width) -> str:
    """A name for what a head gives: a count, a mean, or a value from somewhere."""
    selector = node.selector
    if isinstance(node, Width):
        letters = _letters(selector)
        return f"count_{letters[0]}" if len(letters) == 1 and letters[0].isalnum() else "count"
    if isinstance(selector, Best):
        return "latest" if isinstance(selector.score, Indices) else "best_value"
    if isinstance(selector, Select) and isinstance(selector.key, Indices) and selector.op == "==":
        return "first" if isinstance(selector.query, Const) and selector.query.value == 0 else "moved"
    return "copied" if isinstance(node.value, Input) else "mean"


def _letters(selector: SelectorNode) -> list[str]:
    """The letters that the keys of a selector have to be."""
    return [
        str(part.query.value)
        for part in conjuncts(selector)
        if isinstance(part, Select)
        and part.op == "=="
        and isinstance(part.key, Input)
        and isinstance(part.query, Const)
    ]
