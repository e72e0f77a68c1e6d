"""GGUF files in llama.cpp, which is not the class that capax runs them in."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import capax
from capax.model.export.gguf.target import FILE
from capax.model.export.target import target
from tests.support.llama_exports import PROGRAMS, model_of

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

Ask = Callable[[Any, int], dict[str, Any]]
LONGER = ["aaaaaaaa", "cccccccc", "aaaaaaab", "abababab", "baaaaaab", "abcabcab", "cbacbacb", "accccccc"]


@contextmanager
def runtime(file: Path, kind: str = "F32") -> Iterator[Ask]:
    """llama.cpp with a file: continues a text, or ids of tokens, and says what it thought of the next one.

    Keys and values are kept in the number system that is asked for; attention is computed step by step in float32.
    """
    llama = pytest.importorskip("xllamacpp")
    settings = llama.CommonParams()
    settings.model.path = str(file)
    settings.n_parallel = settings.cpuparams.n_threads = 1
    settings.n_gpu_layers = settings.verbosity = 0
    settings.warmup = settings.fit_params = False
    settings.cache_type_k = settings.cache_type_v = getattr(llama.ggml_type, f"GGML_TYPE_{kind}")
    settings.flash_attn_type = llama.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    server = llama.Server(settings)

    def ask(prompt: Any, count: int) -> dict[str, Any]:
        wants = {"prompt": prompt, "n_predict": count, "temperature": 0, "top_k": 1, "n_probs": 9}
        answer: dict[str, Any] = server.handle_completions(wants)["choices"][0]
        return answer

    yield ask


@pytest.mark.deep
@pytest.mark.parametrize("name", ["previous", "induction", "hop2"])
@pytest.mark.parametrize(("dtype", "kind"), [("float32", "F32"), ("bfloat16", "F32"), ("bfloat16", "F16")])
def test_the_next_token_is_the_answer_of_the_program(name: str, dtype: str, kind: str, tmp_path: Path) -> None:
    """All words of up to 5 letters, and adversarial ones, but the longest: the runtime keeps room for one more token.

    Logits are right, too: the best is ahead of the next by 1, as in the model.
    """
    for file, data in target("gguf").write(model_of(name, dtype), tmp_path).items():
        (tmp_path / file).write_bytes(data)
    program, letters, length = PROGRAMS[name]
    known = json.loads((tmp_path / "capax.json").read_bytes())
    value_of = dict(zip(known["rows"], known["decoding"]["values"], strict=True))
    ids = json.loads((tmp_path / "tokenizer.json").read_bytes())["model"]["vocab"]
    words = ["".join(w) for n in range(1, 6) for w in product(letters, repeat=n)]
    words += [word[: length - 1] for word in LONGER]
    with runtime(tmp_path / FILE, kind) as ask:
        for word in words:
            (first,) = ask([ids["<bos>"]] * known["prefix"] + [ids[c] for c in word], 1)["logprobs"]["content"]
            best, second = [e for e in first["top_logprobs"] if e["id"] in value_of][:2]
            assert value_of[best["id"]] == program(word)[-1], word
            assert best["logprob"] - second["logprob"] == pytest.approx(1, abs=1e-5), word


@pytest.mark.deep
def test_a_text_is_continued(tmp_path: Path) -> None:
    """By the tokenizer in the file, which adds the first token; keys and values are kept from token to token."""
    model = capax.compile(
        capax.library.induction, alphabet="abc", max_length=20, causal=True, certify=False, words=30
    ).model
    capax.export_model(model, tmp_path / "induction", to="gguf")
    with runtime(tmp_path / "induction" / FILE) as ask:
        assert ask("abcab", 9)["text"] == "cabcabcab"
        assert ask("cca", 1)["text"] == ""  # the answer is the empty text, which ends the text
