"""What Hugging Face makes of exported directories: pipelines, batches, and models that go out and come back."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

import capax
from capax.app.files.exports import export, export_model
from capax.model.export.target import target
from capax.model.run.run import logits
from tests.support.checkpoints import IDS, make

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like


def exported(path: Path, program: str, alphabet: object, length: int, **settings: object) -> capax.Model:
    """A program of the library, compiled and exported to a folder."""
    model = capax.compile(
        getattr(capax.library, program), alphabet=alphabet, max_length=length, certify=False, **settings
    ).model
    export(model, str(path), target("hf"), words=60)
    return model


def test_a_next_token_program_generates_text(tmp_path: Path) -> None:
    """The pipeline continues prompts as the model does, alone and in a batch, and stops at the answer that ends."""
    from transformers import pipeline

    model = exported(tmp_path / "out", "induction", "abc", 14, causal=True)
    # pipelines of some versions sample: of one token there is nothing to sample
    assert json.loads((tmp_path / "out" / "generation_config.json").read_text())["top_k"] == 1
    generate = pipeline("text-generation", model=str(tmp_path / "out"), dtype="auto")
    prompts = ["abcab", "aab", "cabca", "bcacb"]
    expected = ["".join(model.generate(prompt, 6, stop="")) for prompt in prompts]
    for prompt, wanted in zip(prompts, expected, strict=True):
        (found,) = generate(prompt, max_new_tokens=6, return_full_text=False)
        assert found["generated_text"] == wanted
    batch = generate(prompts, max_new_tokens=6, return_full_text=False, batch_size=4)
    assert [row[0]["generated_text"] for row in batch] == expected
    assert len(set(map(len, expected))) > 1
    (whole,) = generate("abcab", return_full_text=False)  # ends at the last place, and does not fall off the table
    assert whole["generated_text"] == "".join(model.generate("abcab", 9, stop=""))
    assert len(whole["generated_text"]) == 9


def test_tokens_are_labelled(tmp_path: Path) -> None:
    """The pipeline for labelling tokens gives the answers by name; numbers are tokens too."""
    from transformers import pipeline

    model = exported(tmp_path / "out", "reverse", [10, 2, "x"], 6)
    label = pipeline("token-classification", model=str(tmp_path / "out"), dtype="auto", ignore_labels=[])
    found = [row["entity"] for row in label("10 x x 2")]
    assert [str(answer) for answer in model([10, "x", "x", 2])] == found[-4:]


PADDED = {
    "RobertaForTokenClassification": ("hist_nobos", {}),
    "RobertaForTokenClassification, no BOS": ("reverse", {}),
    "RobertaForTokenClassification, causal": ("hist_nobos", {"causal": True}),
    "OPTForCausalLM": ("induction", {"causal": True}),
}


@pytest.mark.parametrize("name", PADDED)
def test_padding_changes_no_answer_on_either_side(name: str, tmp_path: Path) -> None:
    """Words of all lengths in one batch: a plain call of the stock class, padded by the tokenizer as it is, left and
    right, gives the answers; and so do pipelines with batches."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForTokenClassification, AutoTokenizer, pipeline

    program, settings = PADDED[name]
    folder = str(tmp_path / "out")
    model = exported(tmp_path / "out", program, "abc", 8, **settings)
    words = ["a", "abcabcab", "bca", "cc", "abacb", "bbbaccc"]
    expected = [[str(answer) for answer in model(word)] for word in words]
    generates = name == "OPTForCausalLM"
    loader = AutoModelForCausalLM if generates else AutoModelForTokenClassification
    network = loader.from_pretrained(folder, dtype="auto").eval()
    assert type(network).__name__ == name.split(",")[0]
    for side in (None, "right", "left"):
        tokenizer = AutoTokenizer.from_pretrained(folder, **({} if side is None else {"padding_side": side}))
        batch = tokenizer(words, padding=True, return_tensors="pt")
        with torch.inference_mode():
            best = network(**batch).logits.argmax(-1)
        before = len(tokenizer("a")["input_ids"]) - 1
        rows = [row[mask.bool()][before:] for row, mask in zip(best, batch["attention_mask"], strict=True)]
        if generates:
            found = [[t.replace("<end>", "") for t in tokenizer.convert_ids_to_tokens(row)] for row in rows]
        else:
            found = [[network.config.id2label[int(i)] for i in row] for row in rows]
            label = pipeline("token-classification", model=network, tokenizer=tokenizer, ignore_labels=[], batch_size=3)
            assert [[r["entity"] for r in row][-len(w) :] for w, row in zip(words, label(words), strict=True)] == found
        assert found == expected, side


