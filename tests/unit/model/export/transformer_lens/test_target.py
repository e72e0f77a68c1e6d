"""TransformerLens: every activation at every hook is that of capax' own trace of the same model."""

import json
import runpy
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import capax as cx
from capax.app.files.exports import fitted
from capax.compiler.target.fit_to_target import fit
from capax.errors import CapaxError
from capax.model.adapt.make_plain import why_not_plain
from capax.model.export.transformer_lens.names import names_json
from capax.model.export.transformer_lens.target import TARGET, refused, write
from capax.model.export.transformer_lens.weights import config_json, weights
from capax.model.model import Model
from capax.model.parts import Norm
from tests.support.exported import COMPILED, hand_made, model
from tests.support.fresh import installed, run

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

KINDS = ("HookedTransformer", "TransformerBridge")
NAMES = (*COMPILED, "hand-made", "hand-made, causal", "sinks", "norms")


@cache
def plain(name: str) -> Model:
    """A model as TransformerLens can hold it."""
    if name == "sinks":
        return fit(with_sinks(), TARGET.name).model
    return with_norms() if name == "norms" else fitted(model(name), TARGET)[0]


def with_norms() -> Model:
    """A model with a norm before every sublayer, and before the readout."""
    found = hand_made("causal")
    source = np.random.default_rng(0)

    def norm() -> Norm:
        return Norm("layer", source.normal(size=found.width), source.normal(size=found.width), 1e-3)

    blocks = tuple(replace(b, attention_norm=norm(), mlp_norm=norm()) for b in found.blocks)
    return replace(found, blocks=blocks, readout=replace(found.readout, norm=norm()))


def with_sinks() -> Model:
    """A model of random weights with engine sinks, an input MLP and a deep MLP."""
    from tests.support.models import Draw, Shape

    shape = Shape(("softmax",), ("none",), norms=False, pairs=False, prefix=False, functions=("1", "i"))
    found = (Draw(shape, seed).model() for seed in range(1000))
    return replace(next(m for m in found if m.depth == 2 and m.input_mlp and deep(m) and sinks(m)), max_length=8)


def deep(found: Model) -> bool:
    """Whether some MLP is deep."""
    return any(b.mlp is not None and b.mlp.depth > 1 for b in found.blocks)  # type: ignore[union-attr]


def sinks(found: Model) -> bool:
    """Whether some heads have sinks and others none."""
    return {h.sink is None for b in found.blocks for h in b.heads} == {True, False}  # type: ignore[union-attr]


def loaded(found: Model, kind: str, folder: Path) -> Any:
    """The model by the code of its own folder."""
    for name, data in write(found, folder).items():
        (folder / name).write_bytes(data)
    return runpy.run_path(str(folder / "load.py"))["load"](folder, kind)


