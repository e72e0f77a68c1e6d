"""The stages of a compilation as text: what each pass gave, for a reader who wants to follow a program."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from capax.compiler.analysis.values import Finite, ValueSet
from capax.compiler.compiled import Compiled, Passes, Stage
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import LayeredMlp
from capax.compiler.layout.network import PlannedHead
from capax.compiler.layout.slots import HeadSublayer, Sublayer, written
from capax.compiler.rounding.rounding_error import Slack
from capax.model.size import size
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Node, SelectorNode, SOpNode
from capax.rasp.meaning.sequence import format_value

NAMES = (
    "source",
    "output-spec",
    "analysis",
    "rounding",
    "schedule",
    "heads",
    "mlps",
    "layout",
    "model",
    "check",
    "certificate",
)
"""The names of the stages, in order."""

MOST_VALUES = 8
"""How many values of a set are shown."""


def stages_of(compiled: Compiled) -> tuple[Stage, ...]:
    """The stages of a compilation, from the source to the certificate."""
    passes = compiled.passes
    values: tuple[tuple[str, object, Iterable[str]], ...] = (
        ("source", compiled.program, [compiled.program.to_text().rstrip()]),
        ("output-spec", passes.spec, _spec(passes)),
        ("analysis", passes.analysis, _analysis(passes)),
        ("rounding", passes.rounding, _rounding(passes)),
        ("schedule", passes.schedule, _schedule(passes)),
        ("heads", passes.network.heads, _heads(passes)),
        ("mlps", passes.network.mlps, _mlps(passes)),
        ("layout", passes.layout, _layout(passes)),
        ("model", passes.model, [repr(passes.model), str(size(passes.model))]),
        ("check", compiled.check, [str(compiled.check)]),
        ("certificate", compiled.certificate, _certificate(compiled)),
    )
    return tuple(Stage(name, "\n".join(lines), value) for name, value, lines in values)


def counted(number: int, what: str) -> str:
    """A number of things: `1 slot`, `2 slots`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _title(passes: Passes, node: Node) -> str:
    return passes.titles.get(node) or describe(node, passes.titles, 60)


def _definition(passes: Passes, node: Node) -> str:
    """A node's name with what it is, or what it is alone."""
    names = {other: name for other, name in passes.titles.items() if other is not node}
    text = describe(node, names, 60)
    return f"{passes.titles[node]} = {text}" if passes.titles.get(node, text) != text else text


def _spec(passes: Passes) -> Iterator[str]:
    spec = passes.spec
    yield f"value  {describe(spec.value, passes.titles, 200)}"
    if isinstance(spec.kind, SOpNode):
        yield f"type   {describe(spec.kind, passes.titles, 200)} (0 float, 1 int, 2 bool)"
    else:
        values = passes.analysis.values(spec.value)
        strings = isinstance(values, Finite) and all(isinstance(v, str) for v in values.values)
        known = "as the value has it" if spec.kind is None else ("float", "int", "bool")[spec.kind]
        yield f"type   {'string' if strings else known}"
    yield f"shift  {spec.shift}: the model computes value + shift * type" if spec.shift is not None else "shift  none"


def _analysis(passes: Passes) -> Iterator[str]:
    analysis = passes.analysis
    for node in topological(passes.spec.root):
        if isinstance(node, SelectorNode):
            known = analysis.selectors[node]
            keys = {(True, True): "one key", (True, False): "at most one key", (False, True): "at least one key"}
            yield f"{_definition(passes, node)}: selects {keys.get((known.unique, known.filled), 'any number of keys')}"
        elif isinstance(node, SOpNode) and not isinstance(node, Const):
            bases = ", ".join(_title(passes, base) for base in analysis.sops[node].bases if base is not node)
            over = f", a table over {bases}" if bases and analysis.sops[node].table is not None else ""
            yield f"{_definition(passes, node)}: {_values(analysis.values(node))}{over}"
    for possible in analysis.possible_errors:
        yield f"possible error: {possible.code} in {_title(passes, possible.node)}"


def _values(values: ValueSet) -> str:
    if not isinstance(values, Finite):
        low, high = f"{float(values.low):g}", f"{float(values.high):g}"
        return f"{low} to {high}, multiples of {values.unit} / m for m up to {values.most}"
    first = ", ".join(map(format_value, values.values[:MOST_VALUES]))
    return first + (f", ... ({len(values):,} values)" if len(values) > MOST_VALUES else "")


