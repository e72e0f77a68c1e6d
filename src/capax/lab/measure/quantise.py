"""How few bits a trained network's weights need."""

import copy
from typing import Any

import torch

from capax.lab.data import Data
from capax.lab.measure.score import Score, score_batch
from capax.lab.train.make import Net

BITS = (2, 3, 4, 5, 6, 8)
LOSS = 0.01
"""Quantised weights are good enough when they lose at most this much token accuracy."""


def quantised(net: Net, data: Data) -> dict[str, Any]:
    """The token accuracy on check words by bits per weight, and the bits of the smallest network that will do.

    The weights of each tensor are rounded to 2^p - 1 levels, evenly from minus to plus the largest; what the network
    computes between them stays in float32. `bits` is p times the number of parameters for the least p that loses at
    most 0.01 of accuracy, and None when none of these does.
    """
    batches = list(data.checks())

    def accuracy(one: Net) -> float:
        total = Score(0, 0, 0, 0, 0.0)
        for batch in batches:
            total += score_batch(one, data.settings, batch)
        return total.to_json(data.settings.training.kind)["token_accuracy"]

    whole = accuracy(net)
    accuracies = {str(bits): accuracy(rounded(net, bits)) for bits in BITS}
    enough = next((bits for bits in BITS if accuracies[str(bits)] >= whole - LOSS), None)
    count = sum(p.numel() for p in net.parameters())
    return {
        "accuracy": accuracies,
        "float32": whole,
        "enough": enough,
        "bits": None if enough is None else enough * count,
    }


def rounded(net: Net, bits: int) -> Net:
    """The network with every weight rounded to one of 2^bits - 1 levels of its tensor."""
    quantised_net = copy.deepcopy(net)
    most = 2 ** (bits - 1) - 1
    with torch.no_grad():
        for parameter in quantised_net.parameters():
            step = parameter.abs().max() / most if parameter.numel() else parameter.new_zeros(())
            if step > 0:
                parameter.copy_((parameter / step).round().clamp(-most, most) * step)
    return quantised_net
