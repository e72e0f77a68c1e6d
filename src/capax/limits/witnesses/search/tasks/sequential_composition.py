"""Fooling a two-layer model of sequential composition at toy sizes, where all tables can be tried."""

import numpy as np

from capax.limits.witnesses.claimed_task import TaskClaim
from capax.limits.witnesses.search.decomposition import decompose, is_toy
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used
from capax.model.model import Model
from capax.tasks.sequential_composition import layout_of

WHY = "no statement: the theorem speaks at astronomical sizes alone"


def fool(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used, share: float) -> FoolingResult:
    """Two prompts that differ in the table z_2 alone and look alike to all other players, from all tables."""
    layout = layout_of(claim["n"], str(claim.sizes["queries"]))
    masks = {head.mask for block in model.blocks for head in block.heads}
    if not is_toy(model, layout) or not masks <= {"causal", "strict past"}:
        return FoolingResult(None, False, WHY, "", ())
    sets = decompose(model, layout, lambda: used() > share)
    tried = ("indistinguishable decomposition",)
    if sets.pair is None:
        return FoolingResult(None, False, WHY, "", tried, demonstration=sets)
    sender = tuple(range(layout.size(1)))
    pair = Pair(*sets.pair, sender, layout.length - 1, None, "indistinguishable")
    return FoolingResult(pair, False, WHY, tried[0], tried, demonstration=sets)
