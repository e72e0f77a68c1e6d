"""What the parts of a flow depend on: the items that hold sequences, and the arrows to what uses them."""

from collections.abc import Iterable, Mapping

from capax.draw.view.labels import Labels
from capax.draw.view.view import Arrow, Role, head_item
from capax.rasp.analysis.schedule import Schedule
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Best, Const, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.triple_nodes import AnySelector, SumSelect


def items(plan: Schedule, labels: Labels, layers: Mapping[Node, int]) -> dict[Node, str]:
    """The items of the s-ops that have a place of their own: `hist@1`, and `hist@1#2` for another of that name."""
    names: dict[Node, str] = {}
    taken: dict[str, int] = {}
    for node in topological(plan.root):
        if not isinstance(node, SOpNode) or isinstance(node, Const):
            continue
        if isinstance(node, (Map, Table)) and not labels.is_shown(node):
            continue
        name = f"{labels.name(node)}@{layers[node]}"
        taken[name] = taken.get(name, 0) + 1
        names[node] = name if taken[name] == 1 else f"{name}#{taken[name]}"
    return names


def arrows(plan: Schedule, labels: Labels, items: Mapping[Node, str]) -> tuple[Arrow, ...]:
    """The arrows of a flow, by target in the order in which it is drawn."""
    roles_of: dict[tuple[str, str], dict[Role, None]] = {}

    def use(target: str, role: Role, sources: Iterable[Node]) -> None:
        for source in sources:
            if source in items:
                roles_of.setdefault((items[source], target), {})[role] = None

    def look(target: str, selector: AnySelector) -> None:
        keys, queries = sides(selector)
        use(target, "key", keys)
        use(target, "query", queries)

    for layer in plan.layers:
        for number, head in enumerate(layer.heads, 1):
            target = head_item(f"{layer.number}.{number}")
            look(target, head.selector)
            use(target, "value", head.values)
        for node in layer.feed_forward:
            if labels.is_shown(node):
                use(items[node], "part", labels.uses(node))
    if isinstance(plan.root, AnySelector):
        last = plan.layers[-1]
        look(head_item(f"{last.number}.{len(last.heads) + 1}"), plan.root)
    return tuple(Arrow(source, target, tuple(roles)) for (source, target), roles in roles_of.items())


def sides(selector: AnySelector) -> tuple[list[SOpNode], list[SOpNode]]:
    """The s-ops that a selector compares: keys (and scores) and queries, without constants if there are others."""
    keys: dict[SOpNode, None] = {}
    queries: dict[SOpNode, None] = {}
    seen: set[Node] = set()
    stack: list[Node] = [selector]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        match node:
            case Select():
                keys[node.key], queries[node.query] = None, None
            case Best():
                keys[node.score] = None
            case SumSelect():
                keys[node.key1], keys[node.key2], queries[node.query] = None, None, None
        stack += [o for o in reversed(node.operands) if isinstance(o, AnySelector)]
    return _varied(keys), _varied(queries)


def _varied(candidates: Iterable[SOpNode]) -> list[SOpNode]:
    nodes = list(candidates)
    return [node for node in nodes if not isinstance(node, Const)] or nodes[:1]
