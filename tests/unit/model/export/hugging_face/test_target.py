"""Models for Hugging Face: norms that do nothing, their bounds, tokens, labels, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from capax.model.export.hugging_face.answers import answers_of, number_behind, with_logits
from capax.model.export.hugging_face.convert import JITTER, convert
from capax.model.export.hugging_face.norm_bounds import certain_length, longest_row, norm_error
from capax.model.export.hugging_face.norms import PairedCoordinates, pin_for, with_norms
from capax.model.export.hugging_face.shape import reason, shape_of
from capax.model.export.hugging_face.sizes import sizes_for
from capax.model.export.hugging_face.target import TARGET, write
from capax.model.export.hugging_face.tokens import named, tokenizer_config_json, tokenizer_json, tokens_of
from capax.model.export.uniform import needed
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, Readout, Sink
from capax.model.positions import Positions
from capax.model.run.reference import define
from capax.model.run.run import logits
from capax.model.vocabulary import Classes, Fractions, Nearest, Vocabulary
from tests.support.models import Draw, Shape, words

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

BARE = Shape(kinds=("softmax",), sinks=False, norms=False, pairs=False, functions=("1", "i", "i%3"))


def bare(seed: int, mask: Any) -> Model:
    """A random model without norms, sinks and an input MLP, whose MLPs have one stage and whose heads have one mask."""
    drawn = Draw(replace(BARE, masks=(mask,)), seed).model()
    blocks = [b if not isinstance(b.mlp, Mlp) or b.mlp.depth == 1 else replace(b, mlp=None) for b in drawn.blocks]
    return replace(drawn, input_mlp=None, blocks=tuple(blocks), max_length=9)


seeds = st.integers(0, 2**32 - 1)
masks = st.sampled_from(["causal", "none"])


@given(seeds, masks, words())
def test_norms_change_nothing(seed: int, mask: Any, word: str) -> None:
    """The model with norms at all places computes what the model without norms does, by the slow definition too."""
    model = bare(seed, mask)
    sizes = sizes_for(model, whole_root=mask == "none")
    pin = pin_for(longest_row(model, [word]), "float64")
    made = with_norms(model, sizes, "float64", pin, after=mask == "none")
    assert shape_of(made) == ("gpt2" if mask == "causal" else "bert")
    expected = np.array(define(model, word))
    size = max(1.0, float(np.abs(expected).max()))
    assert np.abs(logits(made, [word])[0] - expected).max() < 1e-9 * size
    assert np.abs(np.array(define(made, word)) - expected).max() < 1e-9 * size


@given(seeds, masks)
def test_sizes_fit(seed: int, mask: Any) -> None:
    """The width holds two coordinates for each direction beside the pinned ones, and is divided by the heads."""
    model = bare(seed, mask)
    for whole_root in (False, True):
        sizes = sizes_for(model, whole_root=whole_root)
        heads, dimension = needed(model)
        assert sizes.width == sizes.heads * sizes.dimension == 2 * sizes.pins * 4**sizes.root
        assert sizes.width >= 2 * model.width + 2 * sizes.pins
        assert sizes.heads >= heads
        assert sizes.dimension >= dimension
        if whole_root:
            assert (sizes.dimension**-0.5).as_integer_ratio()[0] == 1


@given(st.integers(1, 60), seeds, st.sampled_from(["float32", "float64"]), st.integers(0, 12))
@settings(max_examples=60)
def test_what_is_read_after_a_norm_is_within_the_bound(width: int, seed: int, dtype: str, reach: int) -> None:
    """In PyTorch's own kernel and in numpy."""
    import torch

    source = np.random.default_rng(seed)
    model = replace(bare(0, "causal"), blocks=())
    model = Model(model.vocabulary, np.zeros((3, width)), Positions((), np.zeros((0, width))), (),
                  Readout(Affine(np.eye(width), np.zeros(width))), Classes(tuple(range(width))),
                  tuple(f"x{i}" for i in range(width)))  # fmt: skip
    sizes = sizes_for(model, whole_root=False)
    rows = (source.normal(size=(20, width)) * source.choice([0, 1], (20, width)) * 2.0**reach).astype(dtype)
    longest = float(np.sqrt(np.square(rows.astype(np.float64)).sum(axis=1)).max())
    pin = pin_for(longest, dtype)
    pairs = PairedCoordinates(model, sizes, dtype, pin)
    norm, full = pairs.norm(np.zeros(sizes.width)), pairs.write(rows) + pairs.pinned()
    known = norm_error(sizes, dtype, pin, 16 * max(longest, 1.0), width, after=False)
    tensor = [torch.from_numpy(np.array(a)) for a in (full, norm.gain, norm.bias)]
    kernel = torch.nn.functional.layer_norm(tensor[0], (sizes.width,), tensor[1], tensor[2], norm.epsilon).numpy()
    centered = full - full.mean(axis=1, keepdims=True)
    plain = centered / np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + norm.epsilon) * norm.gain
    for given_rows in (kernel, plain):
        fine = given_rows.astype(np.float64)
        read = (fine[:, pairs.first : pairs.used : 2] - fine[:, pairs.first + 1 : pairs.used : 2]) / 2
        off = np.abs(read - rows)
        assert (off <= known.relative * np.abs(rows.astype(np.float64)) + known.absolute).all()
    assert known.relative < (sizes.width + 16) * float(np.finfo(dtype).eps)


