"""`capax audit`: the question, the table, the counterexample, the files, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import capax as cx
from capax.app.commands.audit import answers_option
from capax.errors import CapaxError
from tests.support.audit_subjects import gpt
from tests.unit.app.outcome import Capax

MODELS = Path(__file__).parents[4] / "experiments" / "audit"


@pytest.fixture(scope="module")
def majority(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A compiled model of majority at each position."""
    half = cx.aggregate(cx.full_s, cx.indicator(cx.tokens == "1")) > 1 / 2
    file = tmp_path_factory.mktemp("models") / "majority.safetensors"
    cx.compile(half, alphabet="01", max_length=8).model.save(str(file))
    return str(file)


def test_a_right_model(capax: Capax, majority: str) -> None:
    """Exit code 0, the whole question, and one row for lengths that are decided alike."""
    done = capax("audit", majority, "--against", "majority", "--read", "last", "--max-length", "8")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == f"{majority} against majority (language)"
    assert lines[1] == "equals majority on all words of 1 to 8 tokens"
    assert "over 0 1, lengths 1 to 8, from position 0" in lines[2]
    assert "read at the last letter" in lines[3]
    assert [line.split()[:6] for line in lines if line.startswith("1 to 8")] == [
        ["1", "to", "8", "proved", "exhaustion", "510"]
    ]


def test_its_own_program_is_what_it_is_held_against(capax: Capax, majority: str) -> None:
    """Without --against, what the file says; by the certificate."""
    data = capax("audit", majority, "--max-length", "8", "--json").json
    assert data["proved"] == list(range(1, 9))
    assert {row["method"] for row in data["lengths"]} == {"certificate"}


def test_a_wrong_model_writes_a_witness_and_a_plot(capax: Capax, majority: str, tmp_path: Path) -> None:
    """Exit code 1; the word, both answers, and two files."""
    witness, plot = tmp_path / "w.json", tmp_path / "p.svg"
    done = capax(
        "audit", majority, "--against", "regex:.*11.*", "--read", "last", "--max-length", "6",
        "-o", str(witness), "--draw", str(plot),
    )  # fmt: skip
    assert done.code == 1
    assert "; wrong at " in done.out or done.out.splitlines()[1].startswith("wrong at ")
    assert json.loads(witness.read_text())["kind"] == "wrong-answer-audit"
    assert plot.read_text().count("<circle") >= 6
    assert capax("check-witness", str(witness), majority).code == 0


def test_two_models_that_differ(capax: Capax, tmp_path: Path) -> None:
    """A witness that two models differ is checked with both; a third model is none of them."""
    files = [str(tmp_path / f"{seed}.safetensors") for seed in (1, 2, 3)]
    for seed, file in zip((1, 2, 3), files, strict=True):
        gpt(2, seed=seed).save(file)
    witness = str(tmp_path / "w.json")
    options = ("--alphabet", "01", "--max-length", "5", "--seconds", "20", "-o", witness)
    assert capax("audit", files[0], "--against", files[1], *options).code == 1
    assert capax("check-witness", witness, files[0], "--other", files[1]).code == 0
    assert "digests of the weights differ" in capax("check-witness", witness, files[0], "--other", files[2]).err
    assert "--other FILE" in capax("check-witness", witness, files[0]).err
    assert capax("audit", files[0], "--against", files[0], *options[:-2]).code == 0


def test_two_models_are_compared_at_each_position(capax: Capax, tmp_path: Path) -> None:
    """The first letter is that of the reversed word at its last position alone, and only so do the two agree."""
    first, other = str(tmp_path / "first.safetensors"), str(tmp_path / "reverse.safetensors")
    program = cx.aggregate(cx.select(cx.indices, 0, "=="), cx.tokens)
    cx.compile(program, alphabet="ab", max_length=4).model.save(first)
    cx.compile(cx.library.reverse, alphabet="ab", max_length=4).model.save(other)
    options = ("audit", other, "--against", first, "--max-length", "3")
    done = capax(*options)
    assert (done.code, "read at every position" in done.out) == (1, True)
    last = capax(*options, "--read", "last")
    summary = "equals first.safetensors at the last letter on all words of 1 to 3 tokens"
    assert (last.code, last.out.splitlines()[1]) == (0, summary)
    own = capax("audit", other, "--read", "last", "--max-length", "3").out.splitlines()[1]
    assert own == "equals reverse at the last letter on all words of 1 to 3 tokens"


def test_a_trained_model(capax: Capax) -> None:
    """A model of the kept ones, whose vocabulary, BOS token and place of the answer come from its file."""
    file = str(MODELS / "contains-11-0.safetensors")
    data = capax("audit", file, "--max-length", "6", "--json").json
    assert (data["prefix"], data["read"], data["letters"]) == (["§"], "last", ["0", "1"])
    assert data["proved"] == [1, 2, 3, 4]
    assert data["wrong"] == [5, 6]
    first = data["lengths"][4]["counterexample"]
    assert all(margin < 0 for margin in first["margins"].values())
    assert set(first["margins"]) == {"float32", "float64"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--against", "nonsense("), "is not a known specification"),
        (("--against", " "), "the specification is empty"),
        (("--against", "task:parity"), "parity is a language and no task"),
        (("--against", "task:pairity"), "there is no task called 'pairity'"),
        (("--max-length", "9"), "too long for the model"),
        (("--max-length", "0"), "there are no lengths"),
        (("--seconds", "0"), "seconds is a number"),
        (("--read", "first"), "--read is each, last or end"),
        (("--alphabet", "00"), "has a letter twice"),
        (("--against", "majority", "--alphabet", "xy"), "is about words over 0 1, and not over x y"),
        (("--against", "majority", "--alphabet", "1"), "is about words over 0 1, and not over 1"),
        (("--answers", "yes"), "does not pair answers with outputs"),
        (("--draw", "margins.png"), "a plot is an .svg file"),
        (("-o", "no/such/folder/w.json"), "there is no folder"),
    ],
)
def test_what_is_refused(capax: Capax, majority: str, options: tuple[str, ...], message: str) -> None:
    """Exit code 2 and one sentence, before any work."""
    done = capax("audit", majority, *options)
    assert done.code == 2, done.out
    assert message in done.err


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(majority: str, number: float) -> None:
    """By their name; no file is written with such numbers, so this is about models in Python."""
    model = cx.load_model(majority)
    weights = np.array(model.embedding)
    weights[0, 0] = number
    with pytest.raises(CapaxError, match="the weights embedding of the model have a number that is not finite"):
        cx.audit(replace(model, embedding=weights), "majority", max_length=3)


