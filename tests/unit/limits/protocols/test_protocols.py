"""Every protocol gives the answers of the whole model, and counts the bits that were sent."""

import gc
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.limits import protocols
from capax.limits.protocols import autoregressive
from capax.limits.protocols.match3 import alice_tokens, bob_tokens
from capax.limits.protocols.play.one_query import Speaker
from capax.limits.protocols.play.outcome import require_equal
from capax.limits.protocols.play.player import Player
from capax.limits.protocols.sparse_averaging import alice_set, signs
from capax.limits.witnesses.models import composition, match3, sparse_averaging, triangle_graph
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.parts import ATTENTION_KINDS
from capax.model.run.reference import define
from capax.tasks.match3 import TASK as MATCH3
from capax.tasks.q_sparse_averaging import TASK as AVERAGING
from tests.support.models import Draw
from tests.support.models import Shape as AnyShape

TRAINED = Path(__file__).parent.parent / "witnesses" / "trained"
SEEDS = st.integers(0, 10**6)


def test_every_protocol_is_found_by_its_name() -> None:
    assert set(protocols.names()) == {
        "autoregressive",
        "composition",
        "match3",
        "sparse-averaging",
        "triangle-graph",
        "triangle-disjointness",
    }
    for name in protocols.names():
        found = protocols.protocol(name)
        assert found.name == name
        assert found.citation


@settings(max_examples=30, deadline=None)
@given(
    SEEDS, st.integers(2, 9), st.integers(1, 3), st.sampled_from(ATTENTION_KINDS), st.sampled_from(["none", "causal"])
)
def test_composition_runs_on_random_layers(seed: int, n: int, heads: int, kind: Any, mask: Any) -> None:
    """The players' answer is the definition's, for any attention."""
    model = composition.random_layers(n, ToyShape(heads=heads, attention=kind, mask=mask), seed)
    outcome = protocols.protocol("composition").play(model, {"n": n}, {}, seed)
    word = composition_word(n, seed)
    assert outcome.output == int(np.argmax(define(model, word)[-1]))
    assert outcome.bits == sum(8 * len(message.data) for message in outcome.messages)
    assert all(0 <= message.bits - message.exact < 8 for message in outcome.messages)
    if kind == "softmax":
        more = (n - 1).bit_length()
        assert outcome.messages[0].exact == heads * (2 * (4 + 4 + more) + 4 + 1 + more)
        assert outcome.messages[0].counted == heads * 3 * 8


def composition_word(n: int, seed: int) -> list[int]:
    from capax.tasks.composition import TASK

    return TASK.samples(1, n, seed)[0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("n", [6, 12, 16])
def test_composition_runs_on_trained_layers(n: int) -> None:
    from capax.app.files.models import load_model

    model = load_model(TRAINED / f"composition_{n}.safetensors")
    for seed in range(5):
        outcome = protocols.protocol("composition").play(model, {"n": n}, {}, seed)
        assert outcome.output == model(composition_word(n, seed))[-1]


@pytest.mark.parametrize("bits", [(a, b) for a in range(8) for b in range(8)])
def test_match3_decides_disjointness(bits: tuple[int, int]) -> None:
    """The model that solves Match3 says for all sets of three whether they meet."""
    a, b = (f"{x:03b}" for x in bits)
    outcome = protocols.protocol("match3").play(SOLVING_MATCH3, {"n": 3, "modulus": 24}, {"a": a, "b": b}, 0)
    assert outcome.output == outcome.truth == int(bits[0] & bits[1] != 0)


SOLVING_MATCH3 = match3.solving(3, 24)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_tokens_of_match3_encode_disjointness(n: int) -> None:
    """By the task itself: for all sets, and some moduli from 8n on."""
    for modulus in (8 * n, 8 * n + 1, 8 * n + 5):
        for a, b in product(product((0, 1), repeat=n), repeat=2):
            word = [*alice_tokens(a, modulus), *bob_tokens(b, modulus), 1]
            assert MATCH3.reference(word, modulus)[-1] == int(any(x and y for x, y in zip(a, b, strict=True)))


def test_the_signs_of_sparse_averaging_encode_disjointness() -> None:
    """The mean is -1 for disjoint sets and at least -1 + 2/q for others, by the task itself."""
    for q in (1, 2, 3):
        for a, b in product(product((0, 1), repeat=q), repeat=2):
            word = [((float(sign),), tuple(range(q))) for sign in signs(b)]
            word.append(((-1.0,), alice_set(a)))
            mean = AVERAGING.reference(word, q, 1)[-1][0]
            meet = any(x and y for x, y in zip(a, b, strict=True))
            assert mean >= -1 + 2 / q - 1e-12 if meet else mean == -1


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 8), st.integers(1, 3), st.sampled_from(ATTENTION_KINDS))
def test_match3_runs_on_random_layers(seed: int, n: int, heads: int, kind: Any) -> None:
    model = match3.random_layers(n, 8 * n, ToyShape(heads=heads, attention=kind), seed)
    outcome = protocols.protocol("match3").play(model, {"n": n, "modulus": 8 * n}, {}, seed)
    assert len(outcome.messages) == 1


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_sparse_averaging_decides_disjointness(q: int) -> None:
    model = sparse_averaging.solving(q)
    for a in range(2**q):
        for b in range(2**q):
            given_ = {"a": f"{a:0{q}b}", "b": f"{b:0{q}b}"}
            outcome = protocols.protocol("sparse-averaging").play(model, {"q": q}, given_, 0)
            assert outcome.output == outcome.truth == int(a & b != 0)
            assert outcome.exact_bits == outcome.counted_bits == 8 * model.width


