"""A program on a word as a `Flow`: what each layer looks at and computes.

In the spirit of the figures of Weiss, Goldberg, Yahav: Thinking Like Transformers, ICML 2021. The flow is that of
the merged program, whose layers and heads `capax.rasp.analysis.schedule` counts.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from capax.draw.view.dependencies import arrows, items, sides
from capax.draw.view.labels import Labels
from capax.draw.view.node_values import ValuesOn
from capax.draw.view.rows import Rows, show, shown_word
from capax.draw.view.triples import triple_cells, triple_sides, triple_slices
from capax.draw.view.view import Flow, HeadGrid, LayerBox, Row, RowTable
from capax.errors import CapaxError
from capax.notation.rounds import rounds_at
from capax.rasp.analysis.schedule import Layer, Schedule, ScheduledHead, depths, schedule
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import has_loop, loops_in
from capax.rasp.ir.nodes import Const, Indices, Input, Node, SOpNode
from capax.rasp.ir.triple_nodes import MEANS, AnySelector, TripleNode
from capax.rasp.ir.unroll import unrolled
from capax.rasp.python.program import Program

MOST_ROUNDS = 500
"""A loop of more rounds is not drawn, since a picture has them all."""


def flow(program: Program, word: Iterable[Any], *, everything: bool = False) -> Flow:
    """The flow of a program on a word; with `everything` no element-wise result is hidden.

    A loop is drawn with all its rounds on that word, one after the other.
    """
    tokens = word if isinstance(word, str) else list(word)
    program = written_out(program, len(tokens))
    try:
        return _flow(_Maker(schedule(program), tokens, also=program.node, everything=everything))
    except CapaxError:
        program(tokens)  # the same failure, with its location in the text
        raise


def written_out(program: Program, length: int) -> Program:
    """The program, or the one without a loop that it stands for on words of a length."""
    if not has_loop(program.node):
        return program
    for loop in loops_in([program.node]):
        if (rounds := rounds_at(loop.rounds, length)) > MOST_ROUNDS:
            what = f"the loop over {', '.join(loop.names)} has {rounds:,} rounds; at most {MOST_ROUNDS:,} are drawn"
            raise CapaxError("too-large", what, hint="draw it with fewer rounds; `capax layers` shows its states")
    node = unrolled(program.node, length)
    made: dict[Node, Construction] = {}
    for each in topological(node):
        made[each] = Construction(each, tuple(made[o] for o in each.operands))
    made[node].rename(program.name or "result")
    return type(program)(node, made[node])


def flow_of(plan: Schedule, word: Iterable[Any], *, everything: bool = False) -> Flow:
    """The flow of a schedule on a word."""
    return _flow(_Maker(plan, word, everything=everything))


def _flow(maker: "_Maker") -> Flow:
    word = shown_word(maker.values.tokens)
    drawn_arrows = arrows(maker.plan, maker.labels, maker.items)
    return Flow(maker.labels.title(), word, maker.values.size, maker.layers(), drawn_arrows)


def picture_of(program: Program, word: Iterable[Any]) -> HeadGrid | RowTable:
    """One picture of a program's last step: the grid of a selector or aggregate, or the rows of an s-op."""
    word = word if isinstance(word, str) else list(word)
    program = written_out(program, len(word))
    plan = schedule(program)
    maker = _Maker(plan, word, also=program.node)
    root = plan.root
    if isinstance(root, AnySelector):
        return maker.bare(root)
    for layer in plan.layers:
        for head in layer.heads:
            if root in head.outputs:
                return maker.head(replace(head, outputs=(root,)), 1)
    assert isinstance(root, SOpNode)
    rows = [maker.rows.row(u) for u in maker.labels.uses(root)]
    return RowTable(maker.labels.name(root), (*rows, maker.result(root)))


