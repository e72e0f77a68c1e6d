"""Constructions behind the atlas's own claims, tried on all short words."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest

from capax.model.model import Model
from capax.model.parts import Readout
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.weights.stream import Stream, each


def hard(query: np.ndarray, key: np.ndarray, value: np.ndarray, pick: str) -> np.ndarray:
    """What strict past heads copy: from the last, or the first, of the best scores before; 0 where there is none."""
    found = np.zeros_like(value)
    for i in range(1, len(value)):
        scores = query[i] @ key[:i].T
        best = np.flatnonzero(scores == scores.max())
        found[i] = value[best[-1 if pick == "rightmost-hard" else 0]]
    return found


def relu(x: np.ndarray) -> np.ndarray:
    """The network between heads is made of these alone."""
    return np.maximum(x, 0)


def pairs_agree(word: str, partner: Callable[[int], Sequence[int]], pick: str) -> bool:
    """Whether two layers of hard heads with the vectors (1, i, i^2, n) accept a word at its last symbol.

    Layer 1 finds the partner a i + b n + c by the score 2 j (a i + b n + c) - j^2, for positions i with d i + e n + f
    > 0; layer 2 tells whether some pair differs. `partner` gives twice the numbers, and the score is twice as large.
    """
    n = len(word)
    i = np.arange(n)
    a, b, c, d, e, f = partner(n)
    token = np.array([symbol == "a" for symbol in word]).astype(int)
    one = np.ones_like(i)
    query = np.stack([a * i + b * n + c, -one], axis=1)
    key = np.stack([2 * i, 2 * i * i], axis=1)
    there = hard(query, key, token, pick)
    late = relu(d * i + e * n + f) - relu(d * i + e * n + f - 1)
    differs = relu(relu(token - there) + relu(there - token) + late - 1)
    before = hard(one[:, None], differs[:, None], differs, pick)
    return bool((differs + before)[-1] == 0)


def mirror(n: int) -> Sequence[int]:
    """Position n - 1 - i, of positions in the second half."""
    return (-2, 2, -2, 2, -1, 1)


def half(n: int) -> Sequence[int]:
    """Position i - n / 2, of positions in the second half."""
    return (2, -1, 0, 2, -1, 1)


@pytest.mark.parametrize(("pick", "longest"), [("rightmost-hard", 12), ("leftmost-hard", 9)])
def test_hard_attention_with_positions_recognises_palindromes_and_copies(pick: str, longest: int) -> None:
    """All words of at most 12 symbols; copies have an even length, which a predicate of the last position tells."""
    for length in range(1, longest + 1):
        for symbols in product("ab", repeat=length):
            word = "".join(symbols)
            assert pairs_agree(word, mirror, pick) == (word == word[::-1]), word
            if length % 2 == 0 and length <= 8:
                assert pairs_agree(word, half, pick) == (word[: length // 2] == word[length // 2 :]), word


def test_few_kinds_of_halves_cannot_tell_palindromes() -> None:
    """The counting behind PALINDROME not in FO[Mon]: every first half needs a kind of its own."""
    for half_ in range(1, 8):
        words = list(product("ab", repeat=half_))
        kinds = {tuple((u + v[::-1]) == (u + v[::-1])[::-1] for v in words) for u in words}
        assert len(kinds) == 2**half_


def parity_by_steps() -> Model:
    """A decoder of two leftmost-hard heads that writes the parity so far, a token for each symbol, and a verdict."""
    names = ("i", "i^2", "written", "even", "odd", "zero", "one", "mark", "first")
    seen, out = ("saw zero", "saw one", "saw mark"), ("<go>", "<even>", "<odd>", "<accept>", "<reject>")
    stream = Stream((*names, *seen, *out))
    rows: list[dict[str, float]] = [{"zero": 1}, {"one": 1}, {"written": 1, "mark": 1, "even": 1}]
    rows += [{"written": 1, "even": 1}, {"written": 1, "odd": 1}, {}, {}]
    find = stream.head(
        query=[{"": 1}], key=[{"written": 1}], value=[{"i": 1}], into=["first"],
        attention="leftmost-hard", mask="causal", name="the first token that was written",
    )  # fmt: skip
    look = stream.head(
        query=[{"i": 2, "first": -2}, {"": -1}], key=[{"i": 1}, {"i^2": 1}], value=each(("zero", "one", "mark")),
        into=seen, attention="leftmost-hard", mask="causal", name="the next symbol",
    )  # fmt: skip
    after = {
        ("even", "saw zero"): "<even>", ("even", "saw one"): "<odd>", ("even", "saw mark"): "<reject>",
        ("odd", "saw zero"): "<odd>", ("odd", "saw one"): "<even>", ("odd", "saw mark"): "<accept>",
    }  # fmt: skip
    units: dict[str, dict[str, float]] = {f"{q}, {a}": {q: 1, a: 1, "": -1} for q, a in after}
    units["go"] = {"written": -1, "": 1}
    writes: dict[str, dict[str, float]] = {name: {} for name in out}
    for (q, a), token in after.items():
        writes[token][f"{q}, {a}"] = 1
    writes["<go>"]["go"] = 1
    return Model(
        vocabulary=Vocabulary(("0", "1", *out)),
        embedding=stream.rows(rows),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=(stream.block(find), stream.block(look, mlp=stream.mlp([units], writes))),
        readout=Readout(stream.affine(each(out))),
        decoding=Classes(out),
        names=stream.names,
    )


def test_hard_attention_with_steps_recognises_parity() -> None:
    """All words of at most 7 bits, by n + 2 tokens each, the first of which is the end marker."""
    model = parity_by_steps()
    assert {head.attention for block in model.blocks for head in block.heads} == {"leftmost-hard"}
    for length in range(1, 8):
        for word in product("01", repeat=length):
            written = model.generate(word, length + 2)
            assert written[0] == "<go>"
            assert (written[-1] == "<accept>") == (word.count("1") % 2 == 1), word


@pytest.mark.parametrize("pick", ["leftmost-hard", "rightmost-hard"])
def test_without_strict_masks_a_repeated_symbol_changes_nothing(pick: str) -> None:
    """Random causal hard heads without positions: the last value is the same when a symbol is doubled in place."""
    random = np.random.default_rng(7)
    for _ in range(30):
        table = random.normal(size=(2, 4))
        layers = [(random.normal(size=(4, 4)), random.normal(size=(4, 4))) for _ in range(3)]

        def last(word: Sequence[int], table: np.ndarray = table, layers: list = layers) -> np.ndarray:
            x = table[list(word)]
            for score, value in layers:
                new = []
                for i in range(len(x)):
                    scores = np.round(x[i] @ score @ x[: i + 1].T, 9)
                    best = np.flatnonzero(scores == scores.max())
                    new.append(np.tanh(x[i] + x[best[-1 if pick == "rightmost-hard" else 0]] @ value))
                x = np.round(np.stack(new), 9)
            return x[-1]

        word = list(random.integers(2, size=6))
        for at in range(6):
            assert np.array_equal(last(word), last([*word[: at + 1], *word[at:]]))
