"""Training a small transformer to imitate a program: how the models of the level `imitated` were made.

`imitation_bytes("first-occurrence")` trains one; it is given only if it is right on all words of up to 8 letters.
"""

import io
from typing import Any, Final

import numpy as np
import torch

from capax.errors import CapaxError
from capax.model.export.standalone.lens_load import hooked
from capax.model.interpretability.interchange import all_words
from capax.model.interpretability.lens_model import LensModel, answer_codes, run
from capax.model.parts import Array
from capax.suite.levels.level_model import soundness
from capax.suite.programs.suite_program import LENGTH, CompiledCase, compiled_case, written_programs

SIZES: Final = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_head": 8, "d_mlp": 64}
RATE, BATCH, STEPS, EVERY = 4e-3, 384, 1500, 50
"""The highest rate, words in a batch, the most steps, and how often the model is tested."""


def imitate(case: CompiledCase, seed: int = 0, steps: int = STEPS) -> LensModel:
    """A transformer with random weights, trained until it gives the program's answers on all words."""
    torch.manual_seed(seed)
    draw, lens = np.random.default_rng(seed), case.lens
    config: dict[str, Any] = {**lens.config, **SIZES, "act_fn": "gelu_new", "normalization_type": "LN", "eps": 1e-5}
    model = hooked(config, {name: torch.tensor(array) for name, array in _random(config, draw).items()})
    model.train()
    words = all_words(lens, LENGTH)
    answers = [answer_codes(lens, run(lens, rows).logits) for rows in words]
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    for step in range(1, steps + 1):
        length = int(draw.choice(len(words), p=_chances(len(words))))
        chosen = draw.integers(0, len(words[length]), BATCH)
        logits = model(torch.tensor(words[length][chosen]))[:, lens.start :]
        expected = torch.tensor(answers[length][chosen])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), expected.flatten())
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        schedule.step()
        if step % EVERY == 0 and float(loss.detach()) < 0.02:
            result = _as_lens(lens, config, model)
            if soundness(result, words, answers).sound:
                return result
    raise CapaxError("bad-suite", f"{case.program.id} was not learned in {steps} steps, with the seed {seed}")


def _random(config: dict[str, Any], draw: np.random.Generator) -> dict[str, Array]:
    """Random weights; norms with gain 1, and all biases 0."""
    d, h, k, m = (int(config[name]) for name in ("d_model", "n_heads", "d_head", "d_mlp"))
    shapes: dict[str, tuple[int, ...]] = {
        "embed.W_E": (int(config["d_vocab"]), d),
        "pos_embed.W_pos": (int(config["n_ctx"]), d),
        "unembed.W_U": (d, int(config["d_vocab_out"])),
        "unembed.b_U": (int(config["d_vocab_out"]),),
        "ln_final.w": (d,),
        "ln_final.b": (d,),
    }
    block: dict[str, tuple[int, ...]] = {"attn.W_O": (h, k, d), "attn.b_O": (d,), "ln1.w": (d,), "ln1.b": (d,)}
    block |= {f"attn.W_{letter}": (h, d, k) for letter in "QKV"} | {f"attn.b_{letter}": (h, k) for letter in "QKV"}
    block |= {
        "ln2.w": (d,),
        "ln2.b": (d,),
        "mlp.W_in": (d, m),
        "mlp.b_in": (m,),
        "mlp.W_out": (m, d),
        "mlp.b_out": (d,),
    }
    for layer in range(int(config["n_layers"])):
        shapes |= {f"blocks.{layer}.{name}": shape for name, shape in block.items()}
    return {name: _filled(name.rpartition(".")[2], shape, draw) for name, shape in shapes.items()}


def _filled(kind: str, shape: tuple[int, ...], draw: np.random.Generator) -> Array:
    if kind.startswith("W_"):
        return np.asarray(draw.normal(size=shape) / np.sqrt(shape[-2]), np.float32)
    return np.full(shape, float(kind == "w"), np.float32)


def _chances(lengths: int) -> Array:
    """How often words of each length are drawn: the longest in half of the batches."""
    chances = np.full(lengths, 0.5 / max(1, lengths - 1))
    chances[-1] = 1 - chances[:-1].sum()
    return chances


def _as_lens(lens: LensModel, config: dict[str, Any], model: Any) -> LensModel:
    """The weights that a model has now."""
    kept = {name: value for name, value in model.state_dict().items() if not name.endswith((".mask", ".IGNORE"))}
    tensors = {name: value.detach().numpy().astype(np.float32) for name, value in kept.items()}
    limits = (lens.min_length, lens.max_length)
    return LensModel(config, tensors, lens.tokens, lens.alphabet, lens.prefix, lens.decoding, *limits)


def imitation_bytes(program: str, seed: int = 0) -> bytes:
    """The weights of an imitation of a program, by its id, as the .npz file that the level `imitated` reads."""
    known = {one.id: one for kind in ("library", "family") for one in written_programs(kind)}
    if program not in known:
        raise CapaxError("bad-suite", f"there is no program {program!r:.40}", hint=f"known are {', '.join(known)}")
    buffer = io.BytesIO()
    tensors: dict[str, Any] = dict(imitate(compiled_case(known[program]), seed).tensors)
    np.savez_compressed(buffer, **tensors)
    return buffer.getvalue()
