"""Activations by name: shapes, sums, and that they are what the run computed."""

from collections.abc import Callable

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.model.arithmetic.floats import to_bfloat16, to_float16
from capax.model.parts import Array, Head, Mlp, TensorHead
from capax.model.run.run import run, run_rows
from tests.support.models import Draw, Shape, with_heads


@pytest.mark.parametrize("numbers", ["float64", "bfloat16", "fixed:16.8", "integer:8,10,8"])
def test_every_activation_has_its_shape(numbers: str) -> None:
    whole = numbers.startswith("integer")
    for seed in range(40):
        model = Draw(Shape(norms=not whole, grain=1 if whole else 4), seed).model().to(numbers)
        found = run(model, ["abca", "bbbb"], trace=True)
        n = 4 + len(model.prefix)
        stream = (2, n, model.width)
        assert found["embed"].shape == found["resid_post"].shape == stream
        assert found["logits"].shape == (2, n, 2)
        assert (found["logits"][1, len(model.prefix) :] == found.logits[1]).all()
        for number, block in enumerate(model.blocks):
            name = f"blocks.{number}"
            for part in ("resid_pre", "resid_mid", "resid_post", "attn.out"):
                assert found[f"{name}.{part}"].shape == stream
            if isinstance(block.mlp, Mlp):
                for stage, unit in enumerate(block.mlp.maps[:-1]):
                    assert found[f"{name}.mlp.pre.{stage}"].shape == (2, n, unit.outputs)
                    assert found[f"{name}.mlp.post.{stage}"].shape == (2, n, unit.outputs)
            if block.heads:
                _check_heads(found, name, block.heads, n)


def _check_heads(found: object, name: str, heads: tuple[object, ...], n: int) -> None:
    sink = any(isinstance(h, Head) and h.sink is not None for h in heads)
    pattern, scores = found[f"{name}.attn.pattern"], found[f"{name}.attn.scores"]  # type: ignore[index]
    assert pattern.shape == scores.shape == (2, len(heads), n, n + sink)
    sums = pattern.sum(axis=-1)
    assert (np.isclose(sums, 1, atol=0.05) | (sums == 0)).all()
    for number, head in enumerate(heads):
        z = found[f"{name}.attn.z"]  # type: ignore[index]
        one = z[number] if isinstance(z, list) else z[:, number]
        if isinstance(head, TensorHead):
            assert found[f"{name}.attn.pairs.{number}"].shape == (2, n, n, n)  # type: ignore[index]
            assert one.shape == (2, n, head.value1.outputs)
        else:
            assert isinstance(head, Head)
            assert one.shape == (2, n, head.value.outputs)
            # The scores say what is seen: without weight elsewhere.
            assert (pattern[:, number][scores[:, number] == -np.inf] == 0).all()


def test_patterns_times_values_are_the_means() -> None:
    model = with_heads(Shape(pairs=False, sinks=False))
    found = run(model, "abcab", trace=True)
    block = next(f"blocks.{i}.attn" for i, b in enumerate(model.blocks) if b.heads)
    values, means = found[f"{block}.v"], found[f"{block}.z"]
    for head in range(found[f"{block}.pattern"].shape[1]):
        v = values[head] if isinstance(values, list) else values[:, head]
        z = means[head] if isinstance(means, list) else means[:, head]
        assert np.allclose(found[f"{block}.pattern"][:, head] @ v, z)


def test_a_trace_changes_nothing() -> None:
    for seed in range(20):
        model = Draw(Shape(), seed).model()
        rows = np.array([model.read("abcab")])
        assert (run_rows(model, rows, {}) == run_rows(model, rows)).all()


def test_streams_add_up() -> None:
    model = with_heads(Shape(norms=False), 2)
    found = run(model, "abca", trace=True)
    for i in range(len(model.blocks)):
        total = found[f"blocks.{i}.resid_pre"] + found[f"blocks.{i}.attn.out"]
        assert np.allclose(total, found[f"blocks.{i}.resid_mid"])
    assert (found["blocks.0.resid_post"] == found["blocks.1.resid_pre"]).all()


def test_what_is_not_there_is_named() -> None:
    model = with_heads(Shape())
    with pytest.raises(CapaxError, match="recorded no activations"):
        _ = run(model, "ab")["embed"]
    with pytest.raises(CapaxError, match="no activation 'embd'") as caught:
        _ = run(model, "ab", trace=True)["embd"]
    assert caught.value.hint == "did you mean embed?"
    with pytest.raises(CapaxError, match="one length"):
        run(model, ["ab", "abc"], trace=True)


@pytest.mark.parametrize(("numbers", "rounding"), [("float16", to_float16), ("bfloat16", to_bfloat16)])
def test_activations_are_numbers_of_the_system(numbers: str, rounding: Callable[[Array], Array]) -> None:
    for seed in range(25):
        shape = Shape(activations=("relu", "gelu"), grain=1000, functions=("1/(i+1)", "sin(i*0.3)"))
        found = run(Draw(shape, seed).model().to(numbers), "abcab", trace=True)
        for name, value in found.activations.items():
            arrays = [a for one in value for a in (one if isinstance(one, tuple) else (one,))]
            if not name.endswith("pattern") and ".pairs." not in name:
                assert all((np.asarray(a) == rounding(np.asarray(a, np.float32))).all() for a in arrays), name