def a_word(found: Model, length: int) -> list[Any]:
    """A word of a model."""
    tokens = found.vocabulary.tokens[: len(found.vocabulary) - len(found.prefix)]
    return [tokens[(i * i + i // 3) % len(tokens)] for i in range(length)]


def pairs(found: Model, cache: Any, trace: Any, hooks: dict[str, str]) -> Iterator[tuple[str, Any, Any]]:
    """The hook's name and both activations, cut to what the model has and in the axes of capax, one for each head."""
    for hook, name in hooks.items():
        theirs, ours = cache[hook].numpy(), trace[name]
        *_, part = name.split(".")
        if part in ("q", "k", "v", "z"):
            theirs = theirs.transpose(0, 2, 1, 3)
            for head in range(len(found.blocks[int(name.split(".")[1])].heads)):
                one = ours[:, head] if isinstance(ours, np.ndarray) else ours[head]
                yield f"{hook}, head {head}", theirs[:, head, :, : one.shape[-1]], one
                assert not theirs[:, head, :, one.shape[-1] :].any()
        elif part in ("scores", "pattern"):
            yield hook, theirs[:, : ours.shape[1]], ours
        else:
            yield hook, theirs[..., : ours.shape[-1]], ours


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_activation_is_the_same(kind: str, name: str, tmp_path: Path) -> None:
    """Patterns of all heads, queries, keys, values, scores, the stream between all sublayers, and the logits."""
    found = plain(name)
    lens = loaded(found, kind, tmp_path)
    assert type(lens.model).__name__ == kind
    word = a_word(found, 7)
    run = found.run(word, trace=True, many=False)
    logits, cache = lens.model.run_with_cache(lens.tokens(word))
    told = json.loads((tmp_path / "names.json").read_text())
    close = 1e-5 if found.numbers == "float32" else 1e-11
    seen = 0
    hooks = {h: n for h, n in told["hooks"].items() if kind == KINDS[0] or not h.endswith("attn_scores")}
    for hook, theirs, ours in pairs(found, cache, run.activations, hooks):  # a bridge has patterns where scores belong
        assert theirs.shape[1:] == ours.shape[-theirs.ndim + 1 :], hook
        assert np.allclose(theirs, ours, rtol=close, atol=close), hook
        seen += 1
    assert seen > 10
    assert np.allclose(logits.detach().numpy(), run["logits"], rtol=close, atol=close * 100)
    assert lens(word) == run.answers


def test_a_model_opens_in_one_call() -> None:
    """What the last head looks at is what the runtime says."""
    own = plain("reverse")
    lens = model("reverse").to_transformer_lens()
    word = a_word(own, 5)
    _, seen = lens.run_with_cache(torch.tensor([own.read(word)]))
    last = max(number for number, block in enumerate(own.blocks) if block.heads)
    pattern = own.run(word, trace=True, many=False)[f"blocks.{last}.attn.pattern"]
    assert np.allclose(seen[f"blocks.{last}.attn.hook_pattern"].numpy(), pattern, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_another_dtype_is_warned_of(kind: str, tmp_path: Path) -> None:
    """TransformerLens changes it without a word; the answers that are asked for here say so."""
    lens = loaded(plain("reverse"), kind, tmp_path)
    assert lens("abca") == ["a", "c", "b", "a"]
    lens.model.to(torch.float64)
    with pytest.warns(UserWarning, match="made for float32; in float64 its answers may be wrong"):
        lens("abca")


@pytest.mark.parametrize("name", COMPILED)
def test_names_line_up(name: str) -> None:
    """Every head of the model stands in the names with what it computes, at the hook of its layer."""
    found = plain(name)
    told = json.loads(write(found, Path())["names.json"])
    heads = [(i, j, h.name) for i, b in enumerate(found.blocks) for j, h in enumerate(b.heads)]
    assert [(h["layer"], h["head"], h["name"]) for h in told["heads"]] == heads
    assert all(h["hook"] == f"blocks.{h['layer']}.attn.hook_pattern" for h in told["heads"])
    assert all(h["does"] for h in told["heads"])
    assert told["directions"] == list(found.names)
    for entry in told["units"]:
        block = found.blocks[entry["layer"]]
        assert len(entry["units"]) == block.mlp.maps[0].outputs  # type: ignore[union-attr]


def test_weights_are_those_of_the_settings() -> None:
    """What is filled in is zero, and the scale of the scores is in the queries."""
    found = plain("dyck2")
    settings, made = config_json(found), weights(found)
    assert settings["n_heads"] == max(len(b.heads) for b in found.blocks)
    for number, block in enumerate(found.blocks):
        for part in "QKVO":
            assert not made[f"blocks.{number}.attn.W_{part}"][len(block.heads) :].any()
        for place, head in enumerate(block.heads):
            query = made[f"blocks.{number}.attn.W_Q"][place][:, : head.query.outputs]  # type: ignore[union-attr]
            assert np.array_equal(query, head.query.weight * head.scale)  # type: ignore[union-attr]
    assert {str(array.dtype) for array in made.values()} == {"float32"}


def refusal(found: Model) -> str:
    """Why a model cannot be exported."""
    with pytest.raises(CapaxError) as caught:
        fitted(found, TARGET)
    assert caught.value.code == "not-exportable"
    return caught.value.what


def test_what_cannot_be_held_is_refused_with_the_reason() -> None:
    """Models without a program that no change of form makes plain."""
    assert "the mask `strict past`" in refusal(hand_made("strict past"))
    plain_one = hand_made("none")
    heads = tuple(replace(h, attention="leftmost-hard") for h in plain_one.blocks[0].heads)  # type: ignore[arg-type]
    hard = replace(plain_one, blocks=(replace(plain_one.blocks[0], heads=heads), *plain_one.blocks[1:]))
    assert "leftmost-hard attention" in refusal(hard)
    assert "bfloat16" in refusal(plain_one.to("bfloat16"))
    after = replace(with_norms(), norm_place="after")
    assert "norms stand after" in refusal(after)
    some = with_norms()
    some = replace(some, readout=replace(some.readout, norm=None))
    assert "others have none" in refusal(some)
    different = with_norms()
    norm = replace(different.readout.norm, epsilon=0.5)  # type: ignore[type-var]
    assert "different kinds" in refusal(replace(different, readout=replace(different.readout, norm=norm)))


def test_weights_that_left_their_program_are_not_replaced_by_it() -> None:
    """A trained model whose masks TransformerLens lacks is not silently exchanged for its program."""
    found = model("dyck2")
    assert why_not_plain(found) is not None
    other = replace(
        found, readout=replace(found.readout, map=replace(found.readout.map, bias=found.readout.map.bias[::-1]))
    )
    assert "gives other answers" in refusal(other)
    selector = replace(found, provenance=replace(found.provenance, program="flip = select(indices, indices, ==);"))
    assert "is a selector" in refusal(selector)


def test_a_plain_model_goes_in_as_it_is() -> None:
    """Nothing is added."""
    found = hand_made("causal")
    assert refused(found) is None
    assert fitted(found, TARGET) == (found, [])


@pytest.mark.deep
def test_transformer_lens_4_gives_the_same_answers(tmp_path: Path) -> None:
    """TransformerBridge in an environment of its own with TransformerLens 4: the same answers and patterns."""
    python = installed(tmp_path / "env", "transformer_lens>=4,<5", "torch", unpinned="transformer-lens")
    for name in ("reverse", "sort", "dyck2", "causal induction", "reverse in float64"):
        found, folder = plain(name), tmp_path / name
        folder.mkdir()
        for file, data in write(found, folder).items():
            (folder / file).write_bytes(data)
        word = a_word(found, 6)
        ask = f"""
import json
from load import load
lens = load(".")
_, cache = lens.model.run_with_cache(lens.tokens({word!r}))
patterns = [cache[f"blocks.{{i}}.attn.hook_pattern"][0].tolist() for i in range({len(found.blocks)})]
queries = [cache[f"blocks.{{i}}.attn.hook_q"][0].tolist() for i in range({len(found.blocks)})]
print(json.dumps([type(lens.model).__name__, lens({word!r}), patterns, queries]))
"""
        kind, answers, patterns, queries = json.loads(run(python, ask, folder).splitlines()[-1])
        trace = found.run(word, trace=True, many=False)
        assert kind == "TransformerBridge"
        assert answers == trace.answers
        for number, block in enumerate(found.blocks):
            if block.heads:
                ours = trace[f"blocks.{number}.attn.pattern"][0]
                assert np.allclose(np.array(patterns[number])[: len(block.heads)], ours, atol=1e-5)
                query = trace[f"blocks.{number}.attn.q"]
                for place in range(len(block.heads)):
                    one = query[0, place] if isinstance(query, np.ndarray) else query[place][0]
                    assert np.allclose(np.array(queries[number])[:, place, : one.shape[-1]], one, atol=1e-5)


def test_names_tell_what_writes_a_direction() -> None:
    """A direction that is reused has a part for each of its names; one that only the embedding writes has none."""
    reused = cx.compile(cx.library.hist2_nobos, alphabet="abc", max_length=6, target="transformer-lens").model
    names = names_json(reused)
    writers = dict(zip(names["directions"], names["writers"], strict=True))
    assert writers["tokens^2"] == []
    name = next(name for name in names["directions"] if ", then " in name)
    assert len(writers[name]) >= 2
    uses = names["uses"][names["directions"].index(name)]
    assert [use["name"] for use in uses] == name.split(", then ")
    assert uses[0]["to"] < uses[1]["from"]
    assert "keep_all" in names["circuit"]["why_not"]
    assert writers[name] == sorted(writers[name], key=lambda part: int(part[1:].partition(".")[0]))
