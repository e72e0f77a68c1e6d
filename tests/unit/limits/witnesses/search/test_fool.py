"""Models that cannot are fooled, models that can are not, and no false witness holds."""

import ast
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import select, selector_width, theorems, tokens
from capax.app.files.models import load_model
from capax.errors import CapaxError
from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.message_counts import reason
from capax.limits.witnesses.check.plain_message import message
from capax.limits.witnesses.check.read_witness import read_witness
from capax.limits.witnesses.check.truths import NotAnInputError, truth
from capax.limits.witnesses.claimed_task import claim_of, is_rounded, quantised
from capax.limits.witnesses.models import composition, match3, sparse_averaging, triangle_graph
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.limits.witnesses.models.toy_model import ToySizes, toy_model
from capax.limits.witnesses.search.fool import Fooling, fool
from capax.limits.witnesses.search.one_query import OneQuery
from capax.limits.witnesses.search.trials import trial_of
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.provenance import Provenance
from tests.house.tree import SRC, imports_of
from tests.support.models import Draw
from tests.support.models import Shape as Parts
from tests.support.outcomes import count_outcome, least_share

TRAINED = Path(__file__).parent.parent / "trained"
SEEDS = st.integers(0, 10**6)
UNSHARED = (
    *("limits.witnesses.search", "limits.protocols", "limits.witnesses.models", "limits.witnesses.claim"),
    *("model.run.run", "model.run.split", "model.run.forward", "tasks"),
)
"""What the search uses and the check must not."""
SOLVING = {
    "composition": composition.solving(4),
    "match3": match3.solving(1, 8),
    "sparse-averaging": sparse_averaging.solving(3),
    "triangle-graph": triangle_graph.solving(4),
}


def ticks(count: int) -> Callable[[], float]:
    """Time that is used up after so many looks at the clock."""
    looks = iter(range(count + 1))
    return lambda: next(looks, count + 1) / count


def looked(model: Model, task: str, count: int = 12, seed: int = 0) -> Fooling:
    """The search; a witness that it gives has to hold at the second look."""
    found = fool(model, task, {}, seed=seed, used=ticks(count))
    if found.witness is not None:
        report = check_witness(read_witness(json.dumps(found.witness), "w"), model)
        assert report.holds, str(report)
    return found


@pytest.mark.parametrize("task", SOLVING)
def test_a_model_that_solves_its_task_is_not_fooled(task: str) -> None:
    found = looked(SOLVING[task], task)
    assert found.witness is None
    assert not found.guaranteed


@pytest.mark.parametrize("n", [6, 12, 16, 24])
def test_trained_layers_are_fooled(n: int) -> None:
    found = looked(load_model(TRAINED / f"composition_{n}.safetensors"), "composition", 50)
    assert found.witness is not None
    assert found.witness["kind"] == "equal-transcripts"
    assert found.guaranteed


@least_share("guaranteed", 0.5)
@settings(max_examples=10, deadline=None)
@given(SEEDS, st.sampled_from([(4, 1, 2), (8, 1, 1), (12, 1, 2), (16, 1, 2)]), st.sampled_from(["none", "causal"]))
def test_random_layers_inside_the_guarantee_are_fooled(seed: int, sizes: tuple[int, int, int], mask: Any) -> None:
    n, heads, dim = sizes
    model = composition.random_layers(n, ToyShape(heads=heads, dim=dim, mask=mask), seed)
    found = looked(model, "composition", 40)
    count_outcome("guaranteed" if found.guaranteed else "not guaranteed")
    if found.guaranteed:
        assert found.witness is not None
        assert found.witness["kind"] == "equal-transcripts"


@pytest.mark.parametrize(
    ("model", "task", "kind"),
    [
        (composition.side_by_side(4), "composition", "equal-transcripts"),
        (composition.random_layers(5, ToyShape(attention="leftmost-hard"), 0), "composition", "equal-transcripts"),
        (composition.random_layers(5, ToyShape(layers=2), 0), "composition", "wrong-answer"),
        (match3.random_layers(14, 112, ToyShape(), 0), "match3", "equal-transcripts"),
        (sparse_averaging.random_keys(3, 1, 1, 0), "sparse-averaging", "equal-transcripts"),
        (random_model(ToyShape(), (0, 1), (0, 1), 16, 0, {"task": "parity", "n": 16}), "parity", None),
        (
            random_model(
                ToyShape(mask="causal"),
                range(4),
                range(4),
                8,
                0,
                {"task": "sequential-composition", "n": 2, "queries": "2"},
            ),
            "sequential-composition",
            "wrong-answer",
        ),
    ],
)
def test_models_that_cannot_are_fooled(model: Model, task: str, kind: str | None) -> None:
    found = looked(model, task, 30)
    assert found.witness is not None
    assert kind is None or found.witness["kind"] == kind


