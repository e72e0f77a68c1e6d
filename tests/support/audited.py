"""Small random models and specifications to audit, and what is true of them, by running every word."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from capax.auditor.decode import ClassDecode, SignDecode
from capax.auditor.question import Question, Read
from capax.auditor.spec import Answer, Spec, SpecStates, Word
from capax.model.model import Model
from capax.model.parts import ACTIVATIONS, Affine, Array, Block, Head, Mlp, Norm, Readout, Sink
from capax.model.positions import Positions
from capax.model.vocabulary import Classes, Vocabulary


@dataclass(frozen=True)
class Kind:
    """What a random model is made of."""

    heads: int = 1
    letters: int = 2
    norm: str | None = "layer"
    place: str = "before"
    activation: str = "gelu-tanh"
    mask: str = "causal"
    sink: bool = False
    prefix: bool = True
    blocks_around: bool = False
    scale: float = 1.0
    numbers: str = "float64"


def random_kind(rng: np.random.Generator) -> Kind:
    """A kind of model, every option drawn."""
    return Kind(
        heads=int(rng.integers(1, 3)),
        letters=int(rng.integers(2, 4)),
        norm=[None, "layer", "rms"][rng.integers(3)],
        place=["before", "after"][rng.integers(2)],
        activation=ACTIVATIONS[rng.integers(3)],
        mask=["none", "causal", "strict past", "future", "strict future"][rng.integers(5)],
        sink=bool(rng.integers(2)),
        prefix=bool(rng.integers(2)),
        blocks_around=bool(rng.integers(2)),
        scale=float(rng.choice([0.3, 1.0, 4.0])),
    )


def random_model(rng: np.random.Generator, kind: Kind, width: int = 5, hidden: int = 6) -> Model:
    """A model with random weights that are float32 numbers."""

    def draw(*shape: int, size: float = 1.0) -> Array:
        return (rng.standard_normal(shape) * size).astype(np.float32).astype(np.float64)

    def affine(a: int, b: int) -> Affine:
        return Affine(draw(a, b, size=a**-0.5), draw(b, size=0.3))

    def norm() -> Norm | None:
        gain = np.float64(np.float32(1.0)) + draw(width, size=0.2)
        gain = gain.astype(np.float32).astype(np.float64)
        return None if kind.norm is None else Norm(kind.norm, gain, draw(width, size=0.2), 1e-5)  # type: ignore[arg-type]

    def mlp() -> Mlp:
        return Mlp((affine(width, hidden), affine(hidden, width)), kind.activation)  # type: ignore[arg-type]

    heads = []
    for _ in range(kind.heads):
        sink = Sink(draw(3), draw(2)) if kind.sink else None
        maps = (affine(width, 3), affine(width, 3), affine(width, 2))
        scale = float(np.float32(kind.scale))
        heads.append(Head(*maps, draw(2, width), mask=kind.mask, sink=sink, scale=scale))  # type: ignore[arg-type]
    layer = Block(tuple(heads), draw(width, size=0.2), mlp(), norm(), norm())
    other = (Block((), draw(width, size=0.2), mlp(), norm(), norm()),) if kind.blocks_around else ()
    tokens = (*"abc"[: kind.letters], "^", "$")
    return Model(
        Vocabulary(tokens),
        draw(len(tokens), width),
        Positions((), np.zeros((0, width)), draw(20, width, size=0.5)),
        (*other, layer, *other),
        Readout(affine(width, 2), norm()),
        Classes((False, True)),
        tuple(f"x{k}" for k in range(width)),
        numbers=kind.numbers,
        input_mlp=mlp() if kind.blocks_around else None,
        max_length=18,
        prefix=("^",) if kind.prefix else (),
        norm_place=kind.place,  # type: ignore[arg-type]
    )


def random_states(rng: np.random.Generator, letters: int, dead: bool = True) -> SpecStates:
    """An automaton of three states, some of whose steps may be missing."""
    step = rng.integers(-1 if dead else 0, 3, (3, letters))
    step[:, 0] = np.abs(step[:, 0])
    return SpecStates(step, 0, rng.integers(-1 if dead else 0, 2, 3))


def states_spec(states: SpecStates, letters: str, answers: tuple[Answer, ...] = (False, True)) -> Spec:
    """The specification that an automaton gives."""

    def answers_of(words: Any) -> list[list[Answer | None]]:
        return [_answers(states, letters, word, answers) for word in words]

    return Spec("states", "automaton", tuple(letters), answers_of, answers, lambda n: states, prefixes=True)


def _answers(states: SpecStates, letters: str, word: Word, answers: tuple[Answer, ...]) -> list[Answer | None]:
    result: list[Answer | None] = []
    for k in range(len(word)):
        state = states.after([letters.index(str(x)) for x in word[: k + 1]])
        number = -1 if state == -1 else int(states.answer[state])
        result.append(None if number == -1 else answers[number])
    return result


def asked(model: Model, states: SpecStates, read: Read, signs: bool = False) -> Question:
    """The question whether a model's answers are those of an automaton."""
    letters = "".join(str(t) for t in model.vocabulary.tokens[:-2])
    end = "$" if read == "end" else None
    if signs:
        answers: tuple[Answer, ...] = (frozenset({True}), frozenset({False, True}))
        return Question(model, states_spec(states, letters, answers), read, SignDecode((False, True)), end)
    return Question(model, states_spec(states, letters), read, ClassDecode((False, True)), end)


