"""From a model to a plain one that computes the same: tables of positions, shallow MLPs, a token in place of sinks.

Plain models are what tools hold that have no sinks, no masks of single heads, no input MLP and no deep MLPs: ordinary
softmax heads that all see everything or all look back, MLPs of one hidden stage and one activation, a row of a table
for every position, and no input MLP. A token before every word (the `prefix`) may do the work of sinks.
"""

from dataclasses import dataclass, replace
from typing import Literal

from capax.model.adapt.plain_layers import with_layers, with_table
from capax.model.adapt.sink_token import has_sinks, with_sink_token
from capax.model.loop import HAS_LOOP
from capax.model.model import Model
from capax.model.parts import Head, Mask, Mlp
from capax.model.positions import uses_length
from capax.model.provenance import RecordedDomain


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A plain model, and what was added to make it plain, a sentence for each."""

    model: Model
    added: tuple[str, ...]


def make_plain(model: Model, *, selective: bool = False, keep_all: bool | None = None) -> PlainModel | str:
    """The model as a plain one, or the reason why there is none.

    `selective` says that in every head without a sink each query has a key with a score of at least 0. With `keep_all`
    no direction that is added is reused; None does as the model was compiled.
    """
    if why_not_plain(model) is None:
        return PlainModel(model, ())
    reason = _obstacle(model)
    if reason is not None:
        return reason
    if model.max_length is None:
        assert model.positions.table is not None
        model = replace(model, max_length=len(model.positions.table) - len(model.prefix))
    added = ["a table of positions in place of functions of the position"] if model.positions.functions else []
    recorded = model.provenance.domain
    separate = (recorded is not None and recorded.keep_all) if keep_all is None else keep_all
    layered = with_layers(with_table(model), separate=separate)
    model = layered.model
    if layered.for_input:
        added.append("1 layer without heads, for the input MLP")
    if layered.for_stages:
        added.append(f"{_layers(layered.for_stages)} without heads, for the further stages of MLPs")
    if has_sinks(model):
        before = model
        with_token = with_sink_token(model, selective=selective)
        if with_token is None:
            return "its scores may be so large that no token can be hidden from its heads"
        model = _with_domain(before, with_token)
        added.append(f"the token {with_token.prefix[0]} before every word, in place of sinks")
    assert why_not_plain(model) is None, why_not_plain(model)
    return PlainModel(model, tuple(added))


def _layers(count: int) -> str:
    return f"{count} layer{'' if count == 1 else 's'}"


def _with_domain(before: Model, after: Model) -> Model:
    """The model, which says which tokens words may have, since there is one now that they may not."""
    if after.provenance.domain is not None:
        return after
    domain = RecordedDomain(before.vocabulary.tokens, before.max_length)
    return replace(after, provenance=replace(after.provenance, domain=domain))


def _obstacle(model: Model) -> str | None:
    """What keeps a model from being made plain."""
    reason = never_plain(model) or mixed_masks(model)
    if reason is not None:
        return reason
    by_length = [name for name in model.positions.functions if uses_length(name)]
    if by_length:
        return f"its positions depend on the length of the word ({by_length[0]})"
    if model.max_length is None and model.positions.table is None:
        return "it reads words of any length, and a table of positions has an end"
    mlps = [m for m in (model.input_mlp, *(b.mlp for b in model.blocks)) if isinstance(m, Mlp)]
    deep = any(m.depth > 1 for m in mlps)
    if deep and any(m.activation != "relu" for m in mlps):
        return "it has deep MLPs whose units are not ReLUs"
    if _has_norms(model) and (deep or model.input_mlp is not None or has_sinks(model)):
        return "it has norms, and sinks, an input MLP or deep MLPs as well"
    return None


def _has_norms(model: Model) -> bool:
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    return any(n is not None for n in norms)


def why_not_plain(model: Model) -> str | None:
    """What keeps a model from being plain; None for a plain one."""
    if model.input_mlp is not None:
        return "it has an input MLP"
    if model.positions.functions or model.positions.table is None:
        return "its positions are not a table"
    if model.max_length is None:
        return "it reads words of any length, and a table of positions has an end"
    if any(isinstance(h, Head) and h.sink is not None for b in model.blocks for h in b.heads):
        return "some head has a sink"
    if any(isinstance(b.mlp, Mlp) and b.mlp.depth > 1 for b in model.blocks):
        return "an MLP has more than one hidden stage"
    return never_plain(model) or mixed_masks(model)


def never_plain(model: Model) -> str | None:
    """What no change of form makes plain: other kinds of attention, oracle maps, other numbers; None if nothing."""
    if model.loop is not None:
        return HAS_LOOP
    if model.numbers not in ("float32", "float64", "bfloat16"):
        return f"it computes in {model.numbers}, not in float32, float64 or bfloat16"
    for block in model.blocks:
        if any(not isinstance(h, Head) for h in block.heads):
            return "it has a third-order head, or one with rotary positions"
        kinds = {h.attention for h in block.heads if isinstance(h, Head)} - {"softmax"}
        if kinds:
            return f"it has {min(kinds)} attention, not softmax"
    mlps = [m for m in (model.input_mlp, *(b.mlp for b in model.blocks)) if m is not None]
    if any(not isinstance(m, Mlp) for m in mlps):
        return "it has gated MLPs, or an oracle map, which is not a network"
    if len({m.activation for m in mlps if isinstance(m, Mlp)}) > 1:
        return "its MLPs have different activations"
    return None


def mixed_masks(model: Model) -> str | None:
    """What is said of masks other than none for all heads or causal for all; None if there are no others."""
    masks = {h.mask for b in model.blocks for h in b.heads}
    odd = masks - {"none", "causal"}
    if odd:
        return f"a head has the mask `{min(odd)}`"
    return "some heads look back and others see everything" if len(masks) > 1 else None


def direction(model: Model) -> Literal["causal", "none"]:
    """The mask that all heads of a plain model have; a model without heads looks back."""
    masks: set[Mask] = {h.mask for b in model.blocks for h in b.heads}
    return "none" if masks == {"none"} else "causal"
