"""Compile targets: a program compiled for tools that have no masks per head, no sinks, no input MLP and no deep MLPs.

Such a model has all the attention layers that the schedule predicts, and further layers without heads for what a tool
lacks; comparisons of positions are tables where the tool has one mask for all heads.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from capax.compiler.compile_program import build
from capax.compiler.compiled import Passes
from capax.compiler.domain import Domain
from capax.errors import CapaxError, nearest
from capax.model.adapt.make_plain import PlainModel, make_plain, mixed_masks
from capax.model.export.target import targets
from capax.model.model import Model
from capax.model.parts import Block
from capax.model.provenance import CompileTarget
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.triple_nodes import TripleNode

TABLES: Final = "tables over positions instead of masks of single heads"


def compile_targets() -> list[str]:
    """The names of the targets: plain models (see `capax.model.adapt.make_plain`), and exports that need them."""
    return sorted(["plain", *(name for name, target in targets().items() if target.needs_plain)])


def check_target(target: object) -> str:
    """The target, if there is one of that name."""
    known = compile_targets()
    if target not in known:
        near = nearest(str(target), known)
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        if target in targets():
            hint = (
                f"exports to {target} hold every program: compile without a target, then `capax export --to {target}`"
            )
        raise CapaxError("bad-option", f"there is no target {target!r:.60} to compile for", hint=hint)
    return str(target)


def build_for(
    target: str, root: SOpNode, domain: Domain, names: Mapping[Node, str], locations: Mapping[Node, str] | None = None
) -> Passes:
    """The passes to the model for a target; `model.provenance.target` says what was added for it.

    The domain of the result has no masks where the target has none.
    """
    check_target(target)
    _refuse_triples(target, root)
    # MLPs are as deep as they like, and become layers afterwards: few numbers pass from one to the next
    passes = _looking_back(build(root, domain, names, locations))
    tables = mixed_masks(passes.model) is not None
    if tables:
        passes = _looking_back(build(root, replace(domain, masks=False), names, locations))
    adapted = make_plain(passes.model, selective=True, keep_all=domain.keep_all)
    assert isinstance(adapted, PlainModel), adapted
    added = (TABLES,) * tables + _for_stages(passes.model) + adapted.added
    sink = adapted.model.prefix[0] if any("in place of sinks" in what for what in added) else None
    _refuse_unheld(target, adapted.model)
    provenance = replace(adapted.model.provenance, target=CompileTarget(target, added, sink))
    return replace(passes, model=replace(adapted.model, provenance=provenance))


def _refuse_unheld(target: str, model: Model) -> None:
    """Rejects a program whose model the export to the target would refuse, with its reason."""
    why = targets()[target].refuse(model) if target in targets() else None
    if why is not None:
        raise CapaxError(
            "not-compilable",
            f"the export to {target} cannot hold the model of this program: {why}",
            hint="compile without a target, and `capax export --to torch`; `capax help export` has the other tools",
            target=target,
            reason=why,
        )


def _refuse_triples(target: str, root: SOpNode) -> None:
    """Rejects a program with selectors over triples: no target that needs plain models has heads of third order."""
    triples = next((node for node in topological(root) if isinstance(node, TripleNode)), None)
    if triples is not None:
        raise CapaxError(
            "not-compilable",
            f"`{describe(triples)}` needs a head of third order, and models for {target} have none",
            hint="compile without a target; `capax export --to torch` holds such a model",
            node=triples,
        )


def _for_stages(model: Model) -> tuple[str, ...]:
    """What is said of layers that the compiler itself made for further stages of MLPs."""
    count = sum(not block.heads for block in model.blocks)
    return (f"{count} layer{'' if count == 1 else 's'} without heads, for the further stages of MLPs",) * bool(count)


def _looking_back(passes: Passes) -> Passes:
    """The passes to a causal model, with the causal mask in heads that have none: they select no later key anyway."""
    if not passes.domain.causal:
        return passes

    def changed(block: Block) -> Block:
        return replace(block, heads=tuple(replace(h, mask="causal") if h.mask == "none" else h for h in block.heads))

    return replace(passes, model=replace(passes.model, blocks=tuple(map(changed, passes.model.blocks))))
