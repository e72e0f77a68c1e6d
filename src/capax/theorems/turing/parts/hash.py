"""The decoder without positions: cells are told apart by their layer-norm hash.

A mean over all positions of "this is the first token" is r = 1 / (i + 1), and the mean of the moves is h r. A layer
norm of (h r, r, -h r, -r) is (h, 1, -h, -1) / sqrt(h^2 + 1) up to a factor: it does not depend on i. Two such vectors
of cells h and c have the product 1 if h = c, and at most 1 - g else, with g = 1 / (2 (H^2 + 1)((H - 1)^2 + 1)) for
cells in -H ... H. So the head of the last layer has the score hash(h) . hash(c) - (g / 2) / (j + 1): of equal cells the
latest wins, and the first token, at 1 - g / 2, when nobody wrote the cell.

The norms of this runtime normalise the whole stream. Therefore what is to be hashed is made so large that nothing
else counts: 2^30 (float64: 2^80) times for h, the square of it for c, which is hashed after h. A layer whose only
part is an MLP after a norm reads the hash and writes it down.

Rounding. A norm of D numbers is within (D + 8) u of the right factor, and its direction within 8 u, sums before it
included; a score is then within e = (2 (D + 8) + 20) u. The latest position wins if (g / 2)(1 / (j + 1) - 1 / (j + 2))
> 2 e for all j < P, so if g > 4 e (P + 1)^2: the number of positions and cells that this allows is small.
"""

import math
from typing import Final

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array, Block, Mlp, Norm
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.turing.parts.decoder import StreamLayout, deciding, embedding, layout, reading, too_far
from capax.theorems.turing.parts.decoder_limits import DIGITS, DecoderLimits
from capax.theorems.turing.parts.tokens import ChainTokens, Machine
from capax.theorems.weights.stream import Stream, each

LARGE: Final = {"float64": 2.0**80, "float32": 2.0**30}
OWN: Final = (
    "begin", "silent", "mean", "r", "shift",
    *(f"{kind} {n}" for kind in ("big h", "big c", "hash h", "hash c") for n in range(4 if "big" in kind else 2)),
)  # fmt: skip


def gap(cells: int) -> float:
    """What the product of the hashes of two different cells in -cells ... cells is at least below 1."""
    return 1 / (2 * (cells**2 + 1) * ((cells - 1) ** 2 + 1))


def score_error(numbers: str, width: int) -> float:
    """How far a computed score may be off in a stream of a width."""
    return (2 * (width + 8) + 20) * 2.0 ** -DIGITS[numbers]


def hash_limits(numbers: str, width: int, cells: int | None = None, positions: int | None = None) -> DecoderLimits:
    """The cells and positions for which a decoder by hashes is right; what cannot be kept is refused."""
    error = score_error(numbers, width)

    def most(h: int) -> int:
        return max(0, math.isqrt(int(gap(h) / (4 * error))) - 1)

    if cells is None:
        cells = 1
        while most(cells + 1) >= (cells + 1 if positions is None else positions):
            cells += 1
        positions = min(cells, most(cells)) if positions is None else positions
    elif positions is None:
        positions = most(cells)
    if not 2 <= positions <= most(cells):
        raise CapaxError(
            "word-length",
            f"hashes in {numbers} tell cells up to {cells:,} and {most(cells):,} positions apart, not {positions:,}",
            hint="ask for fewer steps or cells, or take the decoder with positions",
        )
    return DecoderLimits(cells, positions)


def hash_decoder(
    machine: Machine, *, numbers: str = "float64", cells: int | None = None, positions: int | None = None
) -> Model:
    """The decoder of a machine by layer-norm hashes; it has no positions, two attention layers and hard attention."""
    width = layout(ChainTokens(machine)).stream(*OWN).width
    allowed = hash_limits(numbers, width, cells, positions)
    return unchecked(machine, numbers, allowed.cells, allowed.positions)


def unchecked(machine: Machine, numbers: str, cells: int, positions: int) -> Model:
    """The decoder for a number of cells and positions, whether rounding allows for them or not."""
    tokens = ChainTokens(machine)
    plan = layout(tokens)
    stream = plan.stream(*OWN)
    limits = DecoderLimits(cells, positions)
    return Model(
        vocabulary=Vocabulary(tokens.read),
        embedding=embedding(plan, stream) + _marks(tokens, stream),
        positions=stream.positions({}),
        blocks=_blocks(plan, stream, LARGE[numbers], limits),
        readout=reading(plan, stream),
        decoding=Classes(tokens.written),
        names=stream.names,
        max_length=positions - 1,
        prefix=(tokens.begin,),
        provenance=Provenance(turing=limits.record(tokens, "hash")),
    ).to(numbers)


