"""Every tab gives what the command of the same name prints with --json."""

import base64
import sys
from pathlib import Path
from typing import Any

import pytest

from capax.app.web.gallery import GALLERY, GalleryProgram
from capax.app.web.jobs.registry import JOBS
from capax.errors import CapaxError
from tests.unit.app.outcome import Capax
from tests.unit.app.web.conftest import Ask


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Where a job may write."""
    (tmp_path / "job").mkdir()
    return str(tmp_path / "job")


def test_a_program_without_its_last_semicolon() -> None:
    """It runs as at the prompt; what is wrong otherwise stays wrong."""
    found = job("evaluate", text="a = indices;\nb = a + 1  # more", word="ab")
    assert found["run"]["values"] == [1, 2]
    assert found["values"] == {"a": {"values": ["0", "1"]}, "b": {"values": ["1", "2"]}}
    assert not job("evaluate", text="a = (indices", word="ab")["check"]["ok"]


def test_a_selector_of_third_order_has_no_value_beside_its_line() -> None:
    """It has a choice of pairs for each position; what is computed from it is shown."""
    text = "three = select3(tokens_int, tokens_int, tokens_int, sum % 7 == 0); match3 = has_focus(three);"
    found = job("evaluate", text=text, word="1 6 5", split="ints")
    assert found["values"] == {"three": None, "match3": {"values": ["T", "F", "T"]}}


LOOP = "repeat length { state a = indices; a = aggregate(select(indices, a - 1, ==), a, 0); }"


def test_a_loop_has_its_rounds() -> None:
    """Its layers are those of a round, and its pictures one for each; a long input has all layers in a row alone."""
    found = job("evaluate", text=LOOP, word="abc")
    assert found["layers"]["layers"] == {"before": 0, "loop": 1, "after": 0, "rounds": "length"}
    assert [one["step"] for one in found["flow"]["rounds"]] == ["before", "1", "2", "3", "after"]
    assert [len(one["layers"]) for one in found["flow"]["rounds"]] == [1, 2, 2, 2, 1]
    assert job("layers", text=LOOP, word="abc")["depth"]["8"] == 8
    assert "rounds" not in job("evaluate", text=LOOP.replace("repeat length", "repeat 2"), word="a" * 41)["flow"]


def test_a_loop_where_numpy_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a page without a server: its values and all layers in a row, without a count."""
    monkeypatch.setitem(sys.modules, "capax.draw.view.loop_rounds", None)
    found = job("evaluate", text=LOOP, word="abc")
    assert found["run"]["values"] == [0, 0, 0]
    assert found["layers"] is None
    assert "rounds" not in found["flow"]


def test_pads_are_in_the_picture() -> None:
    """The heads look at them, though they have no value beside the line."""
    found = job("evaluate", text="x = pad(aggregate(select(indices, indices, <=), indices), length);", word="abc")
    assert found["values"]["x"] == {"values": ["0", "0.5", "1.0"]}
    assert len(found["flow"]["layers"][1]["heads"][0]["cells"]["rows"]) == 6


def test_a_name_that_is_gone_and_an_empty_text() -> None:
    """The last name is shown then, and nothing, without a word about files."""
    assert job("evaluate", text="a = indices;", name="b", word="ab")["run"]["program"] == "a"
    assert job("evaluate", text="# nothing\n", word="ab") == {
        "check": {"file": "program.rasp", "ok": True, "errors": [], "warnings": [], "names": []},
        "programs": [],
        "error": None,
    }


def test_every_list_of_the_page() -> None:
    """The catalogue has what the rooms have."""
    from capax import limits, theorems

    found = job("catalogue", part="explore")
    assert [one["name"] for one in found["theorems"]] == list(theorems.names())
    assert [one["name"] for one in found["limits"]] == list(limits.names())
    assert len(job("catalogue")["puzzles"]) == 25
    with pytest.raises(CapaxError, match="start and explore"):
        job("catalogue", part="end")


