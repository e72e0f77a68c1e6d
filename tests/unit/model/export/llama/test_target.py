"""Models in the stock Llama class: the answers, the ways to run it, its relatives, and what is refused."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import capax
from capax import aggregate, select
from capax.app.commands.verify import verify_certificate
from capax.app.files.exports import export, fitted
from capax.certify.exported_models.exported import proof_json
from capax.errors import CapaxError
from capax.model.export.export_check import check
from capax.model.export.llama.target import reason
from capax.model.export.llama.weights import translate
from capax.model.export.target import target
from capax.model.model import Model
from capax.model.parts import Head
from tests.support.llama_exports import PROGRAMS, llama, model_of, put, verdict_of

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like


def adversarial(alphabet: str, length: int) -> list[str]:
    """Words of one letter, of two in turn, with one other letter at each end, and all letters over and over."""
    a, b, c = (alphabet * 3)[0], (alphabet * 3)[1], alphabet[-1]
    words = [a * length, c * length, (a + b) * length, a + c * length, c * (length - 1) + a, (alphabet * length)]
    return [word[:length] for word in words]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_stock_class_gives_the_answers_of_the_program(name: str, tmp_path: Path) -> None:
    """On all words up to 4 and on adversarial ones of full length, to the last bit of a logit or almost."""
    program, alphabet, length = PROGRAMS[name]
    model = model_of(name)
    runner = target("llama").load(put(llama(name), tmp_path / "llama"))
    report = check(model, runner, words=60)
    assert report.holds
    assert report.figures["difference"] < 1e-5
    words = ["".join(w) for n in range(1, 5) for w in product(alphabet, repeat=n)] + adversarial(alphabet, length)
    for word, output in zip(words, runner(words), strict=True):
        expected = [program(word[: i + 1])[-1] for i in range(len(word))]
        assert [str(x) for x in output.answers] == [str(x) for x in expected]


def _logits(folder: Path, words: list[str], attention: str, **options: Any) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network = AutoModelForCausalLM.from_pretrained(folder, attn_implementation=attention, **options).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(words, return_tensors="pt")
    with torch.inference_mode():
        return network, network(**inputs).logits


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_attention_kernels_and_the_cache_agree_to_the_last_bit(dtype: str, tmp_path: Path) -> None:
    """Eager attention, the fused kernel, and one token at a time with keys and values kept."""
    import torch
    from transformers import AutoTokenizer

    folder = put(llama("induction", dtype), tmp_path / "llama")
    words = adversarial("abc", 9)
    network, eager = _logits(folder, words, "eager", dtype="auto")
    assert str(network.dtype) == f"torch.{dtype}"
    assert torch.equal(eager, _logits(folder, words, "sdpa", dtype="auto")[1])
    ids, past, steps = AutoTokenizer.from_pretrained(folder)(words, return_tensors="pt").input_ids, None, []
    with torch.inference_mode():
        for at in range(ids.shape[1]):
            out = network(input_ids=ids[:, at : at + 1], past_key_values=past, use_cache=True)
            past = out.past_key_values
            steps.append(out.logits)
    assert torch.equal(torch.cat(steps, dim=1), eager)


def test_norms_give_back_what_they_are_given(tmp_path: Path) -> None:
    """Bit by bit: what a map reads is the stream, and 1 at the direction that is pinned."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = put(llama("induction"), tmp_path / "llama")
    network = AutoModelForCausalLM.from_pretrained(folder).eval()
    seen: list[tuple[Any, Any]] = []
    for name, module in network.named_modules():
        if name.endswith("norm"):
            module.register_forward_hook(lambda _, inputs, output: seen.append((inputs[0], output)))
    with torch.inference_mode():
        network(**AutoTokenizer.from_pretrained(folder)(["abcabcabc"], return_tensors="pt"))
    assert len(seen) == 2 * network.config.num_hidden_layers + 1
    for before, after in seen:
        assert torch.equal(before[..., 1:], after[..., 1:])
        assert (after[..., 0] == 1).all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_pipeline_continues_text(dtype: str, tmp_path: Path) -> None:
    """As the model itself does; words of a batch are padded."""
    from transformers import pipeline

    folder = put(llama("induction", dtype), tmp_path / "llama")
    generate = pipeline("text-generation", model=str(folder), dtype="auto")
    texts = generate(["abcab", "bcb"], max_new_tokens=3, return_full_text=False, batch_size=2)
    assert [text[0]["generated_text"] for text in texts] == ["cab", "cbc"]
    assert str(generate.model.dtype) == f"torch.{dtype}"


