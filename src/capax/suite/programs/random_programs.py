"""Random programs that make sense: drawn from a grammar, and kept if every part of them matters."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.interpretability.graph import head_name, head_of
from capax.model.interpretability.interchange import ExchangePlan
from capax.model.interpretability.lens_model import LensModel, answer_codes, run, words_of_length
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.python.program import SOp
from capax.suite.levels.level_model import soundness
from capax.suite.levels.rotate import rotated
from capax.suite.levels.soften import SOFTER, softened
from capax.suite.programs.random_grammar import LETTERS, DrawnPart, RandomPrograms, whole_text
from capax.suite.programs.suite_program import CompiledCase, SuiteProgram, compiled_case

STRATA: Final = ((0, 8), (9, 20), (21, 10_000))
"""Programs are kept in three strata, by their edges."""
PATIENCE: Final = 20
"""So many programs are tried for each that a stratum wants, until any stratum will do."""
LAYERS, WIDTH = 8, 64
"""A model with more is too large."""


@dataclass(slots=True)
class RandomDraw:
    """Programs that were kept, and why others were not."""

    tried: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    answers: set[bytes] = field(default_factory=set)
    kept: list[int] = field(default_factory=lambda: [0] * len(STRATA))


def random_programs(count: int, seed: int, draw: RandomDraw | None = None) -> Iterator[SuiteProgram]:
    """So many random programs that pass all filters, a third of each stratum as long as enough are found."""
    draw, source = draw or RandomDraw(), RandomPrograms(seed)
    most = -(-count // len(STRATA))
    while sum(draw.kept) < count:
        draw.tried += 1
        causal, depth = source.random.random() < 0.5, source.pick(1, 2, 2, 3, 3, 4)
        try:
            outcome = _kept(source.program(depth), causal, draw, most, f"random-{seed}-{sum(draw.kept) + 1:02}")
        except CapaxError as error:
            outcome = error.code
        if isinstance(outcome, str):
            draw.reasons[outcome] = draw.reasons.get(outcome, 0) + 1
        else:
            yield outcome


def _kept(drawn: DrawnPart, causal: bool, draw: RandomDraw, most: int, name: str) -> SuiteProgram | str:
    """The program if it passes all filters, else why not; the cheapest filters come first."""
    sop = drawn.op
    if not isinstance(sop, SOp):
        return "a constant"
    words = [word for n in (3, 4) for word in product(LETTERS, repeat=n)][:108]
    if len({repr(answer) for answer in evaluate_batch(sop.node, words)}) < 10:
        return "few answers"
    program = SuiteProgram(name, "random", whole_text(drawn, causal=causal), sop.to_text(), LETTERS, causal, wide=True)
    case = compiled_case(program, plan=ExchangePlan(lengths=(3, 5, 8)))
    reason = _too_plain(case) or _seen(case.lens, draw.answers) or _too_close(case.lens)
    if reason is not None:
        return reason
    stratum = next(i for i, (low, high) in enumerate(STRATA) if low <= len(case.edges) <= high)
    # larger programs are rare: after a while others stand in for them
    if draw.kept[stratum] >= most and draw.tried < PATIENCE * most:
        return "its stratum is full"
    draw.kept[stratum] += 1
    draw.answers.add(_table(case.lens))
    return program


def _too_plain(case: CompiledCase) -> str | None:
    """What a case lacks: a head, letters, an edge that is not shown."""
    lens = case.lens
    if lens.shape.layers > LAYERS or lens.width > WIDTH:
        return "too large"
    heads = [
        head_name(layer, head)
        for layer in range(lens.shape.layers)
        for head in range(lens.shape.heads)
        if lens.block(layer, "attn.W_O")[head].any()
    ]
    if not heads:
        return "no head"
    readers = {edge.edge.reader for edge in case.edges}
    if any(head not in readers for head in heads):
        return "a head outside the circuit"
    if not any(edge.edge.source == "input" for edge in case.edges):
        return "letters are not read"
    if not any(head_of(edge.edge.source) and edge.same_length is not None for edge in case.edges):
        return "no head matters for words of one length"
    return None if case.confirmed else "an edge without a witness"


def _too_close(lens: LensModel) -> str | None:
    """Whether rounding comes near to the margins once the stream is turned, as it is on most levels."""
    words = [words_of_length(lens, n, 1_000) for n in (5, 8)]
    answers = [answer_codes(lens, run(lens, rows).logits) for rows in words]
    turned, _, _ = rotated(softened(lens, SOFTER), 0, "inside")  # what the levels try last
    return None if soundness(turned, words, answers).sound else "answers too close"


def _table(lens: LensModel) -> bytes:
    """The answers on all words of length 5."""
    codes = answer_codes(lens, run(lens, words_of_length(lens, 5, 1_000)).logits)
    return repr(lens.decoding).encode() + np.ascontiguousarray(codes).tobytes()


def _seen(lens: LensModel, answers: set[bytes]) -> str | None:
    return "the same answers as another" if _table(lens) in answers else None
