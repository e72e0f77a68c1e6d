"""How near a model is to trained ones, in numbers: kurtosis, effective rank, dead units, effects of edges."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.model.interpretability.interchange import ExchangePlan, evidence, groups_of
from capax.model.interpretability.lens_model import LensModel, activated, normalised, run, words_of_length
from capax.model.parts import Array

EDGES: Final = 250
"""How many edges are tried, of those at even distances in their order."""
DECADES: Final = (-6, -4, -2, 0, 2)
"""Effects of edges are counted below and between these powers of ten."""


@dataclass(frozen=True, slots=True)
class Realism:
    """Measures of a model's stream, units and edges on random words of the greatest length."""

    kurtosis: float
    """The mean over directions of the fourth moment by the squared variance; 3 for a normal distribution."""
    effective_rank: float
    """The exponential of the entropy of the spectrum of the stream."""
    dead_units: float
    """The share of units of MLPs that are 0 everywhere, or hardly differ."""
    edge_effects: tuple[int, ...]
    """How many edges change a logit by 0, by up to 10^-6, to 10^-4, to 10^-2, to 1, to 100, and by more."""

    def to_json(self) -> dict[str, Any]:
        """The measures as plain data."""
        return {
            "kurtosis": round(self.kurtosis, 3),
            "effective_rank": round(self.effective_rank, 3),
            "dead_units": round(self.dead_units, 3),
            "edge_effects": list(self.edge_effects),
        }


def realism(lens: LensModel) -> Realism:
    """The measures of a model; the effects are those of edges, at most `EDGES`, with donors of one length."""
    every = lens.shape.edges(positions=False)
    edges = every[:: -(-len(every) // EDGES)]
    rows = words_of_length(lens, lens.max_length, 400, seed=1)
    result = run(lens, rows[:400])
    stream = result.streams[-1][:, lens.start :].reshape(-1, lens.width).astype(np.float64)
    groups = groups_of(lens, ExchangePlan(lengths=(5,), count=16, kinds=("same",)))
    effects = [one.effect for one in evidence(lens, edges, groups).values()]
    return Realism(kurtosis(stream), effective_rank(stream), _dead(lens, rows[:100]), _histogram(effects))


def kurtosis(stream: Array) -> float:
    """The mean kurtosis of the directions that vary."""
    centred = stream - stream.mean(0)
    variance = (centred**2).mean(0)
    varying = variance > 1e-12
    if not varying.any():
        return 0.0
    return float(((centred[:, varying] ** 4).mean(0) / variance[varying] ** 2).mean())


def effective_rank(stream: Array) -> float:
    """The exponential of the entropy of the shares of variance along principal directions."""
    spectrum = np.linalg.svd(stream - stream.mean(0), compute_uv=False) ** 2
    shares = spectrum[spectrum > 0] / max(spectrum.sum(), 1e-300)
    return float(np.exp(-(shares * np.log(shares)).sum())) if len(shares) else 0.0


def _dead(lens: LensModel, rows: Array) -> float:
    """The share of units that do not vary."""
    result, dead, total = run(lens, rows), 0, 0
    for layer in range(lens.shape.layers):
        written = result.outputs[f"m{layer}"] + lens.block(layer, "mlp.b_out")
        read = normalised(lens, result.streams[layer + 1] - written, f"blocks.{layer}.ln2")
        units = activated(lens, read @ lens.block(layer, "mlp.W_in") + lens.block(layer, "mlp.b_in"))
        dead += int((np.ptp(units.reshape(-1, units.shape[-1]), axis=0) < 1e-3).sum())
        total += units.shape[-1]
    return dead / max(total, 1)


def _histogram(effects: Iterable[float]) -> tuple[int, ...]:
    bounds = [0.0, *(10.0**power for power in DECADES)]
    places = np.searchsorted(np.array(bounds), np.array(list(effects)))
    return tuple(int((places == place).sum()) for place in range(len(bounds) + 1))
