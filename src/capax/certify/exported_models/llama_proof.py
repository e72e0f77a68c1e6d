"""Whether the answers of a Llama directory are proved: the certificate of the plain model that its bytes stand for.

The plain model is read by `llama_directory.py`, whose lemmas make norms, rotary positions and the second factor of
SwiGLU disappear; the blocks that count positions are the rows of a table by `llama_positions.py`. What is left differs
from a plain model in two ways, which the check of each length allows for: units are SiLUs, and rows have a greatest
length. The first token is a sink by the lemma of `capax.certify.parts.sink_token`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from capax.certify.certificate import ASSUMPTIONS, Certificate, LengthVerdict
from capax.certify.exported_models.llama_directory import LlamaExport, read_llama, with_own_queries
from capax.certify.length_search import Proofs
from capax.certify.not_certified import NotCertified
from capax.certify.parts.sink_token import with_sinks
from capax.certify.pipeline import UnitBounds
from capax.certify.recheck.recheck import program_in, spec_of
from capax.certify.systems import LEAST, check_plain
from capax.errors import CapaxError
from capax.model.export.llama.weights import STEEP
from capax.model.io.container import parse_json
from capax.model.model import Model
from capax.model.parts import Head
from capax.rasp.ir.nodes import SOpNode

PADDED: Final = (
    "each word has a row of the batch of its own, with the token of the tokenizer before it; what fills the row up "
    "stands before or after them, is the token for padding, and is masked"
)
DIVIDED: Final = 2.0**60
"""No norm divides by more: the pinned number is at most this."""


def is_llama(files: Mapping[str, bytes]) -> bool:
    """Whether the configuration among the files is that of a Llama."""
    try:
        config = parse_json(files["config.json"], "config.json", "it")
    except (CapaxError, KeyError):
        return False
    return isinstance(config, dict) and config.get("model_type") == "llama"


def llama_certificate(
    files: Mapping[str, bytes],
    about: Mapping[str, Any],
    before: Sequence[int],
    length: int | None,
    *,
    budget: int | None = None,
) -> Certificate:
    """The certificate at one length, or at the greatest that is proved."""
    numbers = "float32"
    try:
        export = read_llama(files, about, before)
        numbers = export.model.numbers
        for name, array in export.model.arrays():
            check_plain(array, name, numbers, LEAST[numbers] * DIVIDED)
        program, causal = program_in(export.model, budget=budget)
        assert isinstance(program.node, SOpNode)
        spec = spec_of(export.model, program.node, causal=causal)
        model = with_own_queries(with_sinks(export.model, margin=1024 / STEEP))
        _refuse_long_sinks(model, export)
    except CapaxError as error:
        return Certificate(False, 1, (LengthVerdict(numbers, 0, breaks=error.what),), (*ASSUMPTIONS, PADDED))
    except NotCertified as failure:
        return Certificate(False, 1, (LengthVerdict.none(numbers, failure),), (*ASSUMPTIONS, PADDED))
    proofs = Proofs(model, spec, UnitBounds(STEEP, export.reach, DIVIDED))
    verdict = proofs.greatest_length(numbers) if length is None else proofs.at_length(numbers, length)
    margin = verdict.decoding_margin
    verdict = replace(verdict, decoding_margin=None if margin is None else min(margin, 1e300))
    return Certificate(spec.typed, 1, (verdict,), (*Certificate.of(spec.typed, 1, (verdict,)).assumptions, PADDED))


def _refuse_long_sinks(model: Model, export: LlamaExport) -> None:
    """Refuses a first token whose row could be too long for a norm in the middle of a block."""
    for number, block in enumerate(model.blocks, 1):
        row = np.ones(model.width)
        for head in block.heads:
            if isinstance(head, Head) and head.sink is not None:
                row = row + np.abs(head.sink.value).astype(np.float64) @ np.abs(head.output).astype(np.float64)
        if not float(np.sqrt(np.square(row).sum())) <= export.reach / 2:
            raise NotCertified(f"layer {number}: the row of the first token may be too long for a norm", "the norms")