PARITY = {
    "alphabet": ["0", "1"],
    "start": "even",
    "accepting": ["odd"],
    "transitions": {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
}
SPECS = {
    "regex:0*(10*10*)*1?0*": "regex",
    "language:parity": "language",
    "parity": "language",
    "ltl:P 1": "ltl",
    "fo:exists x. 1(x)": "fo",
    "foc:#p[1(p)] > #p[0(p)]": "foc",
    "ltlc:#<[1] = #[0]": "ltlc",
    'tokens == "1"': "program",
    "task:language?name=majority": "language",
}


def test_every_kind_of_specification_is_read_and_decided(capax: Capax, tmp_path: Path) -> None:
    """Against a random model each is decided at short lengths, and the result says which kind it is."""
    file = str(tmp_path / "m.safetensors")
    gpt(1, seed=4).save(file)
    (tmp_path / "parity.json").write_text(json.dumps(PARITY))
    for text, kind in {**SPECS, str(tmp_path / "parity.json"): "automaton"}.items():
        data = capax("audit", file, "--against", text, "--alphabet", "01", "--max-length", "3", "--json").json
        assert data["against"]["kind"] == kind, text
        assert sorted(data["proved"] + data["wrong"]) == [1, 2, 3], text


def test_files_that_capax_builds_are_audited(capax: Capax, tmp_path: Path) -> None:
    """A recogniser's file says what it computes; a theorem's model, an n-gram model and a decoder are named a spec."""
    recogniser, ngram, machine, theorem = (str(tmp_path / f"{name}.safetensors") for name in "abcd")
    capax("recognise", "(ab)*", "--route", "star-free", "--prove", "0", "-o", recogniser)
    done = capax("audit", recogniser, "--max-length", "6", "--json")
    assert (done.code, done.json["against"]["name"]) == (0, "(ab)*")
    (tmp_path / "text.txt").write_text("abab ba")
    capax("ngram", "fit", str(tmp_path / "text.txt"), "-o", ngram)
    assert "capax ngram fit" in capax("audit", ngram).err
    assert capax("audit", ngram, "--against", ngram, "--max-length", "3").code == 0
    capax("tm", "increment", "1", "-o", machine)
    assert "capax tm" in capax("audit", machine).err
    assert capax("audit", machine, "--against", machine, "--max-length", "1").code == 0
    capax("theorem", "first", "--prove", "0", "-o", theorem)
    assert capax("audit", theorem, "--against", "regex:1.*", "--max-length", "6").code == 0


def test_letters_that_are_numbers_in_the_model(capax: Capax, tmp_path: Path) -> None:
    """Texts stand for the numbers that are written so, and a witness over them is checked."""
    file, witness = str(tmp_path / "m.safetensors"), str(tmp_path / "w.json")
    gpt(1, seed=2, letters=(1, 2)).save(file)
    data = capax("audit", file, "--against", "regex:(12)*", "--max-length", "4", "-o", witness, "--json").json
    assert data["letters"] == [1, 2]
    assert capax("check-witness", witness, file).code == 0


def test_tokens_that_tokenizers_add_are_no_letters(capax: Capax, tmp_path: Path) -> None:
    """Unless they are named; an answer that is the empty text has a name, too."""
    file = str(tmp_path / "m.safetensors")
    gpt(1, seed=2, letters=("a", "<pad>")).save(file)
    ask = ("audit", file, "--max-length", "2", "--json", "--against")
    assert capax(*ask, "indices > 0").json["letters"] == ["a", "$"]
    assert capax(*ask, "indices > 0", "--alphabet", "a <pad>", "--as", "words").json["letters"] == ["a", "<pad>"]
    assert answers_option('""=x,a=y') == {"": "x", "a": "y"}


def test_pickles_are_refused(capax: Capax, tmp_path: Path) -> None:
    """With how to convert them."""
    (tmp_path / "model.pt").write_bytes(b"\x80\x04.")
    done = capax("audit", str(tmp_path / "model.pt"), "--against", "majority")
    assert done.code == 2
    assert "pickle" in done.err
    assert "safe_serialization" in done.err


def test_an_offset_leaves_the_prefix_in_the_question(capax: Capax) -> None:
    """What stands before the words is part of what was asked, also where they are moved."""
    model = str(MODELS / "majority-0.safetensors")
    done = capax("audit", model, "--against", "majority", "--max-length", "2", "--offset", "3")
    assert "lengths 1 to 2, after §, moved by 3 positions" in done.out
