"""Automata by doubling: after layer l, each position knows the map of the last 2^l letters."""

from capax.formal.automata.dfa import Dfa
from capax.model.model import Model
from capax.model.parts import AttentionKind, Block
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.automata.map_codes import Code
from capax.theorems.weights.stream import Stream, Terms, each


def doubling(dfa: Dfa, maps: Code, layers: int, attention: AttentionKind, scale: float, length: int) -> Model:
    """The model of an automaton whose every position knows the last 2^layers letters, for words of at most `length`."""
    here = [f"here {bit}" for bit in maps.bits]
    earlier = [f"earlier {bit}" for bit in maps.bits]
    stream = Stream(("i", "i^2", *here, *earlier))
    mlp_units: dict[str, Terms] = {}
    writes: dict[str, dict[str, float]] = {}
    for name in (*here, *earlier):  # what was there is taken away
        mlp_units[f"old {name}"] = {name: 1.0}
        writes[name] = {f"old {name}": -1.0}
    for f, g, h in maps.products:
        unit = f"{earlier[f]}, {here[g]}"
        mlp_units[unit] = {earlier[f]: 1.0, here[g]: 1.0, "": -1.0}
        writes[here[h]][unit] = 1.0
    mlp = stream.mlp([mlp_units], writes)
    blocks = []
    for layer in range(layers):
        far = _back(stream, 1 << layer, maps, here, earlier, attention, scale)
        blocks.append(Block(far.heads, far.bias, mlp))
    rows = {symbol: {here[bit]: 1.0 for bit in maps.letters[a]} for a, symbol in enumerate(dfa.alphabet)}
    return recogniser(
        stream,
        rows,
        tuple(blocks),
        {here[bit]: 1.0 for bit in maps.accepting},
        positions={"i": "i", "i^2": "i^2"},
        max_length=length,
    )


def _back(
    stream: Stream,
    distance: int,
    maps: Code,
    here: list[str],
    earlier: list[str],
    attention: AttentionKind,
    scale: float,
) -> Block:
    """The layer's head: the position so far before this one, and the map that changes nothing where there is none.

    The score -(i - d - j)^2 is 0 at that position and at most -1 elsewhere; the sink's is -1/2.
    """
    d = float(distance)
    head = stream.head(
        query=[{"i": 2.0, "": -2 * d}, {"": -1.0}, {"i": 2 * d, "i^2": -1.0, "": -d * d}, {"": 1.0}],
        key=[{"i": 1.0}, {"i^2": 1.0}, {"": 1.0}, {}],
        value=each(here),
        into=earlier,
        sink=((0.0, 0.0, 0.0, -0.5), [float(bit in maps.identity) for bit in range(len(here))]),
        attention=attention,
        mask="causal",
        scale=1.0 if attention.endswith("hard") else scale,
        name=f"{distance} back",
    )
    return stream.block(head)
