"""Every surface that calls answers right, certified or proved says of a causal model which program it means."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import capax
from capax.compiler.compiled import Compiled
from capax.model.export.readme import readme
from capax.rasp.text.module import stored_program
from tests.unit.app.outcome import Capax

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

HIDDEN = "the program with later positions hidden"
WORD = 'the program as written differs, first on "ab": it gives [b, a], the weights give [a, a]'
FILE = "model.safetensors"


def made(program: Any = None, **settings: Any) -> Compiled:
    """A causal model of a program; of reverse, whose answers that changes, unless another is given."""
    wanted = {"alphabet": "ab", "max_length": 4, "causal": True, **settings}
    found: Compiled = capax.compile(capax.library.reverse if program is None else program, **wanted)
    return found


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The causal model of reverse in a file."""
    made().model.save(tmp_path / FILE)
    return tmp_path


def test_in_python() -> None:
    compiled = made()
    assert compiled.label == f"certified in float32 up to length 4, for {HIDDEN}"
    assert compiled.label in repr(compiled)
    assert compiled.check.statement == f"the model's answers are those of {HIDDEN}, up to length 4"
    assert all(part.statement.endswith(f", as {HIDDEN}") for part in compiled.check.parts)
    assert made(causal=False).label == "certified in float32 up to length 4"
    assert made(certify=False).label == f"checked by test only, for {HIDDEN}"


def test_compile(capax: Capax) -> None:
    args = ("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "--causal")
    done = capax(*args)
    assert f"up to length 4, as {HIDDEN} (exhaustive" in done.out
    assert f"\ncertified in float32 up to length 4, for {HIDDEN}\n" in done.out
    assert f"\ncausal: {WORD}\n" in done.out
    found = capax(*args, "--json").json
    assert found["about"] == HIDDEN
    assert found["causal_change"]["word"] == ["a", "b"]
    assert capax(*args[:-1], "--json").json["about"] == "the program"


def test_verify(capax: Capax, saved: Path) -> None:
    done = capax("verify", FILE)
    assert done.code == 0
    assert f"{FILE}: reverse with later positions hidden and the weights agree on every word" in done.out
    assert f"causal: {WORD}\n" in done.out
    found = capax("verify", FILE, "--json").json
    assert (found["about"], found["causal_change"]["word"]) == (HIDDEN, ["a", "b"])


def test_verify_tries_again_what_the_file_says(capax: Capax, saved: Path) -> None:
    model = made().model
    told = {**model.provenance.causal_change, "changes": False}
    replace(model, provenance=replace(model.provenance, causal_change=told)).save(saved / FILE)
    assert WORD in capax("verify", FILE).out
    assert WORD in capax("verify", "--certificate", FILE).out


def test_verify_names_the_program_of_a_counterexample(capax: Capax, saved: Path) -> None:
    model = made().model
    replace(model, provenance=replace(model.provenance, program="x = tokens;")).save(saved / FILE)
    done = capax("verify", FILE)
    assert done.code == 1
    assert f"  {HIDDEN} gives [a, b]\n  the weights " in done.out


def test_verify_certificate(capax: Capax, saved: Path) -> None:
    done = capax("verify", "--certificate", FILE)
    assert done.code == 0
    assert f"the certificate follows from the weights and {HIDDEN}\n" in done.out
    assert f"causal: {WORD}\n" in done.out
    assert capax("verify", "--certificate", FILE, "--json").json["about"] == HIDDEN


def test_explain(capax: Capax, saved: Path) -> None:
    assert f"\ncausal     it computes {HIDDEN}; {WORD}\n" in capax("explain", FILE).out
    assert capax("explain", FILE, "--json").json["claim"] == f"it computes {HIDDEN}; {WORD}"
    made(causal=False).model.save(saved / FILE)
    assert "\ncausal  " not in capax("explain", FILE).out


def test_hugging_face(capax: Capax, saved: Path) -> None:
    pytest.importorskip("transformers")
    done = capax("export", FILE, "--to", "hf", "-o", "out")
    proved = f"every answer is that of {HIDDEN}, for all words of 1 to 4 tokens on which the program has a value"
    assert f"proved: {proved}, in float32; {WORD}\n" in done.out
    assert f"causal: it computes {HIDDEN}; {WORD}\n" in done.out
    known = json.loads((saved / "out" / "certificate.json").read_text())
    assert known["proved"][-1] == f"{proved}, in float32; {WORD}"
    card = (saved / "out" / "README.md").read_text()
    assert f"Proved as well: {proved}, in float32; {WORD}." in card
    assert f"It computes {HIDDEN}; {WORD}. The program as written:" in card
    again = capax("verify", "--certificate", "out")
    assert f"the certificate follows from the weights and {HIDDEN}\n" in again.out
    assert f"causal: {WORD}\n" in again.out


def test_the_cards_of_other_tools() -> None:
    """Those of PyTorch, ONNX and TransformerLens are one page with another way to run it."""
    assert f"It computes {HIDDEN}; {WORD}. The program as written:\n" in readme(made().model, "torch")
    assert "It computes this RASP program:\n" in readme(made(causal=False).model, "torch")


def test_a_program_that_looks_back_already(capax: Capax, tmp_path: Path) -> None:
    program = stored_program('x = aggregate(select(indices, indices - 1, ==), tokens, "-");')
    made(program).model.save(tmp_path / FILE)
    same = "hiding them changed no answer on the 30 words tried"
    assert f"causal: {same}\n" in capax("verify", FILE).out
    assert f"it computes {HIDDEN}; {same}" in capax("explain", FILE).out


def test_nothing_compared_is_no_agreement(capax: Capax, tmp_path: Path) -> None:
    """A program that fails on every word: the answer is no, and no line says yes."""
    model = made(causal=False).model
    replace(model, provenance=replace(model.provenance, program="x = indices + [1, 2, 3, 4, 5];")).save(tmp_path / FILE)
    done = capax("verify", FILE)
    assert done.code == 1
    assert f"{FILE}: nothing could be compared: the program has a value on none of the words" in done.out
    assert "yes" not in done.out
    assert "agree" not in done.out
    assert "the program itself fails on" in done.out
    found = capax("verify", FILE, "--json").json
    assert (found["right"], found["check"]["count"], found["check"]["parts"]) == (False, 0, [])


def test_words_without_a_value_are_not_counted_as_right(capax: Capax) -> None:
    done = capax("compile", "indices + [1,2,3]", "--alphabet", "ab", "--max-length", "5")
    assert "yes right on all words up to length 5 on which the program has a value (exhaustive, 8 words)" in done.out
    assert "--  nothing to compare on words with ties, extremes and the greatest length 5: the program has" in done.out
    assert "\ncertified in float32 up to length 5, on words on which the program has a value\n" in done.out
    assert " 0 words" not in done.out


def test_a_model_of_which_no_word_was_compared_is_not_called_checked() -> None:
    program = stored_program("x = indices + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];")
    compiled = made(program, max_length=300, causal=False, certify=False, words=1)
    assert compiled.check.count == 0
    assert not compiled.check.holds
    assert compiled.label == "not checked, on words on which the program has a value"
