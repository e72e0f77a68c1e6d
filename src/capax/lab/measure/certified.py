"""What is proved of a network that began as a compiled program: its certificate, and all words run one by one."""

from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np
import torch

from capax.certify import certify
from capax.certify.recheck.recheck import spec_of
from capax.lab.attention_targets import program_of
from capax.lab.data import Data
from capax.lab.measure.to_model import to_model
from capax.lab.settings import Settings
from capax.lab.train.from_compiled import answer_key, compiled_model, program_text
from capax.lab.train.make import Net
from capax.rasp.ir.nodes import SOpNode
from capax.tasks.base.training import Array, Token

MOST_WORDS: Final = 30_000
"""Lengths with more words than this are not run one by one."""


def proved_now(net: Net, settings: Settings) -> tuple[int, int] | tuple[None, None]:
    """Up to which length a network is certified, and up to which all words are right, where the settings ask for it."""
    return (certified_length(net, settings), right_up_to(net, settings)) if settings.certify else (None, None)


def certified_length(net: Net, settings: Settings) -> int:
    """Up to which length the certifier proves that the network's weights compute the program; 0: it proves nothing."""
    compiled, node = compiled_model(settings), program_of(program_text(settings)).node
    assert isinstance(node, SOpNode)
    spec = spec_of(compiled, node, causal=False)
    (verdict,) = certify(to_model(net, settings), spec, (compiled.numbers,)).verdicts
    return verdict.length


def right_up_to(net: Net, settings: Settings) -> int:
    """The greatest length up to which every word was run and every answer is the program's."""
    longest, vocabularies = 0, Data(settings).vocabularies
    text = program_text(settings)
    for n in range(settings.min_length, settings.max_length + 1):
        if len(vocabularies.inputs) ** n > MOST_WORDS:
            break
        inputs, answers = _words(text, vocabularies.inputs, vocabularies.outputs, n)
        with torch.no_grad():
            logits, _ = net(torch.from_numpy(inputs), None)
        if not np.array_equal(logits.argmax(dim=2).numpy(), answers):
            break
        longest = n
    return longest


@lru_cache(maxsize=32)
def _words(text: str, tokens: tuple[Token, ...], outputs: tuple[Token, ...], n: int) -> tuple[Array, Array]:
    """All words of length n and the program's answers, as numbers."""
    inputs = np.array(list(product(range(len(tokens)), repeat=n)), dtype=np.int64)
    column = {answer_key(value): k for k, value in enumerate(outputs)}
    words = [[tokens[k] for k in row] for row in inputs]
    answers = [[column[answer_key(value)] for value in row] for row in program_of(text).batch(words)]
    return inputs, np.array(answers, dtype=np.int64)
