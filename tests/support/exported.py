"""The models that every export is tried on: compiled, made by hand, and trained; causal and not."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import torch

import capax
from capax.model.export.standalone.torch_model import Transformer
from capax.model.model import Model
from tests.support.models import Draw, Shape, with_heads


def compiled(program: str, alphabet: str, length: int, **settings: object) -> Model:
    """The model of a program of the library or of a text."""
    found = getattr(capax.library, program) if program.isidentifier() else capax.Program.from_text(program)
    return capax.compile(found, alphabet=alphabet, max_length=length, words=100, certify=False, **settings).model


def hand_made(mask: str, seed: int = 3) -> Model:
    """A model of softmax heads of one mask, shallow MLPs and a table of positions, of weights that are quarters."""
    shape = Shape(("softmax",), (mask,), norms=False, pairs=False, sinks=False, functions=(), prefix=False)
    found = (Draw(shape, s).model() for s in range(seed, 1000))
    return replace(
        next(
            m
            for m in found
            if m.depth == 2 and m.positions.table is not None and m.input_mlp is None and clear(m)
            if all(b.mlp is None or b.mlp.depth == 1 for b in m.blocks)
        ),
        max_length=8,
    )


def clear(model: Model) -> bool:
    """Whether no answer of a model hangs on rounding: the best logit is well above the second."""
    words = ["a", "ab", "bca", "cabba", "bacbcaab"]
    for logits in model.run(words, many=True).logits:
        if ((logits.max(axis=1) - logits.min(axis=1)) < 1e-3).any():
            return False
    return True


def trained(mask: str, *, norms: bool = False) -> Model:
    """A small model after a few steps of training on the first token of each word."""
    shape = Shape(("softmax",), (mask,), norms=norms, pairs=False, grain=64, decoding=("a", "b", "c"), epsilons=(1e-5,))
    module: Transformer = with_heads(shape).to("float32").to_torch()
    source = torch.Generator().manual_seed(0)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.03)
    for _ in range(20):
        words = ["".join("abc"[int(torch.randint(3, (1,), generator=source))] for _ in range(6)) for _ in range(8)]
        ids, lengths = module.encode(words)
        logits = module(ids, lengths)
        wanted = ids[:, module.config["prefix"] != [] : 1 + (module.config["prefix"] != [])].expand(-1, 6)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Model.from_torch(module)


COMPILED: dict[str, Callable[[], Model]] = {
    "reverse": lambda: compiled("reverse", "abcd", 9),
    "reverse in float64": lambda: compiled("reverse", "abcd", 9, dtype="float64"),
    "sort": lambda: compiled("answer = sort(tokens, tokens);", "abcd", 8),
    "dyck2": lambda: compiled("dyck2_ptf", "(){}", 8),
    "causal induction": lambda: compiled("induction", "abc", 10, causal=True),
    "a share": lambda: compiled('share = aggregate(select(indices, indices, <=), indicator(tokens == "a"));', "ab", 12),
}
"""Programs, which every target can hold, some after compiling them again."""

OTHERS: dict[str, Callable[[], Model]] = {
    "hand-made": lambda: hand_made("none"),
    "hand-made, causal": lambda: hand_made("causal"),
    "hand-made, strict past": lambda: hand_made("strict past"),
    "hand-made, with every part": lambda: with_heads(Shape(), 2),
    "trained": lambda: trained("none"),
    "trained, causal": lambda: trained("causal"),
    "trained, with norms": lambda: trained("causal", norms=True),
}
"""Models without a program, which a target may refuse."""


@cache
def model(name: str) -> Model:
    """The model of a name, made once."""
    return (COMPILED | OTHERS)[name]()