@pytest.mark.parametrize("n", [3, 5, 7])
def test_triangles_are_found_by_broadcast(n: int) -> None:
    model = triangle_graph.solving(n)
    for seed in range(8):
        outcome = protocols.protocol("triangle-graph").play(model, {"n": n}, {}, seed)
        assert outcome.output == outcome.truth
        assert len(outcome.messages) == n


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_causal_models_of_any_kind_split(seed: int, counts: list[int]) -> None:
    """Random causal models with sinks, prefixes, hard heads and MLPs: all states and logits of the players agree."""
    shape = AnyShape(masks=("causal", "strict past"), norms=False, pairs=False, scales=(1.0, 2.0), grain=1, reach=3)
    model = Draw(shape, seed).model().to("integer:10,6,6")
    word = np.random.default_rng(seed).choice(["a", "b", "c"], sum(counts)).tolist()
    names = [f"p{i}" for i in range(len(counts))]
    messages, logits, compared = autoregressive.split_run(model, word, counts, names)
    assert compared == (len(word) + len(model.prefix)) * model.width + logits.size
    assert logits[0].tolist() == define(model, word)[-1]
    assert all(names.index(m.sender) < names.index(m.receiver) for m in messages if not m.free)


def reachable(start: Any) -> list[Any]:
    """Everything that an object refers to, directly or not, but for code and the public model."""
    seen: dict[int, Any] = {}
    todo = [start]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (ModuleType, FunctionType, type, Model)):
            continue
        seen[id(item)] = item
        todo += gc.get_referents(item)
        if isinstance(item, np.ndarray) and item.base is not None:
            todo.append(item.base)
    return list(seen.values())


SMALL_CHAIN = {"n": 2, "queries": "2"}


