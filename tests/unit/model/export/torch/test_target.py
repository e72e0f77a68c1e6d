"""The PyTorch module: equal to the numpy runtime, trainable, and back again without loss."""

import ast
import copy
import runpy
from dataclasses import replace
from decimal import Decimal, localcontext
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax.errors import CapaxError
from capax.model.export.standalone import torch_attention
from capax.model.export.target import targets
from capax.model.export.torch.target import load, refused, run_module, to_torch, write
from capax.model.model import Model
from capax.model.parts import ATTENTION_KINDS, MASKS, AttentionKind, OracleMap
from capax.model.positions import FUNCTIONS, Positions
from capax.model.provenance import Provenance
from capax.model.run import run
from capax.model.vocabulary import Fractions, Nearest, Numbers
from tests.support.exported import COMPILED, model
from tests.support.models import Draw, Shape, models, with_heads, with_one_query, words

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

HARD = Shape(norms=False, pairs=False, grain=1, most_layers=1, scales=(1.0, 2.0))
"""Scores are small integers, whatever the order of summation, and ties are exact."""
PARTS = ({"BLOCK": 128}, {"BLOCK": 2}, {"BLOCK": 3, "CELLS": 20})
"""How many queries and scores are computed at once."""
SOFT = Shape(("softmax", "sparsemax"), activations=("relu", "gelu", "gelu-tanh"), epsilons=(0.125,), pair_share=0.3)


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_logits_equal_the_runtime(kind: AttentionKind, data: st.DataObject) -> None:
    """Every kind of head, mask, sink, norm and MLP, on words of different lengths in one batch."""
    shape = replace(SOFT if kind in SOFT.kinds else HARD, kinds=(kind,))
    found = data.draw(models(shape)).to(data.draw(st.sampled_from(["float64", "float32"])))
    batch = data.draw(st.lists(words(1, 7), min_size=1, max_size=4))
    limit = 2000 * np.finfo(found.numbers).eps
    # Long words and large batches are run part by part; so are these.
    with patch.multiple(torch_attention, **data.draw(st.sampled_from(PARTS))):
        outputs = run_module(to_torch(found), batch)
    for expected, output in zip(run.logits(found, batch), outputs, strict=True):
        assert output.logits.dtype == expected.dtype
        assert np.abs(expected - output.logits).max() <= limit * max(1, np.abs(expected).max())


@settings(max_examples=25, deadline=None)
@given(
    models(replace(SOFT, kinds=("softmax",))),
    st.lists(st.booleans(), min_size=1, max_size=4),
    st.lists(words(1, 7), min_size=1, max_size=4),
    st.sampled_from(PARTS),
)
def test_heads_whose_queries_do_not_differ(
    found: Model, which: list[bool], batch: list[str], parts: dict[str, int]
) -> None:
    """They have one mean, which is that of every position; not any more once they are trained to differ."""
    found = with_one_query(found, which)
    limit = 2000 * np.finfo(found.numbers).eps
    module = to_torch(found)
    with patch.multiple(torch_attention, LARGE=1, **parts):
        for changed in (False, True):
            if changed:
                for group in module.modules():
                    if isinstance(group, torch_attention.HeadGroupModule):
                        group.joined.weight.data += 0.25
                found = Model.from_torch(module)
            for expected, output in zip(run.logits(found, batch), run_module(module, batch), strict=True):
                assert np.abs(expected - output.logits).max() <= limit * max(1, np.abs(expected).max())


@settings(max_examples=25, deadline=None)
@given(models(), st.sampled_from(["float64", "float32"]))
def test_there_and_back_is_the_same_model(found: Model, numbers: str) -> None:
    """Every part comes back, with its facts."""
    before = replace(
        found.to(numbers),
        provenance=Provenance(program="x = tokens;", certificate={"n": 3}, extra={"odd": float("inf")}),
    )
    after = Model.from_torch(before.to_torch())
    assert after.key() == before.key()
    assert after == before


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_models_come_back(name: str, tmp_path: Path) -> None:
    """From memory and from the files of an export."""
    before = model(name)
    assert Model.from_torch(before.to_torch()) == before
    for file, data in write(before, tmp_path).items():
        (tmp_path / file).write_bytes(data)
    assert Model.from_torch(runpy.run_path(str(tmp_path / "model.py"))["load"](tmp_path)) == before