def forged(task: str, random: np.random.Generator) -> dict[str, Any]:
    """A witness against a model that solves its task, made up of random inputs."""
    model = SOLVING[task]
    trial = trial_of(model, claim_of(model, task))
    rows = trial.sample(random, 2).tolist()
    kind = str(random.choice(["equal-transcripts", "wrong-answer"]))
    words = [trial.word(row) for row in rows][: 2 if kind == "equal-transcripts" else 1]
    at = trial.read_at if trial.read_at is not None else int(random.integers(len(words[0])))
    made = {
        "format": "capax-witness",
        "version": 1,
        "kind": kind,
        "task": dict(model.provenance.layout),
        "numbers": model.numbers,
        "model": model.key(),
        "inputs": words,
        "read_at": at,
        "answers": [model(word)[at] for word in words],
        "method": "forgery",
        "seed": 0,
    }
    if trial.tolerance:
        made |= {"tolerance": trial.tolerance, "unit": trial.unit}
    return made | (recorded(model, made) if kind == "equal-transcripts" else {})


def recorded(model: Model, made: dict[str, Any]) -> dict[str, Any]:
    """What a witness of two inputs says besides, as the argument has it where there is one."""
    system, sizes = parse(model.numbers), {k: v for k, v in made["task"].items() if k != "task"}
    assert isinstance(system, Integer)
    if made["task"]["task"] == "triangle-graph":
        return {"sender": [0], "guaranteed": False, "why": "", "message_bits": 1}
    own = reason(model, system, made["task"]["task"], sizes, made["inputs"][0])
    return {"sender": own.sender, "guaranteed": own.guaranteed, "why": own.why, "message_bits": own.message_bits}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SOLVING)), SEEDS)
def test_no_false_witness_holds(task: str, seed: int) -> None:
    """Whatever a witness says of a model that solves its task, it does not hold."""
    random = np.random.default_rng(seed)
    made = forged(task, random)
    match int(random.integers(4)):
        case 0:
            made["inputs"] = [made["inputs"][0]] * len(made["inputs"])
        case 1:
            made["read_at"] = int(random.integers(len(made["inputs"][0])))
        case 2 if made["kind"] == "equal-transcripts":
            made["sender"] = list(range(len(made["inputs"][0])))
    assert not check_witness(read_witness(json.dumps(made), "w"), SOLVING[task]).holds


@pytest.fixture(scope="module")
def true_witness() -> tuple[Model, dict[str, Any]]:
    model = composition.random_layers(12, ToyShape(), 0)
    witness = looked(model, "composition").witness
    assert witness is not None
    return model, witness


def changed(witness: dict[str, Any], **new: Any) -> dict[str, Any]:
    return copy.deepcopy(witness) | new


def test_a_changed_witness_does_not_hold(true_witness: tuple[Model, dict[str, Any]]) -> None:
    """Other inputs, another sender or another layout: the second look sees each."""
    model, witness = true_witness
    one, two = witness["inputs"]
    y = one[one[24]]
    other = [*one[:12], *two[12:24], one[24]]
    other[12 + y] = one[12 + y]
    for made in (
        changed(witness, inputs=[one, one]),
        changed(witness, inputs=[one, other]),
        changed(witness, sender=witness["sender"][:3]),
        changed(witness, sender=[*witness["sender"], 24]),
        changed(witness, inputs=[[*one[:-1], (one[-1] + 1) % 12], two]),
        changed(witness, task={"task": "composition", "n": 11}),
        changed(witness, task={"task": "parity", "n": 25}),
    ):
        assert not check_witness(read_witness(json.dumps(made), "w"), model).holds


def accused(model: Model, task: dict[str, Any], word: list[Any], at: int, numbers: str) -> bool:
    """Whether a witness of one wrong answer holds that is true in all but what the model claims."""
    meant = model.to(numbers)
    made = {
        "format": "capax-witness",
        "version": 1,
        "kind": "wrong-answer",
        "task": task,
        "numbers": numbers,
        "model": meant.key(),
        "inputs": [word],
        "read_at": at,
        "answers": [meant(word)[at]],
        "method": "by hand",
        "seed": 0,
    }
    if task["task"] == "sparse-averaging":
        made |= {"tolerance": 1 / (2 * task["q"]), "unit": float(model.provenance.unit or 1.0)}
    return check_witness(read_witness(json.dumps(made), "w"), model).holds