def test_a_batch_generates_with_the_padding_of_the_tokenizer(tmp_path: Path) -> None:
    """It is on the left, where generation needs it."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = exported(tmp_path / "out", "induction", "abc", 12, causal=True)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "out"))
    network = AutoModelForCausalLM.from_pretrained(str(tmp_path / "out"), dtype="auto").eval()
    words = ["aba", "abcab", "bccb", "cabcab"]
    batch = tokenizer(words, padding=True, return_tensors="pt")
    made = network.generate(**batch, max_length=batch["input_ids"].shape[1] + 4)
    texts = [tokenizer.decode(row[-4:], skip_special_tokens=True) for row in made]
    assert texts == ["".join(model.generate(word, 4, stop="")) for word in words]


@pytest.mark.parametrize(("program", "settings"), [("reverse", {}), ("induction", {"causal": True})])
def test_what_a_model_cannot_read_is_an_error_that_names_it(
    program: str, settings: dict[str, bool], tmp_path: Path
) -> None:
    """An unknown token and a text that is too long: in the tokenizer, with truncation asked for, and in pipelines."""
    from transformers import AutoTokenizer, pipeline

    exported(tmp_path / "out", program, "ab", 4, **settings)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "out"))
    assert len(tokenizer("abba")["input_ids"]) == (5 if settings else 4)
    task = "text-generation" if settings else "token-classification"
    run = pipeline(task, model=str(tmp_path / "out"), dtype="auto")
    wrong = 'none of "a", "b", or a text of more than 4 tokens'
    for text in ("abxa", "abbab", "ab" * 20):
        for call in (tokenizer, run, lambda text: tokenizer(text, truncation=True, max_length=5)):
            with pytest.raises(Exception, match=wrong):
                call(text)


def test_words_that_are_split_already_are_not_cut(tmp_path: Path) -> None:
    """There is no length for a pipeline to cut them to."""
    from transformers import AutoTokenizer

    exported(tmp_path / "out", "reverse", "ab", 4)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "out"))
    assert tokenizer.model_max_length > 10**6


@pytest.mark.parametrize("name", ["GPT-2", "GPT-2, untied", "GPT-2, labels", "BERT, labels", "OPT"])
def test_what_came_in_goes_out_again(name: str, tmp_path: Path) -> None:
    """An imported model is written with its own norms, and comes in a second time with the same logits."""
    expected = make(name, tmp_path / "checkpoint")
    model = capax.import_model(tmp_path / "checkpoint")
    report = export_model(model, tmp_path / "out", "hf")
    assert report.figures["difference"] < 1e-4
    # these classes count padding on the left as positions: the tokenizer does not put it there, and the card says so
    settings = json.loads((tmp_path / "out" / "tokenizer_config.json").read_text())
    assert settings["padding_side"] == "right" or "pad_token" not in settings
    assert "**Pad on the right** in plain calls" in (tmp_path / "out" / "README.md").read_text()
    again = capax.import_model(tmp_path / "out")
    words = [[again.vocabulary.tokens[i] for i in ids] for ids in IDS]
    for one, two in zip(expected, logits(again, words), strict=True):
        assert np.abs(one - two).max() < 1e-5


def test_an_export_comes_in_again(tmp_path: Path) -> None:
    """A compiled model that was exported is read as a model with norms, and still gives its answers."""
    model = exported(tmp_path / "out", "hist_nobos", "abc", 8)
    again = capax.import_model(tmp_path / "out")
    assert again.prefix
    for word in ("a", "abca", "ccbccbca"):
        assert again(word) == [str(answer) for answer in model(word)]


def test_numbers_as_tokens_are_read_and_generated(tmp_path: Path) -> None:
    """10 is one token, and 0, the first of all, is not left out of a generated text; nor is it a name for padding."""
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, pipeline

    torch.manual_seed(2)
    sizes = {"vocab_size": 12, "n_embd": 12, "n_layer": 1, "n_head": 2, "n_positions": 12}
    made = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, tie_word_embeddings=False))
    with torch.no_grad():
        for weight in made.parameters():
            weight.normal_()
    made.save_pretrained(tmp_path / "checkpoint")
    model = capax.import_model(tmp_path / "checkpoint")
    export_model(model, tmp_path / "out", "hf")
    assert AutoTokenizer.from_pretrained(str(tmp_path / "out"))("10 0 1 11")["input_ids"] == [10, 0, 1, 11]
    generate = pipeline("text-generation", model=str(tmp_path / "out"), dtype="auto")
    found = []
    for first in range(12):
        (text,) = generate(str(first), max_new_tokens=6, return_full_text=False)
        assert [int(token) for token in text["generated_text"].split()] == model.generate([first], 6)
        found += text["generated_text"].split()
    assert "0" in found


def test_an_answer_that_ends_is_not_looked_for_in_texts(tmp_path: Path) -> None:
    """The answer `ab` is no token; a text with `ab` in it is still the tokens a and b."""
    from transformers import AutoTokenizer, pipeline

    before = capax.aggregate(capax.select(capax.indices, capax.indices - 1, "=="), capax.tokens, "a")
    program = capax.where(before == "b", "ab", capax.tokens)
    model = capax.compile(program, alphabet="ab", max_length=6, causal=True, certify=False).model
    assert export_model(model, tmp_path / "out", "hf").holds
    assert AutoTokenizer.from_pretrained(str(tmp_path / "out"))("abba")["input_ids"][1:] == [0, 1, 1, 0]
    generate = pipeline("text-generation", model=str(tmp_path / "out"), dtype="auto")
    for prompt, wanted in (("aa", "aaa"), ("ba", "")):
        assert generate(prompt, max_new_tokens=3, return_full_text=False)[0]["generated_text"] == wanted


_RUN = """
import sys
assert "capax" not in {m.split(".")[0] for m in sys.modules}
try:
    import capax
