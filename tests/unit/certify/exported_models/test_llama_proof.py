"""Proofs of Llama directories: what is claimed follows from the bytes, and other bytes are rejected."""

import json
from pathlib import Path

import numpy as np
import pytest

from capax.app.commands.verify import verify_certificate
from capax.certify.exported_models.exported import recheck_export
from capax.model.export.target import target
from capax.model.io.container import Stored, pack, unpack
from capax.model.run.run import answers
from tests.support.llama_exports import PROGRAMS, llama, model_of, put, verdict_of

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_answers_are_proved(name: str) -> None:
    """At the model's own length, in float32; and the claim follows from the files alone."""
    files = llama(name)
    verdict = verdict_of(files)
    assert (verdict["length"], verdict["numbers"], verdict["breaks"]) == (PROGRAMS[name][2], "float32", None)
    assert recheck_export(files, json.loads(files["certificate.json"])["answers"])[0] is None


@pytest.mark.parametrize("name", ["previous", "induction", "first", "hop2", "counter"])
def test_answers_are_proved_in_bfloat16(name: str) -> None:
    """By the proof for that number system."""
    verdict = verdict_of(llama(name, "bfloat16"))
    assert (verdict["length"], verdict["numbers"]) == (PROGRAMS[name][2], "bfloat16")


def test_the_command_checks_a_directory(tmp_path: Path) -> None:
    """And says no where the certificate claims more than follows."""
    folder = put(llama("induction"), tmp_path / "llama")
    assert verify_certificate(str(folder)).holds
    text = (folder / "certificate.json").read_text()
    (folder / "certificate.json").write_text(text.replace('"decoding_margin": 0.5', '"decoding_margin": 0.75'))
    assert not verify_certificate(str(folder)).holds


def _shaken(files: dict[str, bytes], seed: int) -> tuple[dict[str, bytes], str]:
    """The files with one weight changed, and which."""
    source = np.random.default_rng(seed)
    tensors = dict(unpack(files["model.safetensors"], "test")[1])
    name = sorted(tensors)[int(source.integers(len(tensors)))]
    array = np.frombuffer(tensors[name].data, "<f4").copy()
    at = int(source.choice(np.nonzero(array)[0])) if array.any() and source.random() < 0.8 else 0
    array[at] = array[at] * source.choice([1.01, -1, 2, 0]) + (array[at] == 0)
    tensors[name] = Stored("F32", tensors[name].shape, array.tobytes())
    return {**files, "model.safetensors": pack(tensors, {"format": "pt"})}, name


def test_other_weights_are_rejected_or_change_no_answer(tmp_path: Path) -> None:
    """Forty single changes: most are rejected; where one is not, the class still gives the right answers."""
    files, model = llama("induction"), model_of("induction")
    claimed = json.loads(files["certificate.json"])["answers"]
    words = ["abcabcabc", "aaaaaaaaa", "abababab", "ccbaccba", "b", "cab"]
    expected, rejected = answers(model, words), 0
    for seed in range(40):
        other, name = _shaken(files, seed)
        wrong, _ = recheck_export(other, claimed)
        rejected += wrong is not None
        if wrong is None and rejected < 30:
            runner = target("llama").load(put(other, tmp_path / str(seed)))
            assert [list(o.answers) for o in runner(words)] == expected, name
    assert rejected >= 28


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rope_scaling", {"rope_type": "linear", "factor": 2.0}),
        ("rope_scaling", None),
        ("hidden_act", "gelu"),
        ("rms_norm_eps", 1e30),
        ("attention_bias", True),
        ("num_key_value_heads", 3),
        ("dtype", "float16"),
        ("sliding_window", 2),
        ("tie_word_embeddings", True),
        ("architectures", ["MistralForCausalLM"]),
    ],
)
def test_other_settings_are_rejected(key: str, value: object) -> None:
    """Each has the class do something else."""
    files = llama("induction")
    config = json.loads(files["config.json"]) | {key: value}
    other = {**files, "config.json": json.dumps(config).encode()}
    assert recheck_export(other, json.loads(files["certificate.json"])["answers"])[0] is not None