def domain(question: Question, n: int) -> list[Word]:
    """All words of n letters that a question is about."""
    assert question.spec.states is not None
    states = question.spec.states(n)
    return [
        word
        for word in product(question.spec.letters, repeat=n)
        if states.after([question.spec.number[x] for x in word]) != -1
    ]


def true_margins(question: Question, n: int, numbers: str | None = None) -> dict[tuple[Word, int], float]:
    """The margin of every answer that is asked, by word and position, by running the model on every word."""
    words = domain(question, n)
    if not words:
        return {}
    model = question.model if numbers is None else replace(question.model, numbers=numbers)
    logits = model.run([question.tokens(word) for word in words], many=True).logits
    result = {}
    for word, out, right in zip(words, logits, question.right(words), strict=True):
        for position, answer in zip(question.asked(n), right, strict=True):
            if answer is not None:
                result[word, position] = question.decode.requirement(answer).margin(out[position])
    return result


def reordered(model: Model, rng: np.random.Generator) -> Model:
    """The same function with its coordinates and hidden units in another order, so that sums are."""
    d = rng.permutation(model.width)

    def norm(one: Norm | None) -> Norm | None:
        return None if one is None else replace(one, gain=one.gain[d], bias=one.bias[d])

    def mlp(one: Any) -> Any:
        if one is None:
            return None
        hidden = rng.permutation(one.maps[0].outputs)
        first, last = one.maps
        first = Affine(first.weight[d][:, hidden], first.bias[hidden])
        return replace(one, maps=(first, Affine(last.weight[hidden][:, d], last.bias[d])))

    def head(one: Any) -> Any:
        maps = {name: Affine(m.weight[d], m.bias) for name, m in (("query", one.query), ("key", one.key))}
        return replace(one, **maps, value=Affine(one.value.weight[d], one.value.bias), output=one.output[:, d])

    blocks = tuple(
        Block(tuple(map(head, b.heads)), b.bias[d], mlp(b.mlp), norm(b.attention_norm), norm(b.mlp_norm))
        for b in model.blocks
    )
    table = None if model.positions.table is None else model.positions.table[:, d]
    return replace(
        model,
        embedding=model.embedding[:, d],
        positions=replace(model.positions, weight=model.positions.weight[:, d], table=table),
        blocks=blocks,
        input_mlp=mlp(model.input_mlp),
        readout=replace(
            model.readout,
            map=Affine(model.readout.map.weight[d], model.readout.map.bias),
            norm=norm(model.readout.norm),
        ),
    )
