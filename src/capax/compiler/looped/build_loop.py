"""The passes from a program with a loop to its model, on one screen."""

from collections.abc import Mapping
from dataclasses import replace

from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.check.agreement import meaning
from capax.compiler.compiled import LoopPasses, Passes
from capax.compiler.domain import CompileSettings, Domain
from capax.compiler.encode.output_type import with_types
from capax.compiler.layout.slots import SlotLayout
from capax.compiler.looped.assemble_loop import assemble_loop, lay_out_loop
from capax.compiler.looped.plan_parts import PlannedLoop, plan_loop
from capax.compiler.looped.state_values import loop_spec
from capax.compiler.node_meanings.node_names import SourceNotes
from capax.errors import CapaxError
from capax.rasp.ir.loop_nodes import loops_in
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.rewrite.split_loop import LoopSpec, SplitLoop, split_loop


def build_loop(
    root: SOpNode, domain: Domain, names: Mapping[Node, str], locations: Mapping[Node, str] | None = None
) -> Passes:
    """The passes of a program with one loop."""
    refuse_settings(root, domain)
    # later positions hidden before anything is taken apart, as the parts have selectors of their own
    looking = meaning(root, domain)
    # what is before the loop, its body, and what is after it
    split: SplitLoop = split_loop(looking)
    # the values that the states can have, in any round: the least sets that the body does not leave
    spec: LoopSpec = loop_spec(split, domain)
    budget = Budget.of_units(domain.budget)
    # the type of the answers beside their value, where it varies
    coda, _ = with_types(spec.coda, analyse(spec.coda.value, domain, budget), budget)
    source = SourceNotes(dict(names), {}, locations or {}).for_rewritten(spec.node_map)
    # a network for each part, over states with one direction each
    planned: PlannedLoop = plan_loop(spec, coda, domain, source, floats=False)
    # slots: those of states and of tokens and positions are shared by the parts
    layout = lay_out_loop(planned)
    # weight matrices; the body's blocks are there once
    model = assemble_loop(planned, layout, domain, coda.shift)
    last = planned.coda
    whole = SlotLayout(layout.slots, layout.names, layout.parts[2].sublayers, layout.parts[2].blocks)
    passes = Passes(coda, last.analysis, last.rounding, last.schedule, last.titles, last.network, whole, model)
    errors = tuple(e for part in (planned.prelude, planned.body, last) for e in part.analysis.possible_errors)
    analysis = replace(last.analysis, possible_errors=tuple(dict.fromkeys(errors)))
    return replace(passes, analysis=analysis, loop=LoopPasses(spec, planned, layout))


def refuse_settings(root: SOpNode, domain: Domain) -> None:
    """Rejects settings that no model of the program's loop has.

    A causal model gives every prefix of a word the answers that it has in the word, and so needs rounds that are the
    same for all lengths; and the tools that are targets have no loops.
    """
    growing = next((loop.rounds for loop in loops_in([root]) if not isinstance(loop.rounds, int)), None)
    if domain.causal and growing is not None:
        what = f"the loop has {growing} rounds: a prefix has fewer of them than the word"
        hint = "a causal model needs a constant number of rounds, enough for the greatest length; or compile without it"
        raise CapaxError("bad-option", what, hint=hint)
    if isinstance(domain, CompileSettings) and domain.target is not None:
        what = f"a model for {domain.target} has no loop; one with a constant number of rounds is written out"
        hint = "compile without a target, and export the model written out for words of one length (--length)"
        raise CapaxError("bad-option", what, hint=hint)