def test_a_player_holds_nothing_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a run no player has a way to another's tokens, nor to another player."""
    made: list[Player] = []
    original = Player.__init__

    def noted(self: Player, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        made.append(self)

    monkeypatch.setattr(Player, "__init__", noted)
    runs: list[tuple[str, Model, dict[str, Any], int]] = [
        ("composition", composition.random_layers(5, ToyShape(), 0), {"n": 5}, 3),
        ("match3", SOLVING_MATCH3, {"n": 3, "modulus": 24}, 2),
        ("sparse-averaging", sparse_averaging.solving(3), {"q": 3}, 2),
        ("triangle-graph", triangle_graph.solving(4), {"n": 4}, 4),
        ("triangle-disjointness", triangle_graph.random_layers(6, ToyShape(2), 0), {"n": 6}, 8),
        ("autoregressive", random_model(ToyShape(2, mask="causal"), range(4), range(4), 8, 0, None), SMALL_CHAIN, 4),
    ]
    assert {name for name, *_ in runs} == set(protocols.names())
    for name, model, sizes, players in runs:
        before = len(made)
        protocols.protocol(name).play(model, sizes, {}, 0)
        assert len(made) - before == players
    for player in made:
        others = [other for other in made if other is not player]
        found = {id(item) for item in reachable(player)}
        assert id(player.tokens) in found
        for other in others:
            assert id(other) not in found
            assert id(other.tokens) not in found
            assert id(other.stream) not in found


def test_what_a_player_says_depends_on_its_tokens_alone() -> None:
    """Another player's tokens do not change a message."""
    n = 6
    model = composition.random_layers(n, ToyShape(), 3)
    one = Speaker("f", model, [1, 2, 3, 4, 5, 0], range(n, 2 * n), 2 * n + 1).speak(2, 2 * n)
    words = [[*g, 1, 2, 3, 4, 5, 0, 2] for g in ([0] * n, [5, 4, 3, 2, 1, 0])]
    said = []
    for word in words:
        outcome = protocols.protocol("composition").play(model, {"n": n}, {"input": str(word)}, 0)
        said.append(outcome.messages[0].data)
    assert said == [one[0], one[0]]


def test_a_difference_is_an_error() -> None:
    """A run that does not give the model's numbers fails, here because a message is changed on its way."""
    with pytest.raises(CapaxError, match="other logits"):
        require_equal(np.array([[1, 2]]), np.array([[1, 3]]), "logits")

    class Lying(Speaker):
        def answer(self, layer: int, queries: Any, queries_at: Any) -> tuple[bytes, int]:
            data, exact = super().answer(layer, queries, queries_at)
            return bytes([data[0] ^ 64]) + data[1:], exact

    model = composition.random_layers(6, ToyShape(reach=5), 1)
    from capax.limits.protocols import composition as module

    honest = module.Speaker
    try:
        module.Speaker = Lying  # type: ignore[misc]
        with pytest.raises(CapaxError) as caught:
            module.play(model, {"n": 6}, {}, 0)
    finally:
        module.Speaker = honest  # type: ignore[misc]
    assert caught.value.code == "protocol-differs"


@pytest.mark.parametrize(
    ("name", "model", "sizes", "given_", "code"),
    [
        ("composition", composition.solving(3), {"n": 3}, {}, "not-splittable"),
        ("composition", composition.random_layers(3, ToyShape(), 0), {"n": 3}, {"input": "[1]"}, "word-length"),
        ("composition", composition.random_layers(3, ToyShape(), 0), {"n": 3}, {"input": "1"}, "bad-option"),
        ("composition", composition.random_layers(3, ToyShape(), 0), {"n": 3}, {"other": "1"}, "bad-option"),
        ("composition", composition.random_layers(3, ToyShape(), 0).to("float64"), {"n": 3}, {}, "number-system"),
        ("match3", SOLVING_MATCH3, {"n": 3, "modulus": 23}, {}, "no-layout"),
        ("match3", SOLVING_MATCH3, {"n": 3, "modulus": 24}, {"a": "01"}, "bad-option"),
        ("autoregressive", composition.solving(3), {"n": 3, "queries": "2"}, {}, "not-splittable"),
        ("triangle-graph", triangle_graph.solving(3), {"n": 3}, {"input": '["011", "001", "110"]'}, "bad-input"),
    ],
)
def test_refusals(name: str, model: Model, sizes: dict[str, Any], given_: dict[str, str], code: str) -> None:
    with pytest.raises(CapaxError) as caught:
        protocols.protocol(name).play(model, sizes, given_, 0)
    assert caught.value.code == code


def test_a_way_to_other_tokens_would_be_seen() -> None:
    """The test above can fail: a player that is handed another's tokens reaches them."""
    model = composition.random_layers(3, ToyShape(), 0)
    one, two = (Player(name, model, [1, 2], [at, at + 1], 7) for at, name in enumerate("ab"))
    assert id(two.tokens) not in {id(item) for item in reachable(one)}
    one.received.append([{"hidden": two.tokens}])  # type: ignore[arg-type]
    assert id(two.tokens) in {id(item) for item in reachable(one)}