class _Maker:
    """Makes the parts of one flow."""

    def __init__(
        self, plan: Schedule, word: Iterable[Any], *, also: Node | None = None, everything: bool = False
    ) -> None:
        self.plan = plan
        self.labels = Labels(plan, everything=everything)
        # The program as written too: rewriting may have removed a part that fails.
        self.values = ValuesOn([plan.root] if also is None else [also, plan.root], word)
        layers = depths(plan.root)
        self.items = items(plan, self.labels, layers)
        self.rows = Rows(self.labels, self.values, layers, self.items)

    def layers(self) -> tuple[LayerBox, ...]:
        boxes = [self.layer(layer) for layer in self.plan.layers]
        if isinstance(self.plan.root, AnySelector):
            last = boxes[-1]
            head = replace(self.bare(self.plan.root), label=f"{last.number}.{len(last.heads) + 1}")
            boxes[-1] = replace(last, heads=(*last.heads, head))
        return tuple(boxes)

    def layer(self, layer: Layer) -> LayerBox:
        heads = tuple(self.head(head, number) for number, head in enumerate(layer.heads, 1))
        visible = [node for node in layer.feed_forward if self.labels.is_shown(node)]
        if layer.number == 0 and isinstance(self.plan.root, Const):  # the answer, though nothing computes it
            visible.append(self.plan.root)
        there = self.inputs() if layer.number == 0 else []
        return LayerBox(layer.number, heads, (*there, *(self.result(node) for node in visible)))

    def inputs(self) -> list[Row]:
        """The tokens as the program reads them, and the positions if it uses them."""
        used = [node for node in topological(self.plan.root) if isinstance(node, (Input, Indices))]
        used.sort(key=lambda node: isinstance(node, Indices))
        rows = [self.rows.row(node) for node in used]
        if any(isinstance(node, Input) for node in used):
            return rows
        return [replace(self.rows.row(Input("asis")), name="tokens"), *rows]

    def result(self, node: SOpNode) -> Row:
        return self.rows.row(node, formula=self.labels.formula(node), uses=self.labels.uses(node))

    # heads

    def head(self, head: ScheduledHead, number: int) -> HeadGrid:
        if isinstance(head.selector, TripleNode):
            counts = [sum(row) for row in self.values.pair_counts(head.selector)]
        else:
            counts = self.values.counts(head.selector)
        average = not head.counts and max(counts) > 1
        bare = self.bare(head.selector, average=average)
        empty = 0 in counts
        shares = tuple(("–", "1")[c] if c < 2 else f"1/{c}" for c in counts) if average else ()
        return replace(
            bare,
            label=f"{head.layer}.{number}",
            values=tuple(self.rows.row(value) for value in head.values),
            outputs=tuple(self.rows.row(o, formula=self._what(o, empty=empty)) for o in head.outputs),
            shares=shares if bare.cells.step == 1 and head.order == 2 else (),
            counts=head.counts,
        )

    def _what(self, output: SOpNode, *, empty: bool) -> str:
        """What a head gives: `tokens, else 0` where some query selects nothing."""
        if not isinstance(output, MEANS):
            return "how many"
        return self.labels.name(output.value) + (f", else {show(output.default)}" if empty else "")

    def bare(self, selector: AnySelector, *, average: bool = False) -> HeadGrid:
        """The grid of a selector alone; of one over triples, of its first keys, with a slice for each query."""
        if isinstance(selector, TripleNode):
            return self.triples(selector)
        keys, queries = sides(selector)
        return HeadGrid(
            label="",
            name=self.labels.name(selector),
            formula=self.labels.formula(selector),
            keys=tuple(map(self.rows.row, keys)),
            queries=tuple(map(self.rows.row, queries)),
            cells=self.values.cells(selector, average=average),
            where=self.labels.where(selector),
        )

    def triples(self, selector: TripleNode) -> HeadGrid:
        """The grid of a selector over triples."""
        first, second, queries = (tuple(map(self.rows.row, some)) for some in triple_sides(selector))
        return HeadGrid(
            label="",
            name=self.labels.name(selector),
            formula=self.labels.formula(selector),
            keys=first,
            queries=queries,
            cells=triple_cells(self.values, selector),
            where=self.labels.where(selector),
            slices=triple_slices(self.values, selector, first, second, queries),
        )
