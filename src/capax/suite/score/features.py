"""Autoencoders and probes against the dictionary: which features do they find?

A feature counts as found if something fires where it is there and almost nowhere else: F1 above 0.9.
"""

from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from capax.model.parts import Array
from capax.suite.files import SuiteLevel
from capax.suite.truth.features import FeatureDictionary, activations

FOUND: Final = 0.9
"""The least F1 of a feature that was found."""
STEPS, BATCH, RATE = 600, 256, 3e-3
"""How an autoencoder is trained."""
RIDGE: Final = 1e-5
"""How much weights of probes are held small: without it they would read the rounding of models that are rotated."""


class Recovery(NamedTuple):
    """How many features there are, how many were found, their mean F1, and the share of variance explained."""

    features: int
    recovered: int
    mean_f1: float
    explained: float


def labelled(model: SuiteLevel) -> tuple[Array, Array]:
    """The stream at all positions of words, and which features are there (positions, features)."""
    features = model.features
    there = features.tokens >= 0
    stream = activations(model.lens, features.tokens)[there]
    return stream, present(features)[there]


def present(features: FeatureDictionary) -> Array:
    """Which features each position has (words, positions, features)."""
    shape = (*features.tokens.shape, len(features.atoms))
    result = np.zeros(shape, bool)
    words, positions, variables = np.nonzero(features.codes >= 0)
    result[words, positions, features.codes[words, positions, variables]] = True
    return result


def f1_scores(fires: Array, there: Array) -> Array:
    """The best F1 for each feature of anything that fires (positions, latents)."""
    both = fires.astype(np.float64).T @ there.astype(np.float64)
    total = fires.sum(0)[:, None] + there.sum(0)[None]
    return np.asarray((2 * both / np.maximum(total, 1)).max(0, initial=0))


def recovery(fires: Array, there: Array, explained: float) -> Recovery:
    """The figures of features that are met at all, and not everywhere."""
    share = there.mean(0)
    varying = (share > 0) & (share < 1)
    best = f1_scores(fires, there[:, varying])
    mean = float(best.mean()) if len(best) else 0.0
    return Recovery(int(varying.sum()), int((best > FOUND).sum()), mean, explained)


class TopKAutoencoder(torch.nn.Module):
    """A sparse autoencoder whose k largest latents are kept (Gao et al. 2024)."""

    def __init__(self, width: int, latents: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.encoder = torch.nn.Linear(width, latents)
        self.decoder = torch.nn.Linear(latents, width)
        with torch.no_grad():
            self.encoder.weight.copy_(self.decoder.weight.T)

    def latents(self, stream: Tensor) -> Tensor:
        """The latents, all but the k largest 0."""
        before = torch.relu(self.encoder(stream - self.decoder.bias))
        top = before.topk(min(self.k, before.shape[-1]), dim=-1)
        return torch.zeros_like(before).scatter(-1, top.indices, top.values)

    def forward(self, stream: Tensor) -> Tensor:
        """The stream as the latents give it back."""
        return torch.as_tensor(self.decoder(self.latents(stream)))


def sae_score(model: SuiteLevel) -> Recovery:
    """What a TopK autoencoder finds that has twice as many latents as there are features, and k variables at once."""
    stream, there = labelled(model)
    centre, scale = stream.mean(0), max(float(stream.std()), 1e-6)
    data = torch.tensor((stream - centre) / scale, dtype=torch.float32)
    torch.manual_seed(0)
    k = len(model.features.names)
    autoencoder = TopKAutoencoder(data.shape[1], 2 * there.shape[1], k)
    optimiser = torch.optim.Adam(autoencoder.parameters(), lr=RATE)
    for _ in range(STEPS):
        batch = data[torch.randint(len(data), (BATCH,))]
        loss = ((autoencoder(batch) - batch) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        left = ((autoencoder(data) - data) ** 2).sum() / (data**2).sum().clamp_min(1e-12)
        fires = (autoencoder.latents(data) > 1e-3).numpy()
    return recovery(fires, there, 1.0 - float(left))


def probe_score(model: SuiteLevel) -> Recovery:
    """What linear probes find: for each feature one fitted by ridge regression on half of the positions."""
    stream, there = labelled(model)
    half = np.arange(len(stream)) % 2 == 0
    inputs = stream.astype(np.float64) - stream[half].mean(0)
    inputs /= np.maximum(inputs[half].std(0), 1e-9)
    share = there[half].mean(0)
    products = inputs[half].T @ inputs[half] + RIDGE * half.sum() * np.eye(inputs.shape[1])
    weights = np.linalg.solve(products, inputs[half].T @ (there[half] - share))
    answers = inputs[~half] @ weights + share
    test = there[~half]
    share = test.mean(0)
    varying = (share > 0) & (share < 1)
    fires = answers > 0.5
    both = (fires & test).sum(0)
    f1 = (2 * both / np.maximum(fires.sum(0) + test.sum(0), 1))[varying]
    error = ((answers - test) ** 2)[:, varying].sum() / max(float(((test - share) ** 2)[:, varying].sum()), 1e-12)
    return Recovery(int(varying.sum()), int((f1 > FOUND).sum()), float(f1.mean()) if len(f1) else 0.0, 1 - float(error))
