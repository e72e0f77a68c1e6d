"""What stands beside a Llama directory: its certificate, and the model card."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.export.hugging_face.card import how_to_run, program_of
from capax.model.export.hugging_face.certificate import TESTED, not_proved, proved_length, statement
from capax.model.export.hugging_face.convert import Converted
from capax.model.export.hugging_face.tokens import TokenIds
from capax.model.export.llama.weights import PIN, STEEP
from capax.model.export.uniform import needed
from capax.model.model import Model
from capax.model.provenance import Record

ASSUMPTIONS: Final = (
    "the weights are run as they are, in the dtype of the configuration, and in evaluation mode",
    "a norm adds up squares in any order, each sum rounded to the nearest; 1 / sqrt of a power of 4 is exact",
    "silu(x) is x for x >= 24 and 0 up to 2^-64 for x <= -64, and within 2^-16 of x / (1 + exp(-x)) between them",
    "in bfloat16, where positions are counted, products are added up in float32 and rounded once",
    "frequencies of rotary positions are divided in float32, where they become 0; then cos is 1 and sin is 0",
)


def llama_certificate_json(
    converted: Converted, config: Record, answers: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The certificate as plain data; `answers` is what is proved of the answers."""
    length = proved_length(answers)
    norms = f"in rows no longer than {PIN * 2.0**-13:.6g} every norm changes nothing that is read"
    return {
        "version": 1,
        "class": config["architectures"][0],
        "dtype": config["dtype"],
        "norms": "neutralised",
        "figures": {
            "width": config["hidden_size"],
            "heads": config["num_attention_heads"],
            "heads_used": needed(converted.model)[0],
            "pinned_number": PIN,
            "factor_before_silu": STEEP,
        },
        "assumptions": list(ASSUMPTIONS),
        "proved": [norms, *([statement(converted, length)] if length else [])],
        "not_proved": not_proved(converted, answers, length),
        "answers": answers,
        "tested": [TESTED],
    }


def llama_card(converted: Converted, tokens: TokenIds, model: Model, config: Record, known: Record) -> str:
    """The text of the card."""
    parts = [
        *how_to_run(converted, tokens, model, config),
        f"## Numbers\n\n{_NUMBERS.format(dtype=config['dtype'])}",
        f"## How it is built\n\n{_HOW.format(**known['figures'])}",
        f"## What is known\n\n{_known(converted, known)}",
        *program_of(model),
    ]
    return "\n\n".join(parts) + "\n"


_NUMBERS = (
    "The answers hold in **{dtype}**, which the configuration sets. **Do not load it in another dtype**, quantise it "
    "or use autocast: it may then give wrong answers without a warning."
)
_HOW = (
    "Direction 0 of the stream holds one large number at every token, so that the norms multiply by a power of two and "
    "their gains divide by it again: they change nothing. What a map reads at direction 0 is 1, in place of biases. "
    "Rotary positions are switched off by `rope_scaling`. Where the program needs positions, a first head gives the "
    "BOS token the weight 1 / (a + 1) at position a, and two blocks make the exact position of it. SwiGLU units "
    "compute ReLUs: the gate is multiplied by 2^40, and the other factor is 1. Heads are a power of two in number, so "
    "that they divide the width: a layer uses at most {heads_used} of {heads}, and the others are zeros."
)


def _known(converted: Converted, known: Record) -> str:
    length = proved_length(known["answers"])
    lines = [f"Proved from these files: {statement(converted, length)}."] if length else []
    lines += [f"Not proved: {one}." for one in known["not_proved"]]
    return " ".join([*lines, f"Tested: {TESTED}.", "`capax verify --certificate .` checks the proof again."])