def test_gradients_reach_every_weight() -> None:
    """Of a softmax model with all parts each weight has a gradient that is not zero, padded words or not."""
    rng = np.random.default_rng(1)
    shape = Shape(("softmax",), ("none",), pair_share=0.5, grain=64, activations=("gelu",), epsilons=(1e-5,))
    drawn = (Draw(shape, seed).model() for seed in range(1000))
    found = next(
        m
        for m in drawn
        if m.depth == 2 and m.input_mlp and m.positions.table is not None and m.width > 2 and m.readout.norm
        if all(b.mlp and b.heads for b in m.blocks)  # a norm before an MLP that is not there does nothing
        if any(h.sink for b in m.blocks for h in b.heads if hasattr(h, "sink"))
    )
    module = found.to_torch()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.from_numpy(rng.normal(size=tuple(parameter.shape))))
    ids, lengths = module.encode(["abcabcabcab", "cab", "b"])
    logits = module(ids, lengths)
    picked = torch.cat([row[: n - len(found.prefix)] for row, n in zip(logits, lengths, strict=True)])
    picked.square().sum().backward()
    gradients = copy.deepcopy(module)  # its weights are the gradients, so that they have the names of the file
    for one, parameter in zip(gradients.parameters(), module.parameters(), strict=True):
        assert parameter.grad is not None
        one.data = parameter.grad
    assert {name for name, _ in found.arrays()} == set(gradients.weights())
    for name, gradient in gradients.weights().items():
        assert gradient.isfinite().all(), name
        if gradient.numel() and not constant_direction(name):
            assert gradient.abs().max() > 0, name


def constant_direction(name: str) -> bool:
    """Whether a weight cannot matter: a key's bias adds the same to all scores of a query without a sink."""
    return name.endswith("key.bias")


def test_padding_never_matters() -> None:
    """A word's logits are the same to the last digit, whatever stands beside it."""
    module = with_heads(replace(SOFT, kinds=("softmax",))).to_torch()
    alone = module(*module.encode(["ab"]))
    beside = module(*module.encode(["ab", "cabcabc"]))
    assert torch.allclose(alone[0], beside[0, :2], rtol=1e-12, atol=1e-12)


def test_gradients_of_padded_words_are_numbers() -> None:
    """Masks under which queries see nothing give no NaN."""
    for mask in MASKS:
        module = with_heads(Shape(("softmax",), (mask,), sinks=False)).to_torch()
        ids, lengths = module.encode(["ab", "cabca"])
        module(ids, lengths).sum().backward()
        assert all(p.grad.isfinite().all() for p in module.parameters() if p.grad is not None)


def test_gradients_are_the_same_part_by_part() -> None:
    """Scores that are overwritten in parts under a mask give the gradients of one whole block."""
    for mask in MASKS:
        module = with_heads(Shape(("softmax",), (mask,), grain=64, pairs=False)).to_torch()
        ids, lengths = module.encode(["abcabca", "cab"])
        gradients = []
        for parts in PARTS:
            with patch.multiple(torch_attention, **parts):
                loss = module(ids, lengths)[:, 0].square().sum()
            gradients.append(torch.autograd.grad(loss, list(module.parameters()), allow_unused=True))
        for whole, *others in zip(*gradients, strict=True):
            for other in others:
                assert (whole is None) == (other is None)
                assert whole is None or torch.allclose(whole, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("dtype", "least", "zero"), [(torch.float32, 87.0, 104.0), (torch.float64, 708.0, 745.2)])
def test_exponentials_are_as_near_as_certificates_assume(dtype: torch.dtype, least: float, zero: float) -> None:
    """Within (4 + 1.25 |x|) unit roundoffs; 1 at 0, and 0 where the exact value is less than half a smallest number."""
    x = -torch.cat([torch.rand(400, generator=torch.Generator().manual_seed(0)) ** 3 * least, torch.arange(80)]).to(
        dtype
    )
    results = torch_attention.exponentials(x.clone())
    unit = torch.finfo(dtype).eps / 2
    with localcontext() as context:
        context.prec = 40
        for exponent, result in zip(x.tolist(), results.tolist(), strict=True):
            exact = Decimal(exponent).exp()
            assert abs(Decimal(result) / exact - 1) <= (4 + 1.25 * abs(exponent)) * unit
    assert torch_attention.exponentials(torch.zeros(3, dtype=dtype)).tolist() == [1, 1, 1]
    far = -zero * torch.linspace(1, 50, 99, dtype=dtype)
    assert torch_attention.exponentials(torch.cat([far, torch.tensor([-torch.inf], dtype=dtype)])).abs().max() == 0


