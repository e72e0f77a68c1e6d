"""Discrete networks trained in their soft form, with a falling temperature, and then the likeliest choices."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from capax.lab.discrete.discrete_settings import DiscreteSettings
from capax.lab.discrete.examples import DiscreteExamples, Lexicon
from capax.lab.discrete.network import (
    RANKS,
    RELATIONS,
    VIEWS,
    CountHead,
    DiscreteNetwork,
    PairTable,
    Part,
    PickHead,
    Selection,
)
from capax.lab.train.soft_network import Choose, Logits, SoftShape, soft_outputs

START = 0.5
"""The standard deviation of logits at the start."""
LEAST = 1e-4
"""Added to the probability of an answer before its logarithm is taken."""
TABLE_NOISE = 0.3
"""The share of the noise that entries of tables get, since there are many of them."""


def train_soft(
    settings: DiscreteSettings, examples: DiscreteExamples, lexicon: Lexicon, *, number: int
) -> Iterator[tuple[int, Callable[[], list[DiscreteNetwork]]]]:
    """The number of each step of a round after it, from 1, with what makes the networks of the likeliest choices."""
    shape = SoftShape(
        lexicon.codes, examples.outputs, settings.layers, settings.counts, settings.picks, settings.tables
    )
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + number)
    random = np.random.default_rng([settings.seed, number])
    logits = {
        name: (torch.randn(settings.restarts, *size, generator=generator) * START).requires_grad_()
        for name, size in shape.logits().items()
    }
    groups = [group for n in range(1, lexicon.max_length + 1) if len((group := examples.of_length(n)).tokens)]
    optimizer = torch.optim.Adam(logits.values(), lr=settings.rate)
    for step in range(settings.steps):
        at = step / settings.steps
        temperature = settings.hot * (settings.cold / settings.hot) ** at
        choose = _gumbel(temperature, settings.noise * (1 - at / 2), generator)
        group = groups[int(random.integers(len(groups)))] if step % 4 else groups[-1]
        rows = random.integers(0, len(group.tokens), settings.batch)
        loss = _loss(soft_outputs(shape, logits, torch.from_numpy(group.tokens[rows]), choose), group.answers[rows])
        optimizer.zero_grad()
        loss.sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        yield step + 1, lambda: likeliest(shape, logits)


def _gumbel(temperature: float, noise: float, generator: torch.Generator) -> Choose:
    """Gumbel-softmax, with noise of its own for every distribution, the same for all words of a step."""

    def choose(logits: Tensor) -> Tensor:
        share = noise if logits.dim() == 3 else noise * TABLE_NOISE
        uniform = torch.rand(logits.shape, generator=generator).clamp(1e-9, 1 - 1e-7)
        return torch.softmax((logits - share * torch.log(-torch.log(uniform))) / temperature, dim=-1)

    return choose


def _loss(outputs: Tensor, answers: "np.typing.NDArray[np.int64]") -> Tensor:
    """The mean negative log-likelihood of the answers that are scored, of each restart."""
    known = torch.from_numpy(answers)
    scored = known >= 0
    at = known.clamp(min=0)[None, ..., None].expand(len(outputs), -1, -1, 1)
    losses = -(outputs.gather(-1, at)[..., 0] + LEAST).log()
    return (losses * scored).sum((1, 2)) / scored.sum()


def likeliest(shape: SoftShape, logits: Logits) -> list[DiscreteNetwork]:
    """The network of the likeliest choices of each restart."""
    best = {name: tensor.argmax(-1).tolist() for name, tensor in logits.items()}
    return [_network(shape, {name: choices[k] for name, choices in best.items()}) for k in range(len(logits["first"]))]


def _network(shape: SoftShape, best: dict[str, list[int]]) -> DiscreteNetwork:
    layers = []
    for layer in range(shape.layers):
        part = {name.partition(".")[2]: choice for name, choice in best.items() if name.startswith(f"{layer}.")}
        layers.append(tuple(_parts(shape, part)))
    return DiscreteNetwork(shape.codes, tuple(layers), _pair_table(best, 0))


def _parts(shape: SoftShape, part: dict[str, list[int]]) -> Iterator[Part]:
    for head in range(shape.counts + shape.picks):
        relation = RELATIONS[part["relation"][head]]
        row: list[int] = part["target"][head]  # type: ignore[assignment]
        table = (part["constant"][head],) * shape.codes if relation == "value" else tuple(row)
        view = VIEWS[part["view"][head]]
        selection = Selection(part["key"][head], part["query"][head], relation, view, table)
        pick = head - shape.counts
        yield CountHead(selection) if pick < 0 else PickHead(selection, part["value"][pick], RANKS[part["rank"][pick]])
    for table_number in range(shape.tables):
        yield _pair_table(part, table_number)


def _pair_table(part: dict[str, list[int]], number: int) -> PairTable:
    entries: list[int] = part["entry"][number]  # type: ignore[assignment]
    return PairTable(part["first"][number], part["second"][number], tuple(entries))
