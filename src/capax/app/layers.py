"""`capax layers`: what a program costs, as plain data and in words."""

from collections.abc import Callable
from textwrap import wrap
from typing import Any

from capax.app.resolve import Resolved, resolve
from capax.draw.view.labels import MOST_PARTS, text_sizes
from capax.errors import CapaxError
from capax.rasp.analysis.dialects import DialectVerdict, check_all
from capax.rasp.analysis.head_size import head_size
from capax.rasp.analysis.loops import loops
from capax.rasp.analysis.schedule import Schedule, ScheduledHead, schedule
from capax.rasp.analysis.sublayers import needed_order, orders
from capax.rasp.ir.describe import LONGEST
from capax.rasp.ir.nodes import Node, Width
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on
from capax.rasp.meaning.sequence import Sequence

EXAMPLE = "hello"
TYPED = ("program", "example")
"""The names of sources that are an argument of the command, or the call that stands for a function."""
IN_FULL = 10_000
"""How long the description of a step may be."""
WIDEST = 120
"""The columns of printed lines; what is longer goes on below, indented."""
MOST_STEPS = 6
"""How many element-wise steps of a layer are named, if more than one is left."""


def layers(program: str | Resolved, word: Any = EXAMPLE) -> dict[str, Any]:
    """The layers and heads of a program, and what follows from them; heads are tried on a word."""
    resolved = resolve(program)
    found = schedule(resolved.program)
    possible = orders(found.root)
    whole, tried = whole_text(found), _tried_on(word)
    return {
        "program": resolved.name,
        "layers": found.depth,
        "heads_as_written": list(found.heads_as_written),
        "heads_merged": list(found.heads_merged),
        "layers_as_written": found.layers_as_written,
        "heads": [_head(h, i + 1, whole, tried) for layer in found.layers for i, h in enumerate(layer.heads)],
        "feed_forward": [[found.title(n) for n in layer.feed_forward] for layer in found.layers],
        "critical_path": [{"layer": r.layer, "text": r.text} for r in found.path],
        "order": needed_order(found.root),
        "orders": possible,
        "loops": [{"first": x.first, "last": x.last, "period": x.period, "times": x.times} for x in loops(found)],
        "rewrites": dict(found.rewrites),
        "fragments": [_verdict(v) for v in check_all(resolved.program)],
    }


def whole_text(found: Schedule) -> Callable[[Node], str]:
    """Gives the whole texts of the nodes of a schedule, cut only where shared parts would make them huge."""
    sizes = text_sizes(found.root, found.names)
    return lambda node: found.title(node, IN_FULL if sizes[node] <= MOST_PARTS else LONGEST)


def _head(head: ScheduledHead, number: int, whole: Callable[[Node], str], tried: Evaluation | None) -> dict[str, Any]:
    masked, bare = head_size(head.selector, masks=True), head_size(head.selector, masks=False)
    return {
        "layer": head.layer,
        "head": number,
        "selector": whole(head.selector),
        "counts": head.counts,
        "values": [whole(v) for v in head.values],
        "outputs": [whole(o) for o in head.outputs],
        "dimension": str(masked),
        "mask": masked.mask,
        "dimension_without_masks": str(bare),
        "used_on_example": _used(head, tried),
    }


def _tried_on(word: Any) -> Evaluation | None:
    """The evaluation of a word, which all heads share; None if it is no word."""
    try:
        return evaluation_on(word)
    except CapaxError:
        return None


def _used(head: ScheduledHead, tried: Evaluation | None) -> float | None:
    """The share of all (query, key) pairs that a head selects on a word; None if it fails there."""
    if tried is None:
        return None
    try:
        widths = tried.value(Width(head.selector))
    except CapaxError:
        return None
    assert isinstance(widths, Sequence)
    return sum(int(w) for w in widths) / len(widths) ** 2


