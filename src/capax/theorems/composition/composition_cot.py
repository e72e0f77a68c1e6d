"""Composition of K functions by one layer and K steps of a chain of thought.

Statement: for all n and K there is a causal transformer of one layer with one head of dimension 2 and no MLP that, from
the prompt f_1(0) ... f_1(n-1) ... f_K(0) ... f_K(n-1) x, generates the tokens f_1(x), f_2(f_1(x)), ...: after K steps
f_K(...f_1(x)...), greedily.
Idea: the token at place K n + t holds the value after t functions; it reads the place t n + v, and t n is linear in its
own place.
Cite: Peng, Narayanan and Papadimitriou (2024), on chains of thought for iterated composition, where many steps are also
needed; Barcelo, Kozachinskiy and Steifer (2025): one layer of hard attention needs exactly K steps (recalled).
Scope: generation is the runtime's, with kept keys and values. That fewer steps do not do is cited, not shown.
"""

from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Evidence, Report, joined
from capax.tasks.base.parameter import Parameter
from capax.tasks.composition import FUNCTIONS, TASK
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.checks import SEED, require_short
from capax.theorems.weights.logits import whole_numbers
from capax.theorems.weights.lookup import SCALE, lookup
from capax.theorems.weights.stream import Stream

STREAM = Stream(("i", "i^2", "v", "next"))
EVERY = 600


def construct(n: int, functions: int, attention: AttentionKind, numbers: str) -> Model:
    """The model for functions on 0 ... n-1."""
    require_short(functions * n + 1, "take fewer points or functions")
    # At place i = K n + t the table of step t + 1 begins at t n = n i - K n^2.
    place = {"v": 1.0, "i": float(n), "": -float(functions * n * n)}
    head = lookup(
        STREAM,
        place,
        [{"v": 1.0}],
        ["next"],
        attention=attention,
        mask="causal",
        scale=SCALE[numbers],
        name="the value of the next function",
    )
    return Model(
        vocabulary=Vocabulary(tuple(range(n))),
        embedding=STREAM.rows([{"v": float(x)} for x in range(n)]),
        positions=STREAM.positions({"i": "i", "i^2": "i^2"}),
        blocks=(STREAM.block(head),),
        readout=whole_numbers(STREAM, "next", n),
        decoding=Classes(tuple(range(n))),
        names=STREAM.names,
        max_length=functions * n + functions,
    ).to(numbers)


def verify(model: Model, n: int, functions: int, attention: AttentionKind, numbers: str) -> Report:
    """Whether a model's chain of thought has the value after each function: every prompt if few, and random ones."""
    parts: list[Report] = []
    assert TASK.every is not None
    if n ** (functions * n + 1) <= EVERY:
        words = list(TASK.every(n, functions=functions))
        parts.append(chains(model, words, functions, f"every prompt with {functions} functions on {n} points", None))
    drawn = TASK.samples(max(3, min(40, 6_000 // (n * functions))), n, SEED, functions=functions)
    parts.append(chains(model, drawn, functions, f"random prompts with {functions} functions on {n:,} points", SEED))
    return joined(f"{functions} generated tokens compose {functions} functions", tuple(parts))


def chains(model: Model, words: list[list[int]], functions: int, statement: str, seed: int | None) -> Report:
    """The check of generated tokens against the values after each function."""
    evidence: Evidence = "exhaustive" if seed is None else "sampled"
    for word in words:
        n = (len(word) - 1) // functions
        values = [TASK.reference([*word[: k * n], word[-1]], functions=k) for k in range(1, functions + 1)]
        got = model.generate(word, functions)
        if got != values:
            wrong = {"word": word, "model": got, "right": values}
            return Report(statement, evidence, False, len(words), seed, counterexample=wrong)
    return Report(statement, evidence, True, len(words), seed)


def size(n: int, functions: int, attention: AttentionKind, numbers: str) -> tuple[Row, ...]:
    """The sizes beside the bounds."""
    made = construct(n, functions, attention, numbers).size
    return (
        Row("layers", made.attention_layers, 1),
        Row("heads", made.heads[0], 1),
        Row("head dimension", made.head_dimension, "O(1)"),
        Row("width of the stream", made.width, "O(1)"),
        Row("generated tokens", functions, functions, "exactly K for hard attention (cited)"),
    )


def break_it(n: int, functions: int, attention: AttentionKind, numbers: str) -> Report:
    """The answer after one step less."""
    model = construct(n, functions, attention, numbers)
    statement = f"the token generated after {functions - 1} of {functions} steps as the answer"
    for count, word in enumerate(TASK.samples(200, n, SEED, functions=functions), 1):
        got = model.generate(word, functions - 1)[-1] if functions > 1 else word[-1]
        if got != (right := TASK.reference(word, functions=functions)):
            wrong = {"word": word, "model": got, "right": right}
            return Report(statement, "sampled", False, count, SEED, counterexample=wrong)
    return Report(statement, "sampled", True, 200, SEED)


THEOREM = Theorem(
    name="composition-cot",
    title="Composition of K functions by one layer and K steps of a chain of thought",
    statement=(
        "For all n and K, a causal transformer with one layer, one head of dimension 2 and no MLP generates f_1(x), "
        "f_2(f_1(x)), ..., f_K(...f_1(x)...) after every prompt that lists K functions on 0 ... n-1 and then x."
    ),
    assumptions=("positions i and i^2", "greedy generation"),
    attention="softmax, average-hard; causal mask",
    precision="2 log2(K n^2) bits",
    citation=(
        "Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture; Barcelo, "
        "Kozachinskiy and Steifer (2025) for the number of steps (recalled)"
    ),
    parameters=(
        Parameter("n", 4, "the number of points", 2, 5_000),
        FUNCTIONS,
        Parameter("attention", "softmax", "the kind of attention", choices=("softmax", "average-hard")),
        Parameter("numbers", "float64", "the number system", choices=("float64", "float32")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    breaks="construction",
    limits=(
        "Scores are exact while 2 K^2 n^3 stays below 2^53 (float64) or 2^24 (float32); for K = 2 that is n up to 1e5 "
        "and 127. The prompt's own places ask for places that are not there, which does no harm."
    ),
    task="composition",
    small=({"n": 2}, {"n": 3, "functions": 5, "attention": "average-hard"}, {"n": 100, "functions": 6}),
    large=({"n": 1_000, "functions": 10},),
)