def _marks(tokens: ChainTokens, stream: Stream) -> Array:
    """What the first token and the mark after the word have besides: they write no cell, and have scores of their own.

    The first token has 1, less g / 2 as every key at position 0; the mark is far below.
    """
    rows: list[dict[str, float]] = [{} for _ in tokens.read]
    rows[0] = {"begin": 1.0, "silent": 1.0, "default": 1.25}
    for mark in (tokens.go, tokens.far):
        rows[tokens.read.index(mark)] = {"silent": 1.0, "default": -3.0}
    return stream.rows(rows)


def _blocks(plan: StreamLayout, stream: Stream, large: float, allowed: DecoderLimits) -> tuple[Block, ...]:
    g = gap(allowed.cells)
    mean = stream.head(
        query=[{"": 0.0}], key=[{"": 0.0}], value=[{"move": 1.0}, {"begin": 1.0}], into=["mean", "r"],
        attention="average-hard", mask="causal", name="means of the moves and of the first token",
    )  # fmt: skip
    last = stream.head(
        query=[{"hash h 0": 1.0}, {"hash h 1": 1.0}, {"": 1.0}, {"": -g / 2}],
        key=[{"hash c 0": 1.0}, {"hash c 1": 1.0}, {"default": 1.0}, {"r": 1.0}],
        value=each(tuple(plan.wrote.values())), into=tuple(plan.now.values()),
        attention="average-hard", mask="causal", name="the last write to the head's cell",
    )  # fmt: skip
    return (
        stream.block(mean, mlp=_enlarged_head(plan, stream, large, allowed)),
        _hashed(stream, "big h", "hash h"),
        stream.block(mlp=_enlarged_cell(stream, large * large)),
        _hashed(stream, "big c", "hash c"),
        stream.block(last, mlp=deciding(plan, stream)),
    )


def _enlarged_head(plan: StreamLayout, stream: Stream, large: float, allowed: DecoderLimits) -> Mlp:
    """Writes large (h r, r, -h r, -r), and what makes c r of h r: r times the move, or 1 - r for a letter at cell i."""
    far, refused = too_far(plan, allowed)
    units = {
        **far,
        "h r > 0": {"mean": 1.0},
        "h r < 0": {"mean": -1.0},
        "r": {"r": 1.0},
        "right": {"r": 1.0, "not right": -1.0},
        "left": {"r": 1.0, "not left": -1.0},
        "letter": {"": 1.0, "r": -1.0, "not input": -1.0},
    }
    writes = {
        **refused,
        "big h 0": {"h r > 0": large, "h r < 0": -large},
        "big h 1": {"r": large},
        "big h 2": {"h r > 0": -large, "h r < 0": large},
        "big h 3": {"r": -large},
        "shift": {"right": -1.0, "left": 1.0, "letter": 1.0},
    }
    return stream.mlp([units], writes)


def _enlarged_cell(stream: Stream, large: float) -> Mlp:
    """Writes large (c r, r, -c r, -r) for tokens that write a cell; those that do not get zeros, so no hash."""
    units = {
        "c r > 0": {"mean": 1.0, "shift": 1.0, "silent": -1.0},
        "c r < 0": {"mean": -1.0, "shift": -1.0, "silent": -1.0},
        "r": {"r": 1.0, "silent": -1.0},
    }
    writes = {
        "big c 0": {"c r > 0": large, "c r < 0": -large},
        "big c 1": {"r": large},
        "big c 2": {"c r > 0": -large, "c r < 0": large},
        "big c 3": {"r": -large},
    }
    return stream.mlp([units], writes)


def _hashed(stream: Stream, big: str, small: str) -> Block:
    """A layer without heads: a norm, and an MLP that writes two of its numbers down, as a vector of length 1."""
    d = stream.width
    gain = stream.rows([{f"{big} {n}": math.sqrt(2 / d) for n in range(2)}])[0]
    units = {f"{n}{sign}": {f"{big} {n}": 1.0 if sign == "+" else -1.0} for n in range(2) for sign in "+-"}
    mlp = stream.mlp([units], {f"{small} {n}": {f"{n}+": 1.0, f"{n}-": -1.0} for n in range(2)})
    zeros = stream.rows([{}])[0]
    return Block((), zeros, mlp, mlp_norm=Norm("layer", gain, zeros, 0.0))