def _verdict(verdict: DialectVerdict) -> dict[str, Any]:
    reasons = [
        {"what": f.what, "line": f.span.line if f.span else None, "file": f.span.source.name if f.span else None}
        for f in verdict.findings
    ]
    return {"dialect": verdict.dialect, "inside": verdict.inside, "reasons": reasons}


def show_layers(result: dict[str, Any], word: Any) -> str:
    """The printed form of `capax layers`."""
    lines = [
        f"{result['program']}: {_plural(result['layers'], 'layer')}",
        f"  heads as written  {_counts(result['heads_as_written'])}",
        f"  heads merged      {_counts(result['heads_merged'])}",
    ]
    for number in range(1, result["layers"] + 1):
        lines += _layer_lines(number, result, word)
    if result["critical_path"]:
        lines.append("why so deep")
        lines += [line for r in result["critical_path"] for line in _folded(f"  {r['text']}")]
    lines += _order_lines(result)
    lines.append("dialects")
    lines += [line for v in result["fragments"] for line in _folded(_dialect_line(v))]
    return "\n".join(lines)


def _layer_lines(number: int, result: dict[str, Any], word: Any) -> list[str]:
    """What a layer does: its heads, then its element-wise steps."""
    lines = [f"layer {number}"]
    heads = [head for head in result["heads"] if head["layer"] == number]
    if not heads:
        lines.append("  the selector itself: it is no head before an s-op uses it")
    for head in heads:
        lines += _folded(_head_line(head, word))
    steps = result["feed_forward"][number]
    shown = steps if len(steps) <= MOST_STEPS + 1 else steps[:MOST_STEPS]
    lines += [f"  then {name}" for name in shown]
    if len(shown) < len(steps):
        lines.append(f"  and {len(steps) - len(shown)} more element-wise steps")
    return lines


def _folded(line: str) -> list[str]:
    return wrap(line, WIDEST, subsequent_indent="    ", break_on_hyphens=False)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _counts(heads: list[int]) -> str:
    return ", ".join(map(str, heads)) or "none"


def _head_line(head: dict[str, Any], word: Any) -> str:
    what = "counts" if head["counts"] else f"averages {', '.join(head['values'])}"
    mask = f", {head['mask']} mask" if head["mask"] else ""
    size = f"dimension {head['dimension']}{mask}"
    bare = f" ({head['dimension_without_masks']} without masks)" if head["mask"] else ""
    shown = word if len(word) <= 20 else word[:17] + "..."
    used = "" if head["used_on_example"] is None else f", uses {head['used_on_example']:.0%} of the pairs on {shown!r}"
    return f"  head {head['layer']}.{head['head']} {head['selector']}: {what}; {size}{bare}{used}"


def _order_lines(result: dict[str, Any]) -> list[str]:
    if not result["order"]:
        return ["sublayers needed: none"]
    lines = [f"sublayers needed: {result['order']} (s attention, f feed-forward)"]
    others = [order for order in result["orders"] or [] if order != result["order"]]
    if result["orders"] is not None:
        more = ", ..." if len(others) > 6 else ""
        lines.append(
            f"  {'also runs on ' + ', '.join(others[:6]) + more if others else 'runs on no other order of them'}"
        )
    for loop in result["loops"]:
        block = "one layer" if loop["period"] == 1 else f"a block of {loop['period']} layers"
        lines.append(
            f"  layers {loop['first']} to {loop['last']} are a loop: {block}, run {loop['times']} times, would do"
        )
    return lines


def _dialect_line(verdict: dict[str, Any]) -> str:
    if verdict["inside"]:
        return f"  {verdict['dialect']}: inside"
    first = verdict["reasons"][0]
    # A program that was typed has no file.
    file = "" if first["file"] in (None, *TYPED) else f" of {first['file']}"
    line = f" (line {first['line']}{file})" if first["line"] else ""
    return f"  {verdict['dialect']}: outside, {first['what']}{line}"
