"""Trains one attention layer in exact integers on composition, and keeps it as a model of capax.

Run: python benchmarks/one_layer_training.py FILE.safetensors [n heads dim steps seed]
Every weight is rounded in the forward pass, with the gradient of the number before rounding (straight through), so the
trained model is an integer model and needs no quantisation afterwards. Whether it learns is not the point: what it
cannot do is shown by a witness.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

FINE = 4
"""Steps of the table of weights between powers of two."""


@dataclass(frozen=True)
class Setting:
    """The sizes of a layer and of its training."""

    n: int = 16
    heads: int = 1
    dim: int = 2
    weight_bits: int = 4
    value_bits: int = 4
    width: int = 16
    hidden: int = 32
    steps: int = 400
    seed: int = 0

    @property
    def table(self) -> list[int]:
        """The weights of scores 0, 1, ...: powers of 2^(1/4), rounded."""
        return [round(2 ** (i / FINE)) for i in range(FINE * self.weight_bits + 1)]

    @property
    def numbers(self) -> str:
        """The number system of the model."""
        return f"integer:8,{self.weight_bits},{self.value_bits};0:{','.join(map(str, self.table))}"


def through(exact: Any, smooth: Any) -> Any:
    """The exact value, with the gradient of the smooth one."""
    return smooth + (exact - smooth).detach()


def whole(x: Any) -> Any:
    """A number rounded to an integer of 8 bits."""
    return through(torch.clamp(torch.round(x), -128, 127), x)


class Layer(torch.nn.Module):
    """The layer at its query, with weights that are rounded whenever they are used."""

    def __init__(self, s: Setting) -> None:
        super().__init__()
        self.s = s
        torch.manual_seed(s.seed)

        def weights(*size: int, scale: float = 1.0) -> torch.nn.Parameter:
            return torch.nn.Parameter(scale * torch.randn(*size, dtype=torch.float64))

        self.embedding, self.places = weights(s.n, s.width, scale=2), weights(2 * s.n + 1, s.width, scale=2)
        self.query, self.key = (weights(s.heads, s.width, s.dim, scale=0.6) for _ in range(2))
        self.value = weights(s.heads, s.width, s.dim)
        self.output = weights(s.heads, s.dim, s.width)
        self.one, self.one_bias = weights(s.width, s.hidden), weights(s.hidden)
        self.two, self.read = weights(s.hidden, s.width), weights(s.width, s.n)
        self.register_buffer("table", torch.tensor(s.table, dtype=torch.float64))

    def forward(self, words: Any) -> Any:
        """The logits at the last place of prompts (batch, 2n + 1)."""
        s = self.s
        x = whole(whole(self.embedding)[words] + whole(self.places))
        last = x[:, -1]
        q = whole(torch.einsum("bd,hdk->bhk", last, whole(self.query)))
        k = whole(torch.einsum("bnd,hdk->bhnk", x, whole(self.key)))
        half = 2 ** (s.value_bits - 1)
        v = torch.einsum("bnd,hdk->bhnk", x, whole(self.value))
        v = through(torch.clamp(v, -half, half - 1), v)
        score = torch.einsum("bhk,bhnk->bhn", q, k)
        cut = torch.clamp(score, 0, len(s.table) - 1)
        soft = 2 ** (cut / FINE) + 0.01 * score
        w = through(self.table[cut.round().long()], soft)
        mean = torch.einsum("bhn,bhnk->bhk", w, v) / w.sum(-1, keepdim=True)
        mean = through(torch.round(mean), mean)
        y = whole(last + torch.einsum("bhk,hkd->bd", mean, whole(self.output)))
        hidden = torch.relu(y @ whole(self.one) + whole(self.one_bias))
        hidden = through(torch.clamp(hidden, 0, 127), hidden)
        y = whole(y + hidden @ whole(self.two))
        return y @ whole(self.read)

    def model(self) -> Model:
        """The layer as a model of capax."""
        s = self.s

        def integers(x: Any) -> Any:
            return np.clip(np.rint(x.detach().numpy()), -128, 127).astype(np.int64)

        def affine(x: Any, bias: Any = None) -> Affine:
            weight = integers(x)
            return Affine(weight, np.zeros(weight.shape[1], np.int64) if bias is None else integers(bias))

        heads = tuple(
            Head(affine(self.query[h]), affine(self.key[h]), affine(self.value[h]), integers(self.output[h]))
            for h in range(s.heads)
        )
        mlp = Mlp((affine(self.one, self.one_bias), affine(self.two)))
        return Model(
            vocabulary=Vocabulary(tuple(range(s.n))),
            embedding=integers(self.embedding),
            positions=Positions((), np.zeros((0, s.width), np.int64), integers(self.places)),
            blocks=(Block(heads, np.zeros(s.width, np.int64), mlp),),
            readout=Readout(affine(self.read)),
            decoding=Classes(tuple(range(s.n))),
            names=tuple(f"x{i}" for i in range(s.width)),
            numbers=s.numbers,
            min_length=2 * s.n + 1,
            max_length=2 * s.n + 1,
            provenance=Provenance(
                layout={"task": "composition", "n": s.n}, extra={"trained": f"{s.steps} steps, seed {s.seed}"}
            ),
        )


def prompts(random: Any, n: int, count: int) -> tuple[Any, Any]:
    """Random prompts and their answers."""
    words = random.integers(0, n, (count, 2 * n + 1))
    rows = np.arange(count)
    return words, words[rows, n + words[rows, words[:, -1]]]


def trained(s: Setting) -> tuple[Model, float]:
    """The trained model, and its accuracy on fresh prompts (by capax itself)."""
    layer, random = Layer(s), np.random.default_rng(s.seed)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    for step in range(s.steps):
        words, answers = prompts(random, s.n, 128)
        logits = layer(torch.tensor(words)) / 16
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(answers))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        for group in optimiser.param_groups:
            group["lr"] = 0.05 * (1 - step / s.steps)
        optimiser.step()
    model = layer.model()
    words, answers = prompts(np.random.default_rng(s.seed + 1), s.n, 1000)
    said = [word[-1] for word in model.batch(words.tolist())]
    with torch.no_grad():
        own = layer(torch.tensor(words)).argmax(-1).numpy()
    assert (np.array(said) == own).all(), "the model of capax is the trained layer"
    return model, float((np.array(said) == answers).mean())


def main() -> None:
    """Trains one layer and writes it."""
    file, sizes = sys.argv[1], [int(arg) for arg in sys.argv[2:]]
    names = ("n", "heads", "dim", "steps", "seed")
    setting = Setting(**dict(zip(names, sizes, strict=False)))
    model, accuracy = trained(setting)
    model.save(file)
    print(f"{file}: {setting}, accuracy {accuracy:.3f} (chance {1 / setting.n:.3f})")


if __name__ == "__main__":
    main()