def test_a_link_as_a_qr_code() -> None:
    """As large as its text asks, or refused."""
    assert job("qr", text="http://localhost:8765/")["svg"].startswith("<svg")
    with pytest.raises(CapaxError, match="too long"):
        job("qr", text="x" * 3000)
    assert job("draw", text="a = indices;", word="ab")["svg"].startswith("<svg")


def job(name: str, folder: str | None = None, /, **asked: Any) -> Any:
    """The result of a job, in this process."""
    return JOBS[name].run(asked, folder)


@pytest.mark.parametrize("piece", GALLERY, ids=lambda piece: piece.name)
def test_editor_jobs_give_what_the_commands_give(capax: Capax, tmp_path: Path, piece: GalleryProgram) -> None:
    """Check, run and layers of a program on the shelf."""
    (tmp_path / "program.rasp").write_text(piece.text, encoding="utf-8")
    found = job("evaluate", text=piece.text, word=piece.word)
    assert found["error"] is None
    assert found["check"] == capax("check", "program.rasp", "--json").json
    assert found["run"] == capax("run", "program.rasp", piece.word, "--trace", "--json").json
    assert found["layers"] == capax("layers", "program.rasp", piece.word, "--json").json
    for name in ("check", "run"):
        assert job(name, text=piece.text, word=piece.word) == found[name]


def test_a_name_and_a_way_to_split(capax: Capax, tmp_path: Path) -> None:
    """Another name of the text, on an input of numbers."""
    text = "a = tokens_int + 1;\nb = a * 2;\nc = b - a;\n"
    (tmp_path / "program.rasp").write_text(text)
    expected = capax("run", "program.rasp:b", "3 4 5", "--as", "ints", "--trace", "--json").json
    assert job("run", text=text, name="b", word="3 4 5", split="ints") == expected


def test_errors_of_a_program_are_those_of_check(capax: Capax, tmp_path: Path) -> None:
    """Errors and warnings of a broken program."""
    text = 'a = agregate(indices);\nb = tokens +;\nc = not tokens == "a";\n'
    (tmp_path / "program.rasp").write_text(text)
    found = job("evaluate", text=text, word="ab")
    assert found["check"] == capax("check", "program.rasp", "--json").json
    assert not found["check"]["ok"]
    assert "run" not in found


def test_compile_job_gives_the_model(capax: Capax, tmp_path: Path, folder: str) -> None:
    """A compiled program, and its model."""
    text = "same = select(tokens, tokens, ==);\nhist = selector_width(same);\n"
    (tmp_path / "program.rasp").write_text(text)
    found = job("compile", folder, text=text, word="aab", alphabet="ab", max_length=6)
    assert found["compiled"] == capax("compile", "program.rasp", "--alphabet", "ab", "--max-length", "6", "--json").json
    assert [len(layer["heads"]) for layer in found["attention"]["flow"]["layers"]] == [1]


@pytest.mark.parametrize(
    ("asked", "args"),
    [
        ({"form": "regex", "text": "(ab)*", "word": "abab"}, ["(ab)*", "abab"]),
        ({"form": "ltl", "text": "P (b & Y a)"}, ["--ltl", "P (b & Y a)"]),
        ({"form": "regex", "text": "(ab)*", "read": "end"}, ["(ab)*", "--read", "end"]),
        ({"form": "language", "text": "parity", "word": "101"}, ["--language", "parity", "101"]),
    ],
)
def test_recognise_job_takes_each_form(
    capax: Capax, tmp_path: Path, folder: str, asked: dict[str, str], args: list[str]
) -> None:
    """A language by each form."""
    found = job("recognise", folder, **asked)
    expected = capax("recognise", *args, "--budget", "2000", "-o", "m.safetensors", "--json").json
    assert found["saved"] == expected.pop("saved")
    assert found["recognise"] == expected | {"file": None}
    assert base64.b64decode(found["model"]) == (tmp_path / "m.safetensors").read_bytes()


def test_no_model_to_take_away(capax: Capax, folder: str) -> None:
    """A language that no theorem here builds a model of."""
    assert capax("recognise", "--language", "palindrome", "-o", "m.safetensors").code == 2
    found = job("recognise", folder, form="language", text="palindrome")
    assert (found["saved"], found["model"]) == (None, None)
    assert found["recognise"]["verdicts"]