@given(seeds, masks, st.lists(words(), min_size=1, max_size=4))
def test_no_row_is_longer_than_the_certain_length(seed: int, mask: Any, given_words: list[str]) -> None:
    """Interval arithmetic bounds every row of the stream."""
    model = bare(seed, mask)
    assert longest_row(model, given_words) <= certain_length(model) * (1 + 1e-9)


tokens = st.one_of(st.text(max_size=3), st.integers(-3, 12), st.booleans(), st.floats(allow_nan=False, width=16))


@given(st.lists(tokens, min_size=1, max_size=8, unique_by=lambda t: (type(t), t)), st.booleans(), st.none() | tokens)
@example(["1", 1, 1.0, True, "true", "", " ", "  "], True, None)
@example(["a", " ", "\n", "\u2003"], False, None)
@example(["a", "b"], True, "ab")
@example([1, 10, "<pad>1"], False, 0)
def test_the_tokenizer_splits_words_into_their_tokens(vocabulary: list[Any], prefixed: bool, end: Any) -> None:
    """Names differ, and a text of names comes back as the ids, with the prefix before them."""
    from tokenizers import Tokenizer

    assume(not any("\ud800" <= c <= "\udfff" for t in (*vocabulary, end) if isinstance(t, str) for c in t))
    assert len(set(named(vocabulary))) == len(vocabulary)
    known = [*vocabulary, "<bos>"] if prefixed and "<bos>" not in vocabulary else vocabulary
    prefix = [len(vocabulary)] if known is not vocabulary else []
    made = tokens_of(known, prefix, end)
    assert len(set(made.names)) == len(made.names)
    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_json(made, len(vocabulary) + 1)))
    tokenizer.encode_special_tokens = tokenizer_config_json(made, left=True)[
        "split_special_tokens"
    ]  # as the class does
    ids = [*range(len(vocabulary)), 0]
    text = ("" if made.chars else " ").join(made.names[i] for i in ids)
    assert tokenizer.encode(text).ids == prefix + ids
    for refused in (text + ("" if made.chars else " ") + made.names[0], "\ufffe" if made.chars else "\ufffe\ufffe"):
        with pytest.raises(Exception, match=f"none of .*more than {len(ids)} tokens"):
            tokenizer.encode(refused)


