"""The decoder of a Turing machine: three layers with 1, 2 and 1 heads, and one token for each step.

The head is on cell h after a token. Cell 1 is that of the word's first letter, so the letter at position i stands on
cell i, and the mark after the word counts as a move from cell 0 to cell 1.

Layer 1 looks at all positions equally: the mean of the moves is h / (i + 1). Layer 2 makes h of it: the score 2 j h /
(i + 1) - j^2 / (i + 1) is highest at position j = h, where j and j^2 are to be read; a second head with -j finds
negative cells, and of the two the one with the wrong sign finds position 0. Its MLP makes the cell c = h - m that was
written, and c^2, by multiplying h with the move m. Layer 3 finds the last write to the cell under the head: the score
is -(h - c)^2 + j / (2 i + 2), the first token stands at -1/4 and holds the blank. Its MLP has a unit for each state and
symbol, and writes what comes next.

Beyond the cells for which the numbers suffice a decoder does not guess: the mean of the moves says so by itself, since
h / (i + 1) is then above (cells + 1/2) / (i + 1), and the answer is the token `<far>` for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.turing.machine import Action
from capax.formal.turing.probabilistic import ChanceMachine
from capax.model.model import Model
from capax.model.parts import Array, AttentionKind, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.turing.parts.decoder_limits import DecoderLimits, limits, scale
from capax.theorems.turing.parts.tokens import ChainTokens, Machine
from capax.theorems.weights.stream import Stream, each

IMPOSSIBLE: Final = -16384.0
"""The logit of a token that has probability 0: exp of it is 0."""
MOST_WEIGHTS: Final = 100_000_000
FUNCTIONS: Final = {"i": "i", "i^2": "i^2", "1/(i+1)": "r"}


@dataclass(frozen=True, slots=True)
class StreamLayout:
    """The directions of the stream that all decoders of a machine share."""

    tokens: ChainTokens
    states: Mapping[str, str]
    wrote: Mapping[str, str]
    now: Mapping[str, str]
    then: Mapping[str, str]

    def stream(self, *more: str) -> Stream:
        """The stream, with some directions more."""
        shared = (*self.states.values(), *self.wrote.values(), *self.now.values(), *self.then.values())
        own = ("move", "not right", "not left", "not input", "no cell", "first", "writes", "default")
        return Stream((*more, *own, *shared))


def layout(tokens: ChainTokens) -> StreamLayout:
    """The directions for the states, the symbols and the tokens of a machine."""
    states, symbols = tokens.machine.states, tokens.machine.symbols
    width = 2 * len(symbols) + len(states) + len(tokens.written)
    weights = 2 * width * (len(tokens.machine.rules) + len(tokens.written))
    if weights > MOST_WEIGHTS:
        raise CapaxError(
            "too-large",
            f"the decoder of {len(states):,} states, {len(symbols):,} symbols and {len(tokens.written):,} tokens would "
            f"have {weights:,} weights; the most are {MOST_WEIGHTS:,}",
            hint="take a machine with fewer rules, or fewer tapes",
        )
    return StreamLayout(
        tokens,
        {q: f"state {q}" for q in states},
        {g: f"wrote {g}" for g in symbols},
        {g: f"now {g}" for g in symbols},
        {t: f"then {t}" for t in tokens.written},
    )


def embedding(plan: StreamLayout, stream: Stream) -> Array:
    """The rows of the tokens: the state they lead to, what they write, how they move.

    The first token holds the blank for cells that nobody wrote. The mark after the word begins in the first state; it
    counts as a write that is lower than the first token's blank, so that nobody looks at it.
    """
    tokens, machine = plan.tokens, plan.tokens.machine
    gates = {"not right": 1.0, "not left": 1.0, "not input": 1.0}
    gates |= {plan.then[token]: value for token, value in _undecided(tokens).items()}
    first = {"default": -0.25, "first": 1.0, "no cell": 1.0}
    rows: list[dict[str, float]] = [{**gates, **first, plan.wrote[machine.blank]: 1.0}]
    letter = {**gates, "not input": 0.0, "no cell": 1.0, "writes": 1.0}
    rows += [{**letter, plan.wrote[symbol]: 1.0} for symbol in machine.input]
    rows.append({**gates, **_moving(1), "writes": 1.0, "default": -1.0, plan.states[machine.start]: 1.0})
    for action in tokens.action_tokens:
        row = {**gates, **_moving(action.move), "writes": 1.0}
        rows.append({**row, plan.wrote[action.write]: 1.0, plan.states[action.state]: 1.0})
    # In no state, so that no unit decides and this token follows itself; nobody looks at it, as at the mark.
    rows.append({**gates, "writes": 1.0, "default": -1.0, plan.then[tokens.far]: 1.0})
    return stream.rows(rows)


def _moving(move: int) -> dict[str, float]:
    closed = {"not right": 0.0} if move > 0 else {"not left": 0.0} if move < 0 else {}
    return {"move": float(move), **closed}


def _undecided(tokens: ChainTokens) -> dict[str, float]:
    """Where the tokens stand in the stream if no unit of the last MLP decides; the highest is the halt.

    A unit of a deterministic machine raises one token, and is needed where there is a rule alone. The logarithms of
    probabilities are not added to other numbers, where they would be rounded: those units decide about all tokens.
    """
    if isinstance(tokens.machine, ChanceMachine):
        return {tokens.halt: 1.0}
    return {**dict.fromkeys(tokens.written, -1.0), tokens.halt: -0.5}


def deciding(plan: StreamLayout, stream: Stream) -> Mlp:
    """The last MLP: relu(state + symbol - 1) is 1 at one state and symbol, and decides what comes next."""
    machine, known, halt = plan.tokens.machine, plan.tokens.action_tokens, plan.tokens.halt
    units: dict[str, dict[str, float]] = {}
    writes: dict[str, dict[str, float]] = {name: {} for name in plan.then.values()}
    for state, symbol in product(machine.states, machine.symbols):
        unit, chances = f"{state}, {symbol}", choices(machine, state, symbol)
        if isinstance(machine, ChanceMachine):
            decided = {known[action]: log(p) for action, p in chances.items()} or {halt: 0.0}
            for token, name in plan.then.items():
                writes[name][unit] = decided.get(token, IMPOSSIBLE)
        elif chances:
            writes[plan.then[known[next(iter(chances))]]][unit] = 1.0
        else:
            continue
        units[unit] = {plan.states[state]: 1.0, plan.now[symbol]: 1.0, "": -1.0}
    return stream.mlp([units], writes)


def reading(plan: StreamLayout, stream: Stream) -> Readout:
    """The logits: what the stream says of each token; of a deterministic machine, times so much that one is sure."""
    factor = 1.0 if isinstance(plan.tokens.machine, ChanceMachine) else -2 * IMPOSSIBLE
    return Readout(stream.affine([{name: factor} for name in plan.then.values()]))


def choices(machine: Machine, state: str, symbol: str) -> Mapping[Action, Fraction]:
    """The actions of a machine at a state and symbol, with their probabilities; empty where it halts."""
    if isinstance(machine, ChanceMachine):
        return machine.rules.get((state, symbol), {})
    action = machine.rules.get((state, symbol))
    return {} if action is None else {action: Fraction(1)}


def decoder(
    machine: Machine,
    *,
    attention: str = "hard",
    numbers: str = "float64",
    cells: int | None = None,
    positions: int | None = None,
    table: bool = False,
) -> Model:
    """The decoder of a machine for a number of cells and positions; `limits` says what they are if they are not given.

    With `table` the positions are rows of a table, as in models that have learned positions; the model is then plain if
    its attention is softmax.
    """
    allowed = limits(attention, numbers, cells, positions)
    tokens = ChainTokens(machine)
    plan = layout(tokens)
    stream = plan.stream("i", "i^2", "r", "mean", "h", "h^2", "c", "c^2", "stamp")
    model = Model(
        vocabulary=Vocabulary(tokens.read),
        embedding=embedding(plan, stream),
        positions=stream.positions(FUNCTIONS),
        blocks=_blocks(plan, stream, attention, numbers, allowed),
        readout=reading(plan, stream),
        decoding=Classes(tokens.written),
        names=stream.names,
        max_length=allowed.positions - 1,
        prefix=(tokens.begin,),
        provenance=Provenance(turing=allowed.record(tokens, "lookup")),
    )
    if table:
        rows = model.positions.values(allowed.positions) @ model.positions.weight
        model = replace(model, positions=Positions((), np.zeros((0, stream.width)), rows))
    return model.to(numbers)


def _blocks(
    plan: StreamLayout, stream: Stream, attention: str, numbers: str, allowed: DecoderLimits
) -> tuple[Block, ...]:
    kind: AttentionKind = "average-hard" if attention == "hard" else "softmax"
    factor = 1.0 if attention == "hard" else scale(numbers, allowed.positions)
    mean = stream.head(
        query=[{"": 0.0}], key=[{"": 0.0}], value=[{"move": 1.0}], into=["mean"],
        attention=kind, mask="causal", name="mean of the moves",
    )  # fmt: skip
    finders = tuple(
        stream.head(
            query=[{"mean": 2.0}, {"r": -1.0}], key=[{"i": sign}, {"i^2": 1.0}],
            value=[{"i": sign}, {"i^2": 1.0}], into=["h", "h^2"],
            attention=kind, mask="causal", scale=factor, name=name,
        )
        for sign, name in ((1.0, "the position with the head's cell as number"), (-1.0, "the same for negative cells"))
    )  # fmt: skip
    last = stream.head(
        query=[{"h": 2.0}, {"": -1.0}, {"h^2": -1.0}, {"": 1.0}, {"r": 0.5}],
        key=[
            {"c": 1.0},
            {"c^2": 1.0},
            {"writes": 1.0},
            {"default": 1.0},
            {"stamp": 1.0},
        ],
        value=each(tuple(plan.wrote.values())), into=tuple(plan.now.values()),
        attention=kind, mask="causal", scale=factor, name="the last write to the head's cell",
    )  # fmt: skip
    return (
        stream.block(mean),
        stream.block(*finders, mlp=_products(plan, stream, allowed)),
        stream.block(last, mlp=deciding(plan, stream)),
    )


def too_far(
    plan: StreamLayout, allowed: DecoderLimits
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """The units, and what they write, that say that the head is beyond the cells of a decoder, however far.

    With r = 1 / (i + 1), relu(h r - (cells + 1/2) r) is 0 within the cells and at least r / 2 beyond. The factor puts
    the logit above all others, whatever the last MLP takes from it.
    """
    edge = {"r": -(allowed.cells + 0.5)}
    factor = -4 * IMPOSSIBLE * 2.0 ** allowed.positions.bit_length()
    units = {"too far right": {"mean": 1.0, **edge}, "too far left": {"mean": -1.0, **edge}}
    return units, {plan.then[plan.tokens.far]: dict.fromkeys(units, factor)}


def _products(plan: StreamLayout, stream: Stream, allowed: DecoderLimits) -> Mlp:
    """The MLP of layer 2: the cell c that a token writes, c^2, and its position, which is 0 for the first token.

    For an action and the mark after the word that is h - m, whose square has the product of h and the move m. For a
    letter it is i. A gate takes a number that is larger than any position away where it is closed, and nothing, so
    exactly, where it is open.
    """
    gate = 2.0 ** allowed.positions.bit_length()
    far, refused = too_far(plan, allowed)
    units = {
        **far,
        "h > 0": {"h": 1.0, "no cell": -gate},
        "h < 0": {"h": -1.0, "no cell": -gate},
        "h^2": {"h^2": 1.0, "no cell": -(gate**2)},
        "right": {"not right": -1.0, "": 1.0},
        "left": {"not left": -1.0, "": 1.0},
        "right, h > 0": {"h": 1.0, "not right": -gate},
        "right, h < 0": {"h": -1.0, "not right": -gate},
        "left, h > 0": {"h": 1.0, "not left": -gate},
        "left, h < 0": {"h": -1.0, "not left": -gate},
        "letter": {"i": 1.0, "not input": -gate},
        "letter^2": {"i^2": 1.0, "not input": -(gate**2)},
        "position": {"i": 1.0, "first": -gate},
    }
    twice = {"right, h > 0": -2.0, "right, h < 0": 2.0, "left, h > 0": 2.0, "left, h < 0": -2.0}
    writes = {
        **refused,
        "c": {"h > 0": 1.0, "h < 0": -1.0, "right": -1.0, "left": 1.0, "letter": 1.0},
        "c^2": {"h^2": 1.0, **twice, "right": 1.0, "left": 1.0, "letter^2": 1.0},
        "stamp": {"position": 1.0},
    }
    return stream.mlp([units], writes)
