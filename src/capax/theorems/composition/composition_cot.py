"""Composition of K functions by one layer and K steps of a chain of thought.

Statement: for all n and K there is a causal transformer of one layer with one head of dimension 2 and no MLP that, from
the prompt f_1(0) ... f_1(n-1) ... f_K(0) ... f_K(n-1) x, generates the tokens f_1(x), f_2(f_1(x)), ...: after K steps
f_K(...f_1(x)...), greedily.
Idea: the token at position K n + t holds the value after t functions; it reads the position t n + v, and t n is linear
in its own position.
Cite: Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture, on chains of thought for
iterated composition, where many steps are also needed; Barcelo, Kozachinskiy and Steifer (2025): one layer of hard
attention needs exactly K steps (cited, not checked here).
Scope: generation is the runtime's, with cached keys and values. That fewer steps are not enough is cited, not checked
here. Scores are exact while 2 K^2 n^3 stays below 2^53 (float64) or 2^24 (float32); for K = 2 that is n up to 1e5 and
127. The prompt's own tokens look up positions that do not exist, which does no harm.
"""

from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Evidence, Report, joined
from capax.tasks.composition import FUNCTIONS, TASK
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, require_short
from capax.theorems.proofs import proved_inputs
from capax.theorems.weights.lookup import SCALE, lookup, whole_numbers
from capax.theorems.weights.stream import Stream

STREAM = Stream(("i", "i^2", "v", "next"))
EVERY = 600


@dataclass(frozen=True, slots=True)
class CompositionCotParameters:
    """The parameters of the theorem."""

    n: int = parameter(4, "the number of points", 2, 5_000)
    functions: int = like(FUNCTIONS)
    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: CompositionCotParameters) -> Model:
    """The model for functions on 0 ... n-1."""
    require_short(at.functions * at.n + 1, "take fewer points or functions")
    # At position i = K n + t the table of step t + 1 begins at t n = n i - K n^2.
    position = {"v": 1.0, "i": float(at.n), "": -float(at.functions * at.n * at.n)}
    head = lookup(
        STREAM,
        position,
        [{"v": 1.0}],
        ["next"],
        attention=at.attention,
        mask="causal",
        scale=SCALE[at.dtype],
        name="the value of the next function",
    )
    return Model(
        vocabulary=Vocabulary(tuple(range(at.n))),
        embedding=STREAM.rows([{"v": float(x)} for x in range(at.n)]),
        positions=STREAM.positions({"i": "i", "i^2": "i^2"}),
        blocks=(STREAM.block(head),),
        readout=whole_numbers(STREAM, "next", at.n),
        decoding=Classes(tuple(range(at.n))),
        names=STREAM.names,
        max_length=at.functions * at.n + at.functions,
    ).to(at.dtype)


def verify(model: Model, at: CompositionCotParameters) -> Report:
    """Whether a model's chain of thought has the value after each function: every prompt if few, and random ones."""
    parts: list[Report] = []
    assert TASK.every is not None
    if at.n ** (at.functions * at.n + 1) <= EVERY:
        words = list(TASK.every(at.n, functions=at.functions))
        parts.append(
            chains(model, words, at.functions, f"every prompt with {at.functions} functions on {at.n} points", None)
        )
    drawn = TASK.samples(max(3, min(40, 6_000 // (at.n * at.functions))), at.n, SEED, functions=at.functions)
    parts.append(
        chains(model, drawn, at.functions, f"random prompts with {at.functions} functions on {at.n:,} points", SEED)
    )
    return joined(f"{at.functions} generated tokens compose {at.functions} functions", tuple(parts))


def prove(model: Model, at: CompositionCotParameters, least: int) -> ModelProof | None:
    """Whether every token of the chain is right after the right ones before it: then generation gives them all."""
    k, n = at.functions, at.n

    def chain(prompt: list[int]) -> list[int]:
        return [TASK.reference([*prompt[: t * n], prompt[k * n]], functions=t) for t in range(1, k + 1)]

    assert TASK.every is not None
    every = TASK.every
    return proved_inputs(
        model,
        lambda: ([*prompt, *chain(prompt)[:-1]] for prompt in every(n, functions=k)),
        lambda word: [None] * (k * n) + chain(word),
        f"prompts with {k} functions on {n} points, at each token of the chain after the right ones before it",
        n ** (k * n + 1),
        one_answer=False,
    )


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


def size(at: CompositionCotParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("generated tokens", at.functions, at.functions, "exactly K for hard attention (cited)"),
    )


def break_it(at: CompositionCotParameters) -> Report:
    """The answer after one step less."""
    model = construct(at)
    statement = f"the token generated after {at.functions - 1} of {at.functions} steps as the answer"
    for count, word in enumerate(TASK.samples(200, at.n, SEED, functions=at.functions), 1):
        got = model.generate(word, at.functions - 1)[-1] if at.functions > 1 else word[-1]
        if got != (right := TASK.reference(word, functions=at.functions)):
            wrong = {"word": word, "model": got, "right": right}
            return Report(statement, "sampled", False, count, SEED, counterexample=wrong)
    return Report(statement, "sampled", True, 200, SEED)


THEOREM = theorem_in(
    __name__,
    CompositionCotParameters,
    assumptions=("positions i and i^2", "greedy generation"),
    attention="softmax, average-hard; causal mask",
    precision="2 log2(K n^2) bits",
    breaks="construction",
    task="composition",
    small=({"n": 2}, {"n": 3, "functions": 5, "attention": "average-hard"}, {"n": 100, "functions": 6}),
    large=({"n": 1_000, "functions": 10},),
)