def test_a_model_that_is_too_large_to_take_away(ask: Ask) -> None:
    """It is named, and all else is answered, in the process that has limits."""
    found = ask("recognise", form="language", text="word-problem-s5")
    assert found["saved"]["theorem"] == "log-depth"
    assert found["model"] is None
    assert found["recognise"]["verdicts"]


def test_where_the_answer_is_read_is_a_key_of_a_request(ask: Ask) -> None:
    """In the process that has limits, too."""
    found = ask("recognise", form="regex", text="a", read="end")
    assert {told["read"] for told in found["recognise"]["verdicts"]} == {"end"}


def test_theorem_jobs_give_what_the_command_gives(capax: Capax, folder: str) -> None:
    """A theorem at sizes that are given, and without an assumption."""
    found = job("theorem", folder, name="majority", given={"length": 20})
    assert found["theorem"] == capax("theorem", "majority", "--length", "20", "--json").json
    assert job("break", name="majority") == capax("theorem", "majority", "--break", "--json").json


def test_limit_job_has_its_chart(capax: Capax, folder: str) -> None:
    """A limit at sizes that are given, and its chart."""
    found = job("limit", folder, name="composition", given={"n": 50_000})
    assert found["limit"] == capax("limit", "composition", "--n", "50000", "--json").json
    assert found["chart"].startswith("<svg")


def test_limit_job_measures_a_model(capax: Capax, tmp_path: Path, folder: str) -> None:
    """A limit that measures: the model of a theorem, and a file that is brought along."""
    assert capax("theorem", "majority", "--length", "32", "-o", "m.safetensors").code == 0
    args = ("--model", "m.safetensors", "--longest", "32", "--json")
    expected = capax("limit", "parity-sensitivity", *args).json | {"file": None}
    assert expected["verdict"]["kind"] == "measured"
    asked = {"name": "parity-sensitivity", "given": {"longest": 32}}
    found = job("limit", folder, model="majority", **asked)
    assert found["limit"] == expected
    assert found["chart"].startswith("<svg")
    file = base64.b64encode((tmp_path / "m.safetensors").read_bytes()).decode()
    assert job("limit", folder, file=file, **asked) == found
    assert job("limit", folder, **asked)["limit"]["verdict"]["kind"] == "no-statement"


def test_fool_job_gives_prompts(capax: Capax, folder: str) -> None:
    """A toy model and the prompts that fool it."""
    assert capax("make-model", "composition", "--n", "8", "-o", "m.safetensors").code == 0
    expected = capax("fool", "m.safetensors", "--task", "composition", "--json").json
    found = job("fool", folder, task="composition", n=8)
    assert found | {"model": ""} == expected | {"model": ""}
    assert found["witness"]


def test_turing_job_runs_a_machine(capax: Capax, folder: str) -> None:
    """A machine that comes with capax, and one that is given as a text; only the clock differs."""
    clock = {"seconds": 0, "steps_per_second": 0}
    expected = capax("tm", "increment", "1011", "--steps", "100", "--trace", "--json").json
    assert job("turing", folder, machine="increment", word="1011") | clock == expected | clock
    own = job("turing", folder, text="input 0 1\nstart a\na 0 -> 1 R a\na 1 -> 0 R a\n", word="01")
    assert (own["agrees"], own["tape"][:2]) == (True, ["1", "0"])


def test_atlas_job_answers_with_fields(capax: Capax) -> None:
    """A language, a class and a knob, with fields."""
    fields = {"attention": "leftmost-hard"}
    for about, option in (("language", "--language"), ("knob", "--knob")):
        expected = capax("atlas", option, "PARITY", "--attention", "leftmost-hard", "--json").json
        assert job("atlas", about=about, name="PARITY", fields=fields) == expected
    assert job("atlas", about="class", name="TC0") == capax("atlas", "--class", "TC0", "--json").json
    assert job("atlas-class", name="TC0")["class"] == "TC0"
    assert job("lattice")["picture"].startswith("<svg")
