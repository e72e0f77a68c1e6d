"""From a model to a plain one that computes the same: tables of positions, shallow MLPs, a token in place of sinks.

A plain model is what stock classes of other tools can hold; see `capax.model.adapt.plain`.
"""

from dataclasses import dataclass, replace

from capax.model.adapt.layers import with_layers, with_table
from capax.model.adapt.plain import mixed_masks, never_plain, why_not_plain
from capax.model.adapt.sink_token import has_sinks, with_sink_token
from capax.model.model import Model
from capax.model.parts import Mlp
from capax.model.provenance import RecordedDomain


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain model, and what was added to make it plain, a sentence for each."""

    model: Model
    added: tuple[str, ...]


def plain(model: Model, *, selective: bool = False) -> Plain | str:
    """The model as a plain one, or the reason why there is none.

    `selective` says that in every head without a sink each query has a key with a score of at least 0.
    """
    if why_not_plain(model) is None:
        return Plain(model, ())
    reason = _why_never(model)
    if reason is not None:
        return reason
    if model.max_length is None:
        assert model.positions.table is not None
        model = replace(model, max_length=len(model.positions.table) - len(model.prefix))
    added = ["a table of positions in place of functions of the place"] if model.positions.functions else []
    layered = with_layers(with_table(model))
    model = layered.model
    if layered.for_input:
        added.append("1 layer without heads, for the input MLP")
    if layered.for_stages:
        added.append(f"{_layers(layered.for_stages)} without heads, for the further stages of MLPs")
    if has_sinks(model):
        before = model
        found = with_sink_token(model, selective=selective)
        if found is None:
            return "its scores may be so large that no token can be hidden from its heads"
        model = _with_domain(before, found)
        added.append(f"the token {found.prefix[0]} before every word, in place of sinks")
    assert why_not_plain(model) is None, why_not_plain(model)
    return Plain(model, tuple(added))


def _layers(count: int) -> str:
    return f"{count} layer{'' if count == 1 else 's'}"


def _with_domain(before: Model, after: Model) -> Model:
    """The model, which says which tokens words may have, since there is one now that they may not."""
    if after.provenance.domain is not None:
        return after
    domain = RecordedDomain(before.vocabulary.tokens, before.max_length)
    return replace(after, provenance=replace(after.provenance, domain=domain))


def _why_never(model: Model) -> str | None:
    """What keeps a model from being made plain."""
    reason = never_plain(model) or mixed_masks(model)
    if reason is not None:
        return reason
    by_length = [name for name in model.positions.functions if "n" in name.replace("sin", "")]
    if by_length:
        return f"its positions depend on the length of the word ({by_length[0]})"
    if model.max_length is None and model.positions.table is None:
        return "it reads words of any length, and a table of positions has an end"
    mlps = [m for m in (model.input_mlp, *(b.mlp for b in model.blocks)) if isinstance(m, Mlp)]
    deep = any(m.depth > 1 for m in mlps)
    if deep and any(m.activation != "relu" for m in mlps):
        return "it has deep MLPs whose units are not ReLUs"
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    if any(n is not None for n in norms) and (deep or model.input_mlp is not None or has_sinks(model)):
        return "it has norms, and sinks, an input MLP or deep MLPs as well"
    return None
