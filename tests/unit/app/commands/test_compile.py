"""`capax compile` and `capax verify`."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import capax as package
from capax import CapaxError
from capax.app.commands._compile_options import read_tokens
from capax.app.files.models import load_model
from capax.compiler.compile import compile
from capax.model.parts import Affine, Readout
from capax.model.provenance import Provenance
from examples.previous_token import build
from tests.unit.app.outcome import Capax

REVERSE = ("compile", "reverse", "--alphabet", "abc", "--max-length", "6")
COUNTS = ("compile", "hist2_nobos", "--alphabet", "abc", "--max-length", "6")
FILE = "reverse.safetensors"


def test_compile_reports_and_writes(capax: Capax, tmp_path: Path) -> None:
    """The size, the check and the errors are printed; the file answers as the program does."""
    done = capax(*REVERSE, "-o", FILE)
    assert done.code == 0, done.err
    assert done.err == f"written to {FILE}\n"
    title = "reverse: words of 1 to 6; 3 tokens: a, b, c; float32"
    assert done.out.startswith(f"{title}\ncertified in float32 up to length 6\n\nattention layers  2\n")
    assert "yes right on all words up to length 4 (exhaustive, 120 words)\n" in done.out
    assert done.out.endswith("run-time errors: none possible on this domain\n")
    assert capax("apply", FILE, "abcab", "--json").json == list("bacba")
    assert [path.name for path in tmp_path.glob("reverse*")] == [FILE]


def test_compile_without_output_writes_nothing(capax: Capax, tmp_path: Path) -> None:
    """It only reports."""
    done = capax(*REVERSE)
    assert (done.code, done.err) == (0, "")
    assert list(tmp_path.glob("*.safetensors")) == []


def test_layers_without_heads_are_told(capax: Capax) -> None:
    """MLPs of one stage take layers that have no heads, and the report says so; others take none."""
    assert "1 more layer without heads for the further stages of MLPs\n" in capax(*COUNTS, "--mlp-depth", "1").out
    assert "without heads" not in capax(*COUNTS).out


def test_compile_as_json(capax: Capax) -> None:
    """One object with the documented keys."""
    result = capax(*REVERSE, "--json", "--causal", "--no-masks", "--dtype", "float64", "-o", FILE).json
    keys = ["program", "domain", "pads", "numbers", "size", "check", "certified_length", "label", "about"]
    keys += ["verdicts", "errors", "causal_change", "assumption", "target", "file"]
    assert list(result) == keys
    wanted = {"alphabet": ["a", "b", "c"], "max_length": 6, "causal": True, "masks": False}
    assert wanted.items() <= result["domain"].items()
    assert (result["program"], result["numbers"], result["file"]) == ("reverse", "float64", FILE)
    assert result["check"]["holds"]
    assert result["size"]["attention_layers"] == 1  # with later positions hidden the length is the position and one


def test_certificates(capax: Capax) -> None:
    """What is proved is told; without a certificate only the check speaks."""
    done = capax(*REVERSE, "--certify", "require")
    assert done.code == 0, done.err
    assert "\ncertified in float32 up to length 6\n" in done.out
    assert capax(*REVERSE, "--json").json["certified_length"] == 6
    none = capax(*REVERSE, "--certify", "no", "--json").json
    assert (none["certified_length"], none["label"]) == (0, "checked by test only")


def test_possible_errors_are_named(capax: Capax) -> None:
    """With a word that has the error, or as an assumption."""
    done = capax("compile", "1 / (indices - 1)", "--alphabet", "ab", "--max-length", "3")
    assert 'division-by-zero in `1 / (indices - 1)`: happens on "' in done.out
    error = capax("compile", "1 / (indices - 1)", "--alphabet", "ab", "--max-length", "3", "--json").json["errors"][0]
    assert list(error) == ["code", "where", "what", "outcome", "word"]
    assert (error["code"], error["outcome"]) == ("division-by-zero", "happens")
    with pytest.raises(CapaxError):
        package.Program.from_text("1 / (indices - 1);")(error["word"])


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("compile", "reverse", "--max-length", "4"), "--alphabet"),
        (("compile", "reverse", "--alphabet", "ab", "--alphabet-file", "t", "--max-length", "4"), "--alphabet"),
        (("compile", "reverse", "--alphabet", "aba", "--max-length", "4"), "bad-alphabet"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "0"), "--max-length"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "-o", "model.bin"), ".safetensors"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "-o", "no/such.safetensors"), "cannot write"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "--dtype", "int8"), "float64"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "--budget", "0"), "budget"),
        (("compile", "select(tokens, tokens, ==)", "--alphabet", "ab", "--max-length", "4"), "not-compilable"),
        (("compile", "reverse", "--alphabet", "ab", "--max-length", "4", "--certify", "maybe"), "--certify"),
        (("verify", "nowhere.safetensors"), "no file"),
        (("verify", "nowhere.safetensors", "--words", "0"), "--words"),
    ],
)
def test_bad_input(capax: Capax, args: tuple[str, ...], says: str) -> None:
    """Exit code 2, nothing on standard output."""
    done = capax(*args)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_alphabets(capax: Capax, tmp_path: Path) -> None:
    """From the command line split as inputs are, or from a file."""
    (tmp_path / "t.txt").write_text("10\n-2\n3\n")
    (tmp_path / "t.json").write_text('["", true, 1.5]')
    assert read_tokens("a bc", None, "words") == ["a", "bc"]
    assert read_tokens("1,2 3", None, "ints") == [1, 2, 3]
    assert read_tokens("[true, false]", None, "json") == [True, False]
    assert read_tokens(None, str(tmp_path / "t.txt"), "ints") == [10, -2, 3]
    assert read_tokens(None, str(tmp_path / "t.txt"), "floats") == [10.0, -2.0, 3.0]
    assert read_tokens(None, str(tmp_path / "t.txt"), "chars") == ["10", "-2", "3"]
    assert read_tokens(None, str(tmp_path / "t.json"), "chars") == ["", True, 1.5]
    done = capax("compile", "tokens_int + 1", "--alphabet-file", "t.txt", "--as", "ints", "--max-length", "3", "--json")
    assert done.json["domain"]["alphabet"] == [10, -2, 3]


@pytest.mark.parametrize(
    ("name", "content"), [("t.txt", "a\n\nb\n"), ("t.json", '{"a": 1}'), ("t.json", "["), ("t.txt", "")]
)
def test_bad_alphabet_files(capax: Capax, tmp_path: Path, name: str, content: str) -> None:
    """An empty line, JSON that is no list, no JSON at all, an empty file."""
    (tmp_path / name).write_text(content)
    done = capax("compile", "reverse", "--alphabet-file", name, "--max-length", "3")
    assert (done.code, done.out) == (2, "")
    assert "bad-alphabet" in done.err


def test_verify(capax: Capax) -> None:
    """A right model: exit code 0 and a line for each kind of word."""
    capax(*REVERSE, "-o", FILE)
    done = capax("verify", FILE, "--words", "100", "--seed", "7")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == f"{FILE}: reverse and the weights agree on every word that was tried"
    assert "seed 7" in done.out
    result = capax("verify", FILE, "--words", "100", "--seed", "7", "--json").json
    assert list(result) == ["file", "program", "about", "causal_change", "right", "check"]
    assert result["right"] is True
    assert result["check"]["parts"][1]["seed"] == 7


def test_verify_finds_wrong_weights(capax: Capax, tmp_path: Path) -> None:
    """Exit code 1 and a word on which program and weights differ."""
    made = compile(package.library.reverse, alphabet="abc", max_length=6).model
    logits = made.readout.map
    turned = Readout(Affine(np.roll(logits.weight, 1, axis=1), np.roll(logits.bias, 1)))
    replace(made, readout=turned).save(tmp_path / FILE)
    done = capax("verify", FILE)
    assert done.code == 1
    assert done.out.splitlines()[0].endswith("reverse and the weights differ")
    assert '\non the word "a"\n  the program gives [a]\n  the weights give  [' in done.out
    assert capax("verify", FILE, "--json").json["check"]["counterexample"]["word"] == ["a"]


def test_verify_shows_words_on_which_the_program_fails(capax: Capax) -> None:
    """They are no counterexamples."""
    capax("compile", "1 / (indices - 1)", "--alphabet", "ab", "--max-length", "3", "-o", FILE)
    done = capax("verify", FILE)
    assert done.code == 0
    assert "the program itself fails on" in done.out


def test_verify_needs_a_program(capax: Capax, tmp_path: Path) -> None:
    """A model that was not compiled has none."""
    build().save(tmp_path / "previous.safetensors")
    done = capax("verify", "previous.safetensors")
    assert (done.code, done.out) == (2, "")
    assert "no-program" in done.err


@pytest.mark.parametrize(
    "facts",
    [
        {"program": "flip = select(indices, indices, ==);", "domain": {"alphabet": ["a"], "max_length": 3}},
        {"program": "aggregate(", "domain": {"alphabet": ["a"], "max_length": 3}},
        {"program": "tokens;", "domain": {"alphabet": ["a", "a"], "max_length": 3}},
        {"program": "tokens;", "domain": {"alphabet": ["a"], "max_length": "x"}},
        {"program": "tokens;", "domain": {}},
        {"program": 3, "domain": []},
    ],
)
def test_facts_that_make_no_sense(capax: Capax, tmp_path: Path, facts: dict[str, object]) -> None:
    """Files are not trusted: exit code 2, no traceback."""
    replace(build(), provenance=Provenance.from_json(facts)).save(tmp_path / FILE)
    done = capax("verify", FILE)
    assert (done.code, done.out) == (2, ""), done.out


def test_certificates_are_checked_again(capax: Capax) -> None:
    """With the lengths and the assumptions; what was changed is rejected, with the reason."""
    assert capax(*REVERSE, "-o", FILE).code == 0
    done = capax("verify", "--certificate", FILE)
    assert done.code == 0, done.err
    assert done.out.startswith(
        f"{FILE}: the certificate follows from the weights and the program\n  float32   up to length 6\n"
    )
    assert "\nassuming that " in done.out
    assert "\nin the file: a report of tests, a certificate, a plan for the outside checker" in done.out
    assert f"\nfor Coq: capax certificate {FILE} --coq" in done.out
    found = capax("verify", "--certificate", FILE, "--json").json
    assert found["evidence"] == {"test": True, "certificate": True, "plan": True, "coq": True}
    assert found["not_in_coq"] is None
    assert (found["follows"], found["why"], found["lengths"]["float32"], found["max_length"]) == (True, None, 6, 6)
    model = load_model(FILE)
    block = model.blocks[1]
    key = block.heads[0].key
    head = replace(block.heads[0], key=replace(key, weight=-key.weight))
    replace(model, blocks=(model.blocks[0], replace(block, heads=(head,)))).save("changed.safetensors")
    wrong = capax("verify", "--certificate", "changed.safetensors")
    assert wrong.code == 1
    assert "does not follow" in wrong.out
    assert "layer 2, head 1" in wrong.out
    answer = capax("verify", "--certificate", "changed.safetensors", "--json")
    assert (answer.code, answer.json["follows"], answer.json["verdicts"]) == (1, False, [])


def test_models_of_other_origin_have_no_certificate(capax: Capax) -> None:
    """They have no program that one could be about, and so none can be wrong."""
    build().save("previous.safetensors")
    done = capax("verify", "--certificate", "previous.safetensors")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("previous.safetensors has no certificate\n")


def test_what_breaks_is_told(capax: Capax) -> None:
    """For each number system: where, and what would help."""
    done = capax(*COUNTS, "--max-length", "20")  # the last of two counts
    assert re.search(r"\n  bfloat16  .*\n    breaks at length \d+: ", done.out)
    assert "\n    what would help: " in done.out
