"""Imitated: small transformers that were trained to compute a program; they come with capax as data.

They are right on all words, but nobody wrote their circuit: their truth is by interchange alone.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from capax.model.interpretability.circuit import CircuitEdge
from capax.model.interpretability.interchange import Donors, ExchangePlan, evidence, groups_of
from capax.model.interpretability.lens_model import LensModel
from capax.model.parts import Array
from capax.suite.levels.build import LevelInput, unsound
from capax.suite.levels.level_model import LevelModel, Soundness, soundness, without_order
from capax.suite.programs.suite_program import CompiledCase

PLANS: Final = (ExchangePlan(lengths=(2, 3, 5, 8)), ExchangePlan(lengths=(4, 6), count=150, seed=1))
"""The pairs of words on which an edge is tried: it matters if it changes an answer on one of them."""
FOLDER: Final = "imitations"


@cache
def imitated_programs() -> tuple[str, ...]:
    """The ids of the programs that have an imitation."""
    folder = files("capax.suite").joinpath(FOLDER)
    return tuple(sorted(f.name.removesuffix(".npz") for f in folder.iterdir() if f.name.endswith(".npz")))


def imitation(case: CompiledCase) -> LensModel:
    """The trained model of a program, which reads the same words."""
    file = files("capax.suite").joinpath(FOLDER, f"{case.program.id}.npz")
    with file.open("rb") as handle, np.load(handle, allow_pickle=False) as data:
        tensors = {name: data[name] for name in data.files}
    lens = case.lens
    config = {**lens.config, **_sizes(tensors), "act_fn": "gelu_new", "normalization_type": "LN", "eps": 1e-5}
    limits = (lens.min_length, lens.max_length)
    return LensModel(config, tensors, lens.tokens, lens.alphabet, lens.prefix, lens.decoding, *limits)


def _sizes(tensors: Mapping[str, Array]) -> dict[str, int]:
    """The sizes of a model, by the shapes of its weights."""
    heads, width, size = tensors["blocks.0.attn.W_Q"].shape
    return {
        "n_layers": sum(name.endswith("attn.W_Q") for name in tensors),
        "d_model": width,
        "n_heads": heads,
        "d_head": size,
        "d_mlp": tensors["blocks.0.mlp.W_in"].shape[1],
    }


def imitated_groups(lens: LensModel) -> list[Donors]:
    """The words and donors that decide which edges of a trained model matter."""
    return [group for plan in PLANS for group in groups_of(lens, plan)]


def imitated(case: CompiledCase, given: LevelInput) -> tuple[LevelModel, Soundness]:
    """The level of a program: every edge is tried, and is in if some answer changes."""
    lens = imitation(case)
    seen = evidence(lens, lens.shape.edges(), imitated_groups(lens))
    edges = tuple(CircuitEdge(e, one.same_length, one.any) for e, one in seen.items() if one.witness is not None)
    basis, constant = np.eye(lens.width, dtype=np.float32), np.zeros(lens.width, np.float32)
    effect = max((one.effect for one in seen.values() if one.witness is None), default=0.0)
    made = LevelModel("imitated", lens, lens, basis, constant, edges, without_order(lens), out_effect=effect)
    sound = soundness(lens, given.words, given.answers)
    if not sound.sound:
        raise unsound("imitated", sound)
    return made, sound