def test_a_word_that_is_no_token_is_not_taken_apart() -> None:
    """100 is not 10 and 0, nor is it 1, 0 and 0; blanks around words count for nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_json(tokens_of([1, 0, 10, "ab"], [], None), 3)))
    assert tokenizer.encode(" 10  ab 0 ").ids == [2, 3, 1]
    for word in ("100", "101", "a", "abab", "ab0", "10 100"):
        with pytest.raises(Exception, match='none of "1", "0", "10", "ab", or a text of more than 3 tokens'):
            tokenizer.encode(word)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True), st.integers(-600, 600))
def test_the_nearest_place_has_the_highest_logit(places: list[int], tenth: int) -> None:
    """Logits for each place give the answer of the nearest one, and the number behind them."""
    decoding = Nearest(tuple(sorted(places)), tuple(f"at {p}" for p in sorted(places)))
    number = tenth / 10 + 0.03  # never in the middle of two
    model = replace(bare(0, "causal"), blocks=())
    readout = Readout(Affine(np.zeros((model.width, 1)), np.array([number])))
    model = replace(model, readout=readout, decoding=decoding)
    made = with_logits(model)
    assert made("a") == model("a")
    if len(places) > 1:
        assert np.isclose(number_behind(decoding, logits(made, ["a"])[0])[0, 0], number)


def apart(step: float) -> Model:
    """A float32 model that tells its two tokens apart by numbers near 1000 that differ by a step."""
    embedding = np.array([[1000.0], [1000.0 + step]], np.float32)
    return Model(
        Vocabulary(("a", "b")),
        embedding,
        Positions(("i",), np.zeros((1, 1), np.float32)),
        (),
        Readout(Affine(np.ones((1, 1), np.float32), np.zeros(1, np.float32))),
        Nearest(tuple(float(x) for x in embedding[:, 0]), ("first", "second")),
        ("x",),
        numbers="float32",
        max_length=4,
    )


def test_float64_is_taken_where_float32_does_not_hold() -> None:
    """Numbers that differ by more than the norms round stay in float32; the card says which type was taken."""
    assert convert(apart(1.0)).model.numbers == "float32"
    fine = apart(2.0**-12)
    assert fine("ab") == ["first", "second"]
    files = write(fine, Path())
    assert json.loads(files["config.json"])["dtype"] == "float64"
    card = files["README.md"].decode()
    assert "hold in **float64**" in card
    assert "Do not load it in float32" in card


@pytest.mark.parametrize("digits", range(14))
def test_how_far_norms_may_be_off(digits: int) -> None:
    """Numbers near 1000 bear a factor that moves them by less than half of their distance, and no other."""
    made = convert(apart(2.0**-digits))
    off, bound = made.norms.holds_when_off_by, made.norms.error.relative
    assert 0 < off * 1000 < 2.0**-digits / 2
    if abs(2.0**-digits / 2 - JITTER * 1000) > 1e-4:  # not within the rounding of float32
        assert (made.model.numbers == "float32") == (2.0**-digits / 2 > JITTER * 1000)
    assert off == bound or bound * 1000 > 2.0**-digits / 2 - 1e-4


def test_the_task_follows_from_mask_and_answers() -> None:
    """A causal model whose answers are tokens generates text, one foreign answer ends it; others label tokens."""
    model = replace(bare(1, "causal"), decoding=Classes(("a", "b")))
    assert answers_of(model, causal=True).task == "text-generation"
    assert answers_of(model, causal=False).task == "token-classification"
    assert answers_of(replace(model, decoding=Classes(("a", "?"))), causal=True).end == "?"
    assert answers_of(replace(model, decoding=Classes(("x", "?"))), causal=True).task == "token-classification"
    number = replace(model, decoding=Fractions(4), readout=Readout(Affine(np.zeros((model.width, 1)), np.zeros(1))))
    assert answers_of(number, causal=True).values == ()


def with_head(model: Model, **changes: Any) -> Model:
    """The model with one more layer that has one changed head."""
    d = model.width
    zero = Affine(np.zeros((d, 1)), np.zeros(1))
    head = Head(zero, zero, zero, np.zeros((1, d)), mask="causal")
    return replace(model, blocks=(*model.blocks, Block((replace(head, **changes),), np.zeros(d))))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: with_head(m, sink=Sink(np.zeros(1), np.zeros(1))), "sink"),
        (lambda m: with_head(m, attention="sparsemax"), "sparsemax attention"),
        (lambda m: with_head(with_head(m), mask="none"), "masks of their own"),
        (lambda m: with_head(m, mask="strict past"), "masks of their own"),
        (lambda m: m.to("bfloat16"), "bfloat16"),
        (lambda m: m.to("fixed:16.8"), "fixed:16.8"),
        (lambda m: replace(m, output_weights="sparsemax"), "sparsemax"),
        (lambda m: replace(m, positions=Positions(("i/n",), np.ones((1, m.width)))), "length of the word"),
    ],
)
def test_models_that_the_classes_cannot_represent_are_refused(change: Any, said: str) -> None:
    """What the classes have no room for is named."""
    model = replace(bare(2, "causal"), max_length=None)
    assert reason(model) is None
    why = reason(change(model))
    assert why is not None
    assert said in why


def test_the_certificate_says_what_is_proved_and_what_is_tested() -> None:
    """Its figures are those of the weights, and the card tells them."""
    model = bare(5, "none")
    files = write(model, Path())
    known, config = json.loads(files["certificate.json"]), json.loads(files["config.json"])
    assert known["dtype"] == config["dtype"] == "float64"
    assert known["figures"]["width"] == config["hidden_size"]
    assert 0 < known["read_error"]["relative"] < 1e-12
    assert known["rows"]["longest_seen"] <= known["rows"]["bound_used"]
    assert len(known["assumptions"]) > 3
    assert known["tested"]
    assert known["norms_off_by"] == known["read_error"]["relative"]
    assert "off by" in known["tested"][1]
    assert f"{known['read_error']['relative']:.2g}" in files["README.md"].decode()


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Conversion is numpy and text: the library is needed to load what was written, not to write it."""
    assert TARGET.packages == ("torch", "transformers")
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(write(bare(3, "causal"), Path()))