except ImportError:
    pass
else:
    raise SystemExit("capax is here")
from transformers import AutoModelForTokenClassification, AutoTokenizer, pipeline
generate = pipeline("text-generation", model=sys.argv[1], dtype="auto")
print(generate("abcab", max_new_tokens=4, return_full_text=False)[0]["generated_text"])
tokenizer = AutoTokenizer.from_pretrained(sys.argv[2])
model = AutoModelForTokenClassification.from_pretrained(sys.argv[2], dtype="auto").eval()
rows = model(**tokenizer("({})}", return_tensors="pt")).logits[0, 1:].argmax(-1)
print("".join(model.config.id2label[int(i)] for i in rows))
"""


@pytest.mark.deep
def test_a_fresh_environment_runs_it(tmp_path: Path) -> None:
    """With torch and transformers alone, and no capax, both classes give the answers."""
    one = exported(tmp_path / "one", "induction", "abc", 12, causal=True)
    two = exported(tmp_path / "two", "dyck2_ptf", "(){}", 6)
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    pins = Path(__file__).parents[2] / "constraints.txt"
    install = [python, "-m", "pip", "install", "-q", "-c", str(pins), "torch", "transformers"]
    subprocess.run(install, check=True, timeout=1500)
    command = [python, "-I", "-c", _RUN, str(tmp_path / "one"), str(tmp_path / "two")]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    first, second = found.stdout.split()
    assert first == "".join(one.generate("abcab", 4, stop=""))
    assert second == "".join(map(str, two("({})}")))
    assert sys.executable != python