def _rounding(passes: Passes) -> Iterator[str]:
    inexact = {n: s for n, s in passes.rounding.slacks.items() if s}
    for node, slack in inexact.items():
        yield f"{_definition(passes, node)}: within {_slack(slack):.3g} of the interpreter's float"
    rest = len(passes.rounding.slacks) - len(inexact)
    yield f"{counted(rest, 's-op')} exact in {passes.domain.dtype}"


def _slack(slack: Slack) -> float:
    return max([slack.absolute, slack.relative, slack.zero, *slack.listed.values()])


def _schedule(passes: Passes) -> Iterator[str]:
    schedule = passes.schedule
    yield counted(schedule.depth, "attention layer")
    for layer, nodes in groupby(schedule.encoded, key=lambda n: schedule.layers[n]):
        yield f"layer {layer}"
        yield from (f"  {_definition(passes, node)}" for node in nodes)


def _sum(value: SignalSum) -> str:
    terms = [f"{_factor(c)}{_quoted(signal.name)}" for signal, c in value.terms.items()]
    terms += [f"{value.constant:g}"] if value.constant or not terms else []
    return " + ".join(terms).replace("+ -", "- ")


def _quoted(name: str) -> str:
    return f"`{name}`" if " " in name else name


def _factor(coefficient: float) -> str:
    return {1.0: "", -1.0: "-"}.get(coefficient, f"{coefficient:g} ")


def _heads(passes: Passes) -> Iterator[str]:
    if not passes.network.heads:
        yield "no heads"
    for head in passes.network.heads:
        yield from _head(head)


def _head(head: PlannedHead) -> Iterator[str]:
    yield f"layer {head.layer}: {head.name}, {head.origin.what}"
    yield f"  mask   {head.mask}"
    for query, key in head.pairs:
        yield f"  score  [{_sum(query)}] * [{_sum(key)}]"
    if head.defaults:
        scores = ", ".join(f"{s:g}" for s in head.sink) or "none"
        yield f"  sink   key {scores}; value {', '.join(f'{d:g}' for d in head.defaults)}"
    for value, output in zip(head.values, head.outputs, strict=True):
        counts = head.defaults == (1.0,) and _sum(value) == "0"
        how = "1 / (1 + count): keys give 0 and the sink 1" if counts else f"mean of {_sum(value)}"
        yield f"  value  {_quoted(output.name)} = {how}"


def _mlps(passes: Passes) -> Iterator[str]:
    if not passes.network.mlps:
        yield "no MLPs"
    for layer, mlp in passes.network.mlps.items():
        where = "before layer 1" if layer == 0 else f"layer {layer}"
        yield f"{where}: hidden units {', '.join(str(len(stage)) for stage in mlp.units)}"
        yield f"  reads  {', '.join(sorted(_quoted(d.name) for d in mlp.read())) or 'nothing'}"
        yield f"  writes {', '.join(_quoted(d.name) for d in mlp.writes)}"


def _layout(passes: Passes) -> Iterator[str]:
    yield f"width {passes.layout.width}"
    yield from (f"  slot {slot}: {name}" for slot, name in enumerate(passes.layout.names))
    slots = passes.layout.slots
    for block, sublayer in zip(passes.layout.blocks, passes.layout.sublayers, strict=True):
        where = "before block 1" if block == 0 else f"block {block}"
        yield f"{where}, {_sublayer(sublayer)}"
        yield f"  reads  {_slots(sublayer.read(), slots)}"
        yield f"  writes {_slots(written(sublayer), slots)}"


def _sublayer(sublayer: Sublayer) -> str:
    if isinstance(sublayer, HeadSublayer):
        return counted(len(sublayer.heads), "head")
    assert isinstance(sublayer, LayeredMlp)
    clears = f", which clears {counted(len(sublayer.clears), 'slot')} for reuse" if sublayer.clears else ""
    return f"MLP of depth {sublayer.depth}{clears}"


def _slots(directions: Iterable[Direction], slots: Mapping[Direction, int]) -> str:
    """Directions with their slots, as in `indices @ 1`."""
    named = sorted({(slots[direction], direction.name) for direction in directions})
    return ", ".join(f"{_quoted(name)} @ {slot}" for slot, name in named) or "no slot"


def _certificate(compiled: Compiled) -> Iterator[str]:
    yield compiled.label
    for verdict in compiled.certificate.verdicts:
        length = f"up to length {verdict.length:,}" if verdict.length else "not certified"
        yield f"{verdict.numbers:<9} {length}" + (f"; breaks {verdict.breaks}" if verdict.breaks else "")