def test_a_model_is_asked_about_what_it_claims_alone() -> None:
    """Another task, other numbers or another place: a model that solves its task errs there, and that is no witness."""
    model = SOLVING["composition"]
    word = [0] * 8 + [1]
    assert model(word)[8] == 0
    assert not accused(model, {"task": "parity", "n": 9}, word, 8, model.numbers)
    assert accused(replace(model, provenance=Provenance()), {"task": "parity", "n": 9}, word, 8, model.numbers)
    means = SOLVING["sparse-averaging"]
    word = [*["-e1 0,1,2"] * 6, "-e1 0,2,4"]
    layout = dict(means.provenance.layout)
    coarse = "integer:8,4,4"
    assert means.to(coarse)(word)[6] != means(word)[6]
    assert not accused(means, layout, word, 6, coarse)
    assert not accused(means, layout, word, 6, means.numbers)


def test_words_that_no_layout_has_are_no_inputs() -> None:
    """Match3 and averages are claimed at the last place, and Match3 on the words of two sets alone."""
    match = {"n": 2, "modulus": 16}
    assert truth("match3", match, [4, 16, 11, 16, 1], 4) == 1
    assert truth("match3", match, [4, 16, 16, 10, 1], 4) == 0
    for word, at in (([4, 16, 11, 16, 1], 0), ([4, 16, 11, 16, 2], 4), ([5, 16, 11, 16, 1], 4), ([4, 16, 4, 16, 1], 4)):
        with pytest.raises(NotAnInputError):
            truth("match3", match, word, at)
    with pytest.raises(NotAnInputError):
        truth("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0", "-e1 1"], 0)


@pytest.mark.parametrize(
    "new",
    [
        {"format": "other"},
        {"version": 2},
        {"kind": "other"},
        {"task": "composition"},
        {"inputs": [[1]]},
        {"inputs": [[1, [2]], [1]]},
        {"read_at": 99},
        {"read_at": True},
        {"answers": []},
        {"sender": ["a"]},
        {"numbers": 8},
        {"numbers": "float64"},
        {"model": "0" * 64},
    ],
)
def test_what_is_no_witness_is_refused(true_witness: tuple[Model, dict[str, Any]], new: dict[str, Any]) -> None:
    model, witness = true_witness
    with pytest.raises(CapaxError) as caught:
        check_witness(read_witness(json.dumps(changed(witness, **new)), "w"), model)
    assert caught.value.code == "bad-witness"


SEARCH_ONLY = (
    *("limits.protocols", "limits.witnesses.search", "limits.witnesses.models", "limits.witnesses.claim"),
    *("model.run.run", "model.run.split", "model.run.forward", "tasks"),
)


def test_the_second_look_shares_nothing_with_the_search() -> None:
    """The files of the second look import neither foolers nor protocols, nor the runtime that the search uses."""
    files = sorted((SRC / "capax/limits/witnesses/check").glob("*.py"))
    assert len(files) > 3
    for file in files:
        for item in imports_of(file, SRC):
            for room in SEARCH_ONLY:
                assert not item.target.startswith(f"capax.{room}"), f"{file.name} imports {item.target}"
        assert "import_module" not in {getattr(n, "id", "") for n in ast.walk(ast.parse(file.read_text()))}


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from(["softmax", "average-hard", "leftmost-hard", "rightmost-hard"]), st.integers(0, 4))
def test_both_ways_to_a_message_agree_on_what_is_equal(seed: int, kind: Any, x: int) -> None:
    """Messages of the search are equal exactly where those of the second look are."""
    n = 5
    model = composition.random_layers(n, ToyShape(heads=2, attention=kind), seed)
    system = parse(model.numbers)
    assert isinstance(system, Integer)
    query = OneQuery(model, tuple(range(n, 2 * n)), (tuple(range(n)),) * n, x, 2 * n, 2 * n + 1)
    rows = np.random.default_rng(seed).integers(0, n, (6, n))
    rows[5] = rows[0]
    fast = [row.tolist() for row in query.messages(rows)]
    slow = [message(model, system, [*[0] * n, *map(int, row), x], list(range(n, 2 * n)), 2 * n) for row in rows]
    for i in range(6):
        for j in range(i):
            assert (fast[i] == fast[j]) == (slow[i] == slow[j])
    if kind == "softmax":
        additive = query.additive()
        assert [additive.message(row) for row in rows] == [tuple(one) for one in fast]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*sorted(SOLVING), "parity", "sequential-composition"]), SEEDS)
