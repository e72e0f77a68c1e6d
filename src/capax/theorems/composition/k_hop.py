"""k-hop induction by pointer doubling.

Statement: for all k, N and alphabets of s tokens there is a causal transformer of floor(log2 k) + 2 layers with one
head of dimension at most 4 each, no MLP, and width O(log k), that at every position i of every word of at most N tokens
answers the token at find^k(i), or -1 where that is nowhere; find(i) is the last j <= i whose token before is x_i.
Idea: find(i) is one position after the last earlier occurrence of x_i, so one head finds the pointer P = find. Each
further layer reads at the position P(i) what stands there: the pointer P(P(i)), which doubles the hops, and the answer
so far, which adds them where k has a bit. One position before the word points to itself and means nowhere.
Cite: Sanford, Hsu and Telgarsky (2024), Transformers, parallel computation, and logarithmic depth: depth floor(log2 k)
+ 2 with one head (depth cited, not checked here).
Scope: scores are whole numbers up to (4 N + 4) s^2 + N, refused above 2^53 (float64) or 2^24 (float32). Less depth is
ruled out only under a conjecture: that connectivity takes logarithmically many rounds of parallel computation.
"""

from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import AttentionKind, Head
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Report
from capax.tasks.k_hop import HOPS, NOWHERE, SYMBOLS, TASK
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, TASKS, agreement, checked, sampled
from capax.theorems.proofs import proved_task
from capax.theorems.weights.lookup import SCALE, lookup, whole_numbers
from capax.theorems.weights.stream import Stream, family

NO_TOKEN = "before"
LARGEST = {"float64": 2.0**53, "float32": 2.0**24}


def doubling(hops: int, symbols: int, length: int, attention: AttentionKind, scale: float) -> Model:
    """The model for words of at most `length` tokens."""
    bits = hops.bit_length()
    pointers, answers = family("hop", bits), family("answer", bits + 1)
    stream = Stream(("i", "i^2", "x", "x^2", NO_TOKEN, *pointers, *answers))
    rows: list[dict[str, float]] = [{NO_TOKEN: 1.0, answers[0]: float(NOWHERE)}]
    rows += [{"x": float(x), "x^2": float(x * x), answers[0]: float(x)} for x in range(symbols)]
    blocks = [stream.block(_last_same(stream, pointers[0], length, attention, scale))]
    for bit in range(bits):
        # The answer after the hops of the lower bits; where the bit of k is not set it stays what it was.
        values, into = [{pointers[bit]: 1.0}] if bit + 1 < bits else [], list(pointers[bit + 1 : bit + 2])
        if hops >> bit & 1:
            latest = max(b for b in range(bit + 1) if b == 0 or hops >> (b - 1) & 1)
            values, into = [*values, {answers[latest]: 1.0}], [*into, answers[bit + 1]]
        position = {pointers[bit]: 1.0}
        head = lookup(
            stream, position, values, into, attention=attention, mask="causal", scale=scale, name=f"{1 << bit} hops"
        )
        blocks.append(stream.block(head))
    return Model(
        vocabulary=Vocabulary((NO_TOKEN, *range(symbols))),
        embedding=stream.rows(rows),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=tuple(blocks),
        readout=whole_numbers(stream, answers[bits], symbols + 1, NOWHERE),
        decoding=Classes(tuple(range(NOWHERE, symbols))),
        names=stream.names,
        max_length=length,
        prefix=(NO_TOKEN,),
    )


def _last_same(stream: Stream, into: str, length: int, attention: AttentionKind, scale: float) -> Head:
    """The head that finds the position after the last earlier occurrence of the own token, or position 0.

    The score is j - w (x_i - x_j)^2 with w = 2 N + 2: at least 1 on the same token, at most -N - 2 on others, and
    -N - 1 on the position before the word.
    """
    w = 2.0 * length + 2
    return stream.head(
        query=[{"x": 2 * w}, {"": -w}, {"x^2": -w}, {"": 1.0}],
        key=[{"x": 1.0}, {"x^2": 1.0}, {"": 1.0, NO_TOKEN: -1.0}, {"i": 1.0, NO_TOKEN: -float(length + 1)}],
        value=[{"i": 1.0, "": 1.0, NO_TOKEN: -1.0}],
        into=[into],
        attention=attention,
        mask="strict past",
        scale=1.0 if attention.endswith("hard") else scale,
        name="after the last same token",
    )


def _checked_size(symbols: int, length: int, numbers: str) -> None:
    """Refuses sizes whose scores the number system does not hold exactly."""
    largest = (2 * length + 2) * 2 * symbols**2 + length
    if largest > LARGEST[numbers]:
        raise CapaxError(
            "bad-option",
            f"scores of up to {largest:,} are not exact in {numbers}",
            hint="take a shorter length, fewer symbols, or float64",
        )


@dataclass(frozen=True, slots=True)
class KHopParameters:
    """The parameters of the theorem."""

    hops: int = like(HOPS)
    symbols: int = like(SYMBOLS)
    length: int = parameter(60, "the greatest length N", 2, 20_000)
    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: KHopParameters) -> Model:
    """The model for k hops in words of at most `length` tokens."""
    _checked_size(at.symbols, at.length, at.dtype)
    return doubling(at.hops, at.symbols, at.length, at.attention, SCALE[at.dtype]).to(at.dtype)


def verify(model: Model, at: KHopParameters) -> Report:
    """Whether a model answers k hops: all short words, and random ones."""
    return checked(model, TASK, at.length, trials=replace(TASKS, every=4_000), hops=at.hops, symbols=at.symbols)


def prove(model: Model, at: KHopParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, hops=at.hops, symbols=at.symbols)


def size(at: KHopParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, at.hops.bit_length() + 1, "floor(log2 k) + 2"),
        SizeRow("heads per layer", max(built.heads), 1),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow("width of the stream", built.width, "O(1)", "2 directions for each bit of k: nothing is overwritten"),
        SizeRow("MLPs", 0, "any function"),
        SizeRow("layers with one hop each", at.hops + 1, "", "without doubling"),
    )


def break_it(at: KHopParameters) -> Report:
    """One layer less: half the hops, or for a single hop no answer at all."""
    model = construct(replace(at, hops=max(1, at.hops // 2)))
    statement = f"{at.hops} hops by the model for {max(1, at.hops // 2)}, which has {model.depth} layers"
    if at.hops == 1:
        model = replace(model, blocks=model.blocks[:1])
        statement = "1 hop by the first layer alone, which finds the position and does not read it"
    words = sampled(TASK, at.length, 200, hops=at.hops, symbols=at.symbols)
    return agreement(model, TASK, words, statement, seed=SEED, hops=at.hops, symbols=at.symbols)


THEOREM = theorem_in(
    __name__,
    KHopParameters,
    assumptions=("positions i and i^2", "one token before the word"),
    attention="softmax, average-hard; causal masks",
    computes="task:k-hop?hops={hops}&symbols={symbols}",
    precision="O(log N + log s) bits",
    breaks="construction",
    task="k-hop",
    small=(
        {"hops": 1},
        {"hops": 3, "attention": "average-hard"},
        {"hops": 7, "symbols": 2},
        {"hops": 13, "symbols": 5, "length": 300},
        {"hops": 16, "symbols": 10, "length": 200, "dtype": "float32"},
    ),
    large=({"hops": 100, "symbols": 40, "length": 2_000},),
)