def test_training_after_a_run_without_gradients() -> None:
    """What a run keeps for the next can be trained through, and a copy gives the same."""
    module = model("reverse").to_torch()
    with torch.inference_mode():
        before = module(*module.encode(["abc"]))
    logits = copy.deepcopy(module)(*module.encode(["abc"]))
    assert torch.equal(before, logits)
    logits.sum().backward()
    assert torch.equal(module(*module.encode(["abc", "b"]))[0], before[0])


def test_words_without_tokens() -> None:
    """Alone they have no logits, and beside others they change nothing."""
    module = replace(model("reverse"), min_length=0).to_torch()
    assert module.batch(["", "abc"]) == [[], ["c", "b", "a"]]
    assert module.batch(["", ""]) == [[], []]


def test_training_forgets_what_was_said_of_the_weights() -> None:
    """The program stays, the certificate and the check go; the weights are the new ones."""
    module = model("reverse").to_torch()
    with torch.no_grad():
        module.readout.map.bias += 0.25
    after = Model.from_torch(module)
    before = set(model("reverse").provenance.to_json())
    assert before - set(after.provenance.to_json()) == {"certificate", "check"} & before
    assert after.provenance.program == model("reverse").provenance.program
    assert (after.readout.map.bias == model("reverse").readout.map.bias + 0.25).all()


def test_a_module_of_another_type_comes_back_in_its_own() -> None:
    """`module.double()` is a model in float64, `module.bfloat16()` one in bfloat16."""
    before = model("reverse")
    assert Model.from_torch(before.to_torch().double()).numbers == "float64"
    with pytest.warns(UserWarning, match="made for float32; in bfloat16 its answers are not proved"):
        after = Model.from_torch(before.to_torch().bfloat16())
    assert after.numbers == "bfloat16"
    assert (after.embedding == before.to("bfloat16").embedding).all()


def test_a_dtype_in_which_answers_are_not_proved_is_warned_of(tmp_path: Path) -> None:
    """Of the module itself and of an export; one in which they are proved, or a move, passes in silence."""
    found = capax.compile(capax.library.reverse, alphabet="abc", max_length=5, words=50).model
    lengths = {v["numbers"]: v["length"] for v in found.provenance.certificate["verdicts"]}
    assert lengths["float64"] == lengths["float32"] == 5
    capax.export_model(found, tmp_path / "out", to="torch")
    exported = runpy.run_path(str(tmp_path / "out" / "model.py"))["load"](tmp_path / "out")
    for module in (found.to_torch(), exported):
        assert module.double()("abca") == module.float()("abca") == module.to("cpu")("abca") == ["a", "c", "b", "a"]
        with pytest.warns(UserWarning, match=r"made for float32; in float16 its answers are .* may be wrong"):
            module.half()
    cut = {**found.provenance.certificate, "verdicts": [{"numbers": "float64", "length": 3}]}
    partly = replace(found, provenance=replace(found.provenance, certificate=cut)).to_torch()
    with pytest.warns(UserWarning, match="in float64 its answers are proved for words of up to 3 tokens only, of 5"):
        partly.to(torch.float64)