def test_heads_of_a_group_share_keys_and_values(tmp_path: Path) -> None:
    """Where several heads fit one head's size: as many groups as are needed, and the same answers."""
    both = capax.aggregate(capax.select(capax.tokens, "a", "=="), 1) + 2 * capax.aggregate(
        capax.select(capax.tokens, "b", "=="), 1
    )
    model = capax.compile(both, alphabet="ab", max_length=6, causal=True, certify=False, words=20).model
    capax.export_model(model, tmp_path / "llama", to="llama")
    config = json.loads((tmp_path / "llama" / "config.json").read_bytes())
    heads = max(len([h for h in b.heads if isinstance(h, Head)]) for b in model.blocks)
    assert heads > 1
    assert config["num_key_value_heads"] < config["num_attention_heads"] == heads


def _letters_behind(count: int) -> Any:
    """How many of the letters at distances 1 to `count` are a: a head for each."""
    behind = [aggregate(select(capax.indices, capax.indices - i, "=="), capax.tokens, "") for i in range(1, count + 1)]
    return sum((capax.where(letter == "a", 1, 0) for letter in behind[1:]), capax.where(behind[0] == "a", 1, 0))


@pytest.mark.parametrize(("heads", "padded"), [(3, 4), (5, 8), (7, 8)])
def test_heads_of_zeros_fill_up_to_a_divisor_of_the_width(heads: int, padded: int, tmp_path: Path) -> None:
    """The class refuses other numbers; the answers are the same, and proved."""
    model = capax.compile(
        _letters_behind(heads), alphabet="ab", max_length=8, causal=True, certify=False, words=10
    ).model
    assert max(len(block.heads) for block in model.blocks) == heads
    assert export(model, str(tmp_path / "llama"), target("llama"), words=10).report.holds
    config = json.loads((tmp_path / "llama" / "config.json").read_bytes())
    assert (config["num_attention_heads"], config["hidden_size"] % padded) == (padded, 0)
    assert padded % config["num_key_value_heads"] == 0
    certificate = json.loads((tmp_path / "llama" / "certificate.json").read_bytes())
    assert (certificate["figures"]["heads"], certificate["figures"]["heads_used"]) == (padded, heads)
    checked = verify_certificate(str(tmp_path / "llama"))
    assert (checked.holds, checked.lengths) == (True, {"float32": 8})


def test_more_heads_than_directions_make_the_width_greater() -> None:
    """The class has a width that heads divide: 17 heads of a narrow model are 32 in a width of 64."""
    model = model_of("previous")
    (head,) = next(block.heads for block in model.blocks if block.heads)
    wide = replace(model, blocks=tuple(replace(b, heads=(head,) * 17) if b.heads else b for b in model.blocks))
    sizes = translate(wide, wide.readout.map, len(wide.vocabulary.tokens)).sizes
    assert translate(model, model.readout.map, len(model.vocabulary.tokens)).sizes.width == 16
    assert (sizes.heads, sizes.width, sizes.heads % sizes.groups) == (32, 64, 0)


@pytest.mark.parametrize("family", ["mistral", "qwen2", "phi3"])
def test_relatives_of_the_class_give_the_same_logits(family: str, tmp_path: Path) -> None:
    """Bit by bit; their certificates claim nothing of the answers."""
    model = model_of("induction")
    files = dict(target(family).write(model, tmp_path))
    words = ["abcabcab", "ccbacb", "b"]
    own = target(family).load(put(files, tmp_path / family))(words)
    expected = target("llama").load(put(llama("induction"), tmp_path / "llama"))(words)
    assert all(np.array_equal(one.logits, two.logits) for one, two in zip(own, expected, strict=True))
    assert json.loads(files["config.json"])["model_type"] == family
    assert json.loads(files["certificate.json"])["answers"] is None


