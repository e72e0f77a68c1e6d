"""Networks: the same numbers as the models that they become, for every shape."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.lab.data import Data
from capax.lab.measure.to_model import to_model
from capax.lab.settings import Settings
from capax.lab.train.make import make_net, tensors
from capax.lab.train.recurrent import RecurrentNet
from capax.lab.train.transformer import TransformerNet

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

SHAPES = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["", "s", "f", "sf", "ssff", "fsfs", "sfsf", "ffs"]),
        "heads": st.sampled_from([1, 2]),
        "activation": st.sampled_from(["relu", "gelu", "gelu-tanh"]),
        "norm": st.sampled_from(["pre", "post", "none"]),
        "positions": st.sampled_from(["sinusoidal", "learned", "none"]),
        "attention": st.sampled_from(["pairs", "triples"]),
        "mask": st.sampled_from(["none", "causal"]),
        "marks": st.sampled_from(["none", "bos", "eos", "both"]),
        "shared": st.booleans(),
        "seed": st.integers(0, 100),
    }
)


@given(shape=SHAPES, n=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_a_network_is_a_model(shape: dict[str, Any], n: int) -> None:
    """The logits of the model are the network's."""
    found = Settings(task="reverse", width=8, max_length=5, parameters={"symbols": 3}, **shape)
    net, data = make_net(found), Data(found)
    model = to_model(net, found)
    batch = data.batch(0, 0, 2, n)
    with torch.no_grad():
        logits = net(*tensors(batch))[0].numpy()
    for row in range(2):
        word = data.tokens(batch, row)[found.has_bos :]
        assert np.allclose(model.run(word).logits, logits[row][found.has_bos :], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("rounds", ["length", "length - 1", "ceil_log2(length)"])
@pytest.mark.parametrize("shape", [{"norm": "pre"}, {"norm": "post", "order": "fsf"}, {"shared": True, "layers": 2}])
def test_a_network_that_is_run_in_rounds_is_a_model_with_a_loop(rounds: str, shape: dict[str, Any]) -> None:
    """Words of several lengths in one batch have each their own number of rounds."""
    found = Settings(task="language", parameters={"name": "dyck-1"}, width=8, max_length=9, rounds=rounds, **shape)
    net, data = make_net(found), Data(found)
    model = to_model(net, found)
    assert model.loop is not None
    assert model.loop.rounds == rounds
    batch = data.batch(0, 0, 12, 9)
    assert batch.lengths is not None
    assert len(set(batch.lengths.tolist())) > 1
    with torch.no_grad():
        logits = net(*tensors(batch))[0].numpy()
    for row, length in enumerate(batch.lengths.tolist()):
        word = data.tokens(batch, row)[:length]
        assert np.allclose(model.run(word).logits, logits[row][:length], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("other", [{"marks": "eos"}, {"net": "gru"}, {"start": "compiled"}, {"supervision": 1.0}])
def test_rounds_go_with_plain_transformers(other: dict[str, Any]) -> None:
    """Other settings are refused."""
    with pytest.raises(CapaxError) as error:
        Settings(**{"task": "reverse", "rounds": "length", **other})
    assert error.value.code == "bad-settings"


@pytest.mark.parametrize(
    "given_", [{"task": "reverse", "net": "gru"}, {"task": "q-sparse-averaging", "min_length": 4, "max_length": 4}]
)
def test_what_no_model_holds(given_: dict[str, Any]) -> None:
    """Recurrent networks and words of vectors are refused with the reason."""
    found = Settings(**given_)
    with pytest.raises(CapaxError, match="cannot be saved as a model"):
        to_model(make_net(found), found)


def test_a_model_says_where_its_answer_is_read() -> None:
    """At the last letter, where a word has one answer and no mark follows it."""
    found = [Settings(task="regex", width=8), Settings(task="regex", width=8, marks="eos"), Settings(task="reverse")]
    assert [to_model(make_net(at), at).provenance.read for at in found] == ["last", None, None]


def test_shared_weights_are_one() -> None:
    """A network with shared weights has those of one layer, and its model has them in every layer."""
    one, three = (Settings(task="reverse", width=8, layers=n, shared=True) for n in (1, 3))
    count = [sum(p.numel() for p in make_net(found).parameters()) for found in (one, three)]
    assert count[0] == count[1]
    blocks = to_model(make_net(three), three).blocks
    assert all(np.array_equal(b.heads[0].output, blocks[0].heads[0].output) for b in blocks)


@pytest.mark.parametrize("net", ["transformer", "lstm", "gru", "mlp"])
def test_padding_changes_nothing(net: str) -> None:
    """A word gives the same logits alone and beside a longer one."""
    found = Settings(task="language", width=8, net=net, max_length=6, parameters={"name": "dyck-1"})
    made = make_net(found)
    word = torch.tensor([[0, 1, 1, 0]])
    padded = torch.tensor([[0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 1, 1]])
    real = torch.arange(6) < torch.tensor([[4], [6]])
    with torch.no_grad():
        assert torch.allclose(made(word)[0][0], made(padded, real)[0][0, :4], atol=1e-5)


@pytest.mark.parametrize("net", ["transformer", "lstm", "gru"])
def test_causal_networks_do_not_look_ahead(net: str) -> None:
    """The logits of a prefix do not depend on what follows, and do without the mask."""
    for mask in ("causal", "none"):
        made = make_net(Settings(task="reverse", width=8, net=net, mask=mask))
        with torch.no_grad():
            one, two = (made(torch.tensor([[0, 1, last]]))[0][0, :2] for last in (2, 3))
        assert torch.allclose(one, two, atol=1e-6) == (mask == "causal")


def test_third_order_attention_by_definition() -> None:
    """The output of a head of third order, written out as sums over pairs of keys."""
    made = make_net(Settings(task="reverse", width=4, order="s", attention="triples", norm="none"))
    assert isinstance(made, TransformerNet)
    layer: Any = made.sublayers[0]
    x = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        q, k, r, v, w = layer.read(x).view(3, 5, 4).unbind(1)
        wanted = []
        for i in range(3):
            score = {(j, l_): float((q[i] * k[j] * r[l_]).sum()) / 2 for j in range(3) for l_ in range(3)}
            total = sum(np.exp(s) for s in score.values())
            mixed = sum(np.exp(s) / total * (v[j] * w[l_]) for (j, l_), s in score.items())
            wanted.append(layer.write(mixed))
        assert torch.allclose(layer(x, None)[0][0], torch.stack(wanted), atol=1e-5)


def test_making_a_network_leaves_the_generator_alone() -> None:
    """The same weights for the same seed, whatever was drawn before, and what is drawn after stays the same."""
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    one = make_net(Settings(task="reverse", net="lstm", width=4))
    assert torch.equal(torch.rand(3), wanted)
    two = make_net(Settings(task="reverse", net="lstm", width=4))
    assert isinstance(one, RecurrentNet)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
