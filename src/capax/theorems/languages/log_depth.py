"""Any automaton by logarithmic depth.

Statement: for every automaton with s states and every N there is a transformer of ceil(log2 N) layers with one head of
key dimension 4 in each, positions i and i^2, and one stage of at most s^3 + 2 s^2 ReLU units, the same in every layer,
that answers at every position of every word of at most N letters whether the automaton accepts the word up to there.
Idea: a letter is a map of states, as s^2 bits. Layer l reads the map of the 2^l letters before those that it knows and
composes the two: the bit (q, s) is the sum over r of relu(first(q, r) + second(r, s) - 1). The sink holds the identity,
for positions with fewer letters before them. With one bit for each of the m maps that words make: m^2 + 2 m units.
Cite: Liu, Ash, Goel, Krishnamurthy and Zhang (2023), Transformers learn shortcuts to automata: every automaton by O(log
N) layers, by composing prefixes.
Scope: scores are integers up to N^2: N is at most 6.7e7 in float64 and 2,896 in float32. More than 2e7 weights in the
MLP of a layer are refused. Constant depth for star-free and abelian automata is in `star-free` and `modular-counters`;
for automata with groups that are not solvable it would put NC1 into TC0.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.model.model import Model
from capax.model.parts import AttentionKind, Block
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.automata.map_codes import Code, code
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.proofs import proved_language
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


NAME = "log-depth"
LONGEST = {"float64": 67_000_000, "float32": 2_896}


def layers_for(length: int) -> int:
    """ceil(log2 N): this many doublings reach the first letter from the last."""
    return (length - 1).bit_length()


def by_doubling(
    dfa: Dfa, form: str, attention: AttentionKind, length: int, numbers: str, layers: int | None = None
) -> Model:
    """The model of an automaton for words of at most `length` letters."""
    if length > LONGEST[numbers]:
        raise CapaxError("bad-option", f"{numbers} holds positions up to {LONGEST[numbers]:,} squared", hint="float64")
    maps = code(dfa, form)
    depth = layers_for(length) if layers is None else layers
    return doubling(dfa, maps, depth, attention, STEEP[numbers], length).to(numbers)


@dataclass(frozen=True, slots=True)
class LogDepthParameters:
    """The parameters of the theorem."""

    pattern: str = parameter("(a|b(ab*a)*b)*", "a regular expression")
    alphabet: str = parameter("ab", "the letters of words")
    form: str = parameter("states", "the code of a map of states", choices=("states", "monoid", "shorter"))
    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    length: int = parameter(40, "the greatest length N", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: LogDepthParameters) -> Model:
    """The model of a regular expression's minimal automaton."""
    return by_doubling(regex_dfa(at.pattern, at.alphabet), at.form, at.attention, at.length, at.dtype)


def verify(model: Model, at: LogDepthParameters) -> Report:
    """Whether a model accepts what the automaton does: all short words, and random ones."""
    return recognises(model, regex_dfa(at.pattern, at.alphabet), at.length)


def prove(model: Model, at: LogDepthParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, regex_dfa(at.pattern, at.alphabet), at.length, least=least)


def size(at: LogDepthParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    built = construct(at).size
    maps = code(dfa, at.form)
    by_states = maps.form == "states"
    units = dfa.size**3 + 2 * dfa.size**2 if by_states else len(maps.bits) ** 2 + 2 * len(maps.bits)
    return (
        SizeRow("states s of the minimal automaton", dfa.size),
        SizeRow("layers", built.attention_layers, layers_for(at.length), "ceil(log2 N)"),
        SizeRow("heads per layer", max(built.heads, default=0), 1),
        SizeRow("width of the stream", built.width, "2 s^2 + 2" if by_states else "2 m + 2", f"by {maps.form}"),
        SizeRow("ReLU units", built.hidden, units, "s^3 + 2 s^2" if by_states else "m^2 + 2 m, m maps"),
        SizeRow("greatest length", at.length, at.length),
    )


def break_it(at: LogDepthParameters) -> Report:
    """One layer less: the first half of a long word is not seen."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    model = by_doubling(dfa, at.form, at.attention, at.length, at.dtype, layers=max(0, layers_for(at.length) - 1))
    words = random_words(dfa, at.length, 300)
    return recognises_some(
        model, dfa, words, f"words of {at.length} letters by {model.depth} layers", seed=LANGUAGES.seed
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Every automaton, for words up to a length."""
    if isinstance(thing, Dfa):
        what = "prefixes composed by doubling; softmax"
        yield Route(NAME, what, lambda: by_doubling(thing, "shorter", "softmax", max_length, "float64"), max_length)


THEOREM = theorem_in(
    __name__,
    LogDepthParameters,
    assumptions=("positions i and i^2", "a sink that holds the identity map"),
    attention="softmax, average-hard; causal masks",
    computes="regex:{pattern}",
    precision="2 log2 N + 1 bits",
    small=(
        {"form": "monoid"},
        {"form": "shorter", "attention": "average-hard", "length": 17},
        {"pattern": "(ab|ba)*", "length": 33, "dtype": "float32"},
        {"pattern": ".*a..", "length": 1},
        {"pattern": "(aa)*", "length": 200},
    ),
    large=(
        {"length": 5_000},
        {"pattern": ".*a...", "form": "shorter", "length": 300},
        {"pattern": "(ab|ba)*", "length": 64, "dtype": "float32"},
        {"pattern": "(aa)*", "length": 1_000},
    ),
)