@pytest.mark.parametrize("functions", [*FUNCTIONS, "[i%3=1]", "i%4", "sin(i*0.5)", "cos(i*1e-2)", "i^3"])
@pytest.mark.parametrize("to", ["torch", "onnx"])
def test_every_function_of_the_place(to: str, functions: str, tmp_path: Path) -> None:
    """Each has the values of the numpy runtime, at places that depend on the length of the word too."""
    shape = Shape(("softmax",), norms=False, pairs=False, functions=(), table=False)
    base = with_heads(shape)
    endless = replace(base, positions=Positions((functions,), np.ones((1, base.width))))
    target = targets()[to]
    batch = ["a", "abcabc", "cb"]
    for found in (endless, replace(endless, max_length=6)):  # of a model with a greatest length values may be listed
        for file, data in target.write(found, tmp_path).items():
            (tmp_path / file).write_bytes(data)
        for expected, output in zip(run.logits(found, batch), target.load(tmp_path)(batch), strict=True):
            assert np.allclose(expected, output.logits, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("to", ["torch", "onnx"])
@pytest.mark.parametrize(
    "decoding",
    [
        Nearest((-0.5, 0.0, 0.25, 2.0), (1, True, "x", 2.5)),
        Fractions(7, 1 / 3),
        Fractions(1, 2.0, whole=True),
        Numbers(),
    ],
    ids=["nearest", "fractions", "integers", "numbers"],
)
def test_every_decoding(to: str, decoding: Nearest | Fractions | Numbers, tmp_path: Path) -> None:
    """The exported code reads numbers as the model does, types included."""
    base = with_heads(Shape(("softmax",), norms=False, pairs=False, decoding=("x",)))
    found = replace(base, decoding=decoding)
    target = targets()[to]
    for file, data in target.write(found, tmp_path).items():
        (tmp_path / file).write_bytes(data)
    batch = ["a", "abcabc", "cb", "ccab"]
    for expected, output in zip(found.batch(batch), target.load(tmp_path)(batch), strict=True):
        assert list(map(type, expected)) == list(map(type, output.answers))
        assert (
            output.answers == pytest.approx(expected) if isinstance(decoding, Numbers) else output.answers == expected
        )


def test_the_file_stands_alone(tmp_path: Path) -> None:
    """It imports PyTorch and Python's own library, and is in order for a reader."""
    source = write(model("reverse"), tmp_path)["model.py"].decode()
    tree = ast.parse(source)
    modules = [n.module if isinstance(n, ast.ImportFrom) else n.names[0].name for n in ast.walk(tree) if _is_import(n)]
    assert {m.split(".")[0] for m in modules} <= {"torch", "bisect", "math", "re", "json", "os", "pathlib", "fractions",
                                                  "collections", "functools", "typing", "warnings"}  # fmt: skip
    assert "capax." not in source.replace("`capax.Model", "")
    assert source.count("\nimport torch\n") == 1
    assert "\n\n\nclass Transformer" in source


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def test_words_are_checked(tmp_path: Path) -> None:
    """A token that the model does not know, and a word that is too long, are errors."""
    module = model("reverse").to_torch()
    assert module("abc") == ["c", "b", "a"]
    assert module(["a", "b"]) == ["b", "a"]
    with pytest.raises(ValueError, match="the token 'x' at position 1 is not in the vocabulary: 'a', 'b', 'c', 'd'"):
        module("axyz")
    with pytest.raises(ValueError, match="the token \\['a'\\] at position 0 is not"):
        module([["a"]])
    with pytest.raises(ValueError, match="1 to 9 tokens, not of 10"):
        module("a" * 10)
    with pytest.raises(ValueError, match="1 to 9"):
        module("")


def test_what_cannot_be_held_is_refused() -> None:
    """Arbitrary functions, and systems that PyTorch does not have."""
    base = model("reverse")
    for odd in (base.to("fixed:16.8"), replace(base, input_mlp=OracleMap(np.tanh, "tanh"))):
        assert refused(odd)
        with pytest.raises(CapaxError, match=r"arbitrary|fixed:16.8") as caught:
            odd.to_torch()
        assert caught.value.code == "not-exportable"
    with pytest.raises(CapaxError, match="Linear"):
        Model.from_torch(torch.nn.Linear(2, 2))


def test_the_loader_reads_the_folder_and_nothing_else(tmp_path: Path) -> None:
    """Another file in the folder gives other answers."""
    for file, data in write(model("reverse"), tmp_path).items():
        (tmp_path / file).write_bytes(data)
    (tmp_path / "model.safetensors").write_bytes(write(model("sort"), tmp_path)["model.safetensors"])
    assert load(tmp_path)(["dba"])[0].answers == ["a", "b", "d"]