def test_what_the_class_cannot_hold_is_refused(tmp_path: Path) -> None:
    """Other numbers, heads that see later positions, float16; nothing is written."""
    reverse = capax.compile(capax.library.reverse, alphabet="ab", max_length=4, certify=False, words=20).model
    assert "see later positions" in (reason(reverse) or "")
    induction = model_of("induction")
    for numbers in ("float64", "float16"):
        with pytest.raises(CapaxError) as raised:
            capax.export_model(induction.to(numbers), tmp_path / "llama", to="llama")
        assert raised.value.code == "not-exportable"
        assert numbers in raised.value.what
    assert not (tmp_path / "llama").exists()
    with pytest.raises(CapaxError):
        capax.compile(capax.library.induction, alphabet="ab", max_length=60, causal=True, dtype="bfloat16")


def test_weights_that_bfloat16_would_round_are_refused(tmp_path: Path) -> None:
    """Logits of counts up to 32 have such weights; nothing is written, and counts up to 8 are right."""

    def histogram(most: int) -> Any:
        words: dict[str, Any] = {"alphabet": "abc", "max_length": most, "causal": True, "certify": False, "words": 5}
        return capax.compile(capax.library.hist_nobos, dtype="bfloat16", **words).model

    with pytest.raises(CapaxError) as raised:
        capax.export_model(histogram(32), tmp_path / "llama", to="llama")
    assert raised.value.code == "not-exportable"
    assert "logits of its 32 answers" in raised.value.what
    assert list(tmp_path.iterdir()) == []
    assert export(histogram(8), str(tmp_path / "llama"), target("llama"), words=5).report.holds


def _parity(rounds: Any, *, causal: bool) -> Model:
    one, before = capax.tokens == "a", select(capax.indices, capax.indices - 1, "==")
    (parity,) = capax.repeat(lambda odd: one != aggregate(before, odd, False), [one], rounds)
    return capax.compile(parity, alphabet="ab", max_length=4, causal=causal, certify=False, words=5).model


@pytest.mark.parametrize("tool", ["llama", "mistral"])
def test_a_loop_that_is_not_causal_is_told_so_at_once(tool: str) -> None:
    """Writing it out would not help, and a causal model has as many rounds at all lengths."""
    looped = _parity(capax.length, causal=False)
    assert looped.loop is not None
    with pytest.raises(CapaxError) as raised:
        fitted(looped, target(tool))
    assert "compile it with --causal, and a constant number of rounds" in raised.value.what
    assert "--length" not in raised.value.what


def test_a_loop_of_constant_rounds_is_proved_without_a_length(tmp_path: Path) -> None:
    """With one, which is not needed, the proof is lost, and the export says what to do."""
    looped = _parity(2, causal=True)
    assert looped.loop is not None
    longer = export(looped, str(tmp_path / "length"), target("llama"), words=5, length=4)
    assert "without --length" in longer.added[0]
    assert not verify_certificate(str(tmp_path / "length")).holds
    assert not any("--length" in note for note in export(looped, str(tmp_path / "own"), target("llama"), words=5).added)
    assert verify_certificate(str(tmp_path / "own")).holds


@pytest.mark.deep
@pytest.mark.parametrize("name", ["previous", "induction", "histogram", "hop2", "brackets"])
def test_long_words_are_right_and_proved(name: str, tmp_path: Path) -> None:
    """At length 256, on adversarial words of every power of two: the answers of the certified model in float64."""
    program, alphabet, _ = PROGRAMS[name]
    shared: dict[str, Any] = {"alphabet": alphabet, "max_length": 256, "causal": True, "certify": False}
    model = fitted(capax.compile(program, **shared).model, target("llama"))[0]
    files = dict(target("llama").write(model, tmp_path, proof_json))
    assert verdict_of(files)["length"] == 256
    runner = target("llama").load(put(files, tmp_path / "llama"))
    words = [word for k in range(2, 9) for word in adversarial(alphabet, 2**k)]
    expected = capax.compile(program, dtype="float64", **shared).model.batch(words)
    assert [list(output.answers) for output in runner(words)] == expected