def test_truths_are_written_down_twice(task: str, seed: int) -> None:
    """The truths of the search and those of the second look agree."""
    sizes = {"parity": {"n": 7}, "sequential-composition": {"n": 3, "queries": "2,3"}}
    model = SOLVING.get(task, replace(composition.solving(3), provenance=Provenance()))
    claim = claim_of(model, task, sizes.get(task, {}))
    trial = trial_of(model, claim)
    row = trial.sample(np.random.default_rng(seed), 1)[0].tolist()
    word = [int(t) if isinstance(t, str) and t in "01" else t for t in trial.word(row)]
    mine = trial.truth(row)
    if trial.read_at is not None:
        assert truth(task, claim.sizes, word, trial.read_at) == mine
    else:
        assert [truth(task, claim.sizes, word, at) for at in range(len(word))] == mine


@pytest.mark.parametrize(
    ("task", "given_", "code"),
    [
        ("match3", {}, "no-layout"),
        ("match3", {"n": 2, "modulus": 3}, "no-layout"),
        ("composition", {"n": 5}, "no-layout"),
        ("parity", {"n": 9}, "no-layout"),
        ("composition", {"m": 5}, "bad-option"),
        ("composition", {"n": 0}, "no-layout"),
        ("compositions", {}, "bad-option"),
    ],
)
def test_a_layout_has_to_be_declared(task: str, given_: dict[str, Any], code: str) -> None:
    with pytest.raises(CapaxError) as caught:
        fool(SOLVING["composition"], task, given_, seed=0, used=ticks(3))
    assert caught.value.code == code
    with pytest.raises(CapaxError, match="exact"):
        fool(SOLVING["composition"].to("float64"), "composition", {}, seed=0, used=ticks(3))


def test_numbers_that_contradict_the_model_are_refused() -> None:
    """A model in exact integers is run in its own; one in floats in those that are given."""
    model = SOLVING["composition"]
    assert quantised(model, None) is model
    assert quantised(model, model.numbers) == model
    assert quantised(model.to("float64"), model.numbers).numbers == model.numbers
    with pytest.raises(CapaxError, match="--dtype says integer:20,4,6"):
        quantised(model, "integer:20,4,6")


def advice(model: Model, numbers: str | None = None) -> str:
    """The hint for a model that does not compute in exact integers."""
    with pytest.raises(CapaxError) as caught:
        quantised(model, numbers)
    assert caught.value.code == "number-system"
    return str(caught.value.hint)


def test_numbers_are_recommended_where_they_work() -> None:
    """A compiled model is rounded by the integers that the hint names, and fooled or not in those."""
    count = selector_width(select(tokens, tokens, "=="))
    compiled = capax.compile(count, alphabet=[0, 1], max_length=6, certify=False).model
    hint = advice(compiled)
    numbers = hint.split()[1]
    assert hint.startswith("--dtype integer:")
    assert advice(compiled, "integer:2,1,2") == hint
    found = quantised(compiled, numbers)
    assert is_rounded(compiled, found)
    fool(found, "parity", {"n": 5}, seed=0, used=ticks(3))
    exact = SOLVING["composition"]
    assert "--dtype" in advice(exact.to("float64"))
    assert not is_rounded(exact.to("float64"), exact)
    assert not is_rounded(exact, exact)


def test_no_numbers_are_recommended_where_none_work() -> None:
    """Positions that are fractions, and layer norms, which trained networks have."""
    theorem = theorems.theorem("parity")
    fractional = theorem.build(length=8)
    hint = advice(fractional)
    assert "--dtype" not in hint
    assert "a function of the position is not an integer" in hint
    assert "capax audit MODEL --against SPEC" in hint
    assert advice(fractional, "integer:8,4,4") == hint
    normed = next(m for seed in range(99) if (m := Draw(Parts(), seed).model()).blocks[0].attention_norm is not None)
    assert "the model has a norm" in advice(normed)


@pytest.mark.parametrize(
    ("task", "change", "code"),
    [("composition", {"heads": 4096, "dim": 4096}, "bad-option"), ("match3", {"modulus": 4}, "no-layout")],
)
def test_toy_models_that_are_refused(task: str, change: dict[str, Any], code: str) -> None:
    """Weights that would fill the memory, and a layout that no search reads."""
    sizes = ToySizes(3)
    assert toy_model(task, "random", sizes, 0).provenance.layout["task"] == task
    with pytest.raises(CapaxError) as caught:
        toy_model(task, "random", replace(sizes, **change), 0)
    assert caught.value.code == code
