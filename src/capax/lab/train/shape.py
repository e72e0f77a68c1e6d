"""The shape of a network: sizes alone, without weights."""

from dataclasses import dataclass

from capax.lab.data import Data
from capax.lab.settings import Settings


@dataclass(frozen=True, slots=True)
class NetShape:
    """What a network reads and gives: `inputs` tokens or `features`, `outputs` logits, up to `positions` positions."""

    inputs: int
    features: int
    outputs: int
    positions: int


def shape_of(settings: Settings) -> NetShape:
    """The shape of the network for the words of a run."""
    data = Data(settings)
    words = data.vocabularies
    return NetShape(len(words.inputs), words.features, len(words.outputs), data.positions)
