"""Compile targets: a program compiled for tools that have no masks per head, no sinks, no input MLP and no deep MLPs.

Such a model has all the attention layers that the analysis predicts, and besides them layers without heads for what a
tool lacks; comparisons of places are tables where the tool has one mask for all heads.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from capax.compiler.analysis.analysis import Facts
from capax.compiler.domain import Domain
from capax.compiler.pipeline import build
from capax.errors import CapaxError, nearest
from capax.model.adapt.make_plain import PlainModel, make_plain
from capax.model.adapt.plain import mixed_masks
from capax.model.export.registry import targets
from capax.model.model import Model
from capax.model.parts import Block
from capax.model.provenance import CompileTarget
from capax.model.vocabulary import Token
from capax.rasp.ir.nodes import Node, SOpNode

TABLES: Final = "tables over places in place of masks of single heads"


def compile_targets() -> list[str]:
    """The names of the targets: plain models, which `capax.model.adapt.plain` defines, and exports that need them."""
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
    target: str, root: SOpNode, domain: Domain, names: Mapping[Node, str], places: Mapping[Node, str] | None = None
) -> tuple[Model, Facts, Domain]:
    """The model for a target, what is known of values, and the domain as it was used.

    `model.provenance.target` says what was added for the target.
    """
    # MLPs are as deep as they like, and become layers afterwards: so few numbers pass from one to the next
    model, facts = build(root, domain, names, places)
    model = _looking_back(model) if domain.causal else model
    tables = mixed_masks(model) is not None
    if tables:
        domain = replace(domain, masks=False)
        model, facts = build(root, domain, names, places)
        model = _looking_back(model) if domain.causal else model
    found = make_plain(model, selective=True)
    assert isinstance(found, PlainModel), found
    extra = _for_stages(model)
    added = (TABLES,) * tables + extra + found.added
    record = CompileTarget(target, added, _sink(found.model, added))
    return replace(found.model, provenance=replace(found.model.provenance, target=record)), facts, domain


def _sink(model: Model, added: tuple[str, ...]) -> Token | None:
    """The token in place of sinks, if one was added."""
    return model.prefix[0] if any("in place of sinks" in what for what in added) else None


def _for_stages(model: Model) -> tuple[str, ...]:
    """What is said of layers that the compiler itself made for further stages of MLPs."""
    count = sum(not block.heads for block in model.blocks)
    return (f"{count} layer{'' if count == 1 else 's'} without heads, for the further stages of MLPs",) * bool(count)


def _looking_back(model: Model) -> Model:
    """The model of a causal program with the causal mask in heads that have none: they select no later key anyway."""

    def changed(block: Block) -> Block:
        return replace(block, heads=tuple(replace(h, mask="causal") if h.mask == "none" else h for h in block.heads))

    return replace(model, blocks=tuple(map(changed, model.blocks)))
