"""`capax export`: what it writes, what it leaves alone, and what it says."""

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from capax import CapaxError
from capax.app import cli
from capax.app.files import exports
from capax.app.files.exports import export, export_model
from capax.model.export import target
from capax.model.export.hugging_face.card import lengths_text
from capax.model.export.target import ExportOutput, Target, targets
from tests.support.exported import compiled, model
from tests.support.forked import ended, fork
from tests.unit.app.outcome import Capax

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

FILE = "reverse.safetensors"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A model file in the working folder of the command."""
    model("reverse").save(tmp_path / FILE)
    return tmp_path


def left(folder: Path) -> list[str]:
    """What is in the folder of a command, without its cache."""
    return sorted(path.name for path in folder.iterdir() if path.name != "cache")


@pytest.mark.usefixtures("saved")
def test_export_reports_and_writes(capax: Capax, tmp_path: Path) -> None:
    """The files, the check and the greatest difference."""
    done = capax("export", FILE, "--to", "torch", "-o", "out")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "out: README.md, export.json, model.py, model.safetensors\n"
        "yes the same answers on all words up to length 3 (exhaustive, 84 words)\n"
        "yes the same answers on random words up to length 9 (sampled, 300 words, seed 0)\n"
        "largest difference of a logit: 0\n"
    )
    assert left(tmp_path) == ["out", FILE]
    assert capax("apply", "out/model.safetensors", "abcd", "--json").json == list("dcba")


@pytest.mark.usefixtures("saved")
def test_export_as_json(capax: Capax) -> None:
    """One object with the documented keys; the words and the seed are as asked for."""
    result = capax("export", FILE, "--to", "onnx", "-o", "deep/er/out", "--words", "30", "--seed", "5", "--json").json
    assert list(result) == ["model", "target", "directory", "files", "added", "difference", "claim", "check"]
    assert (result["model"], result["target"], result["added"]) == (FILE, "onnx", [])
    assert [part["count"] for part in result["check"]["parts"]] == [20, 30]
    assert result["check"]["seed"] == 5


@pytest.mark.usefixtures("saved")
def test_a_folder_is_replaced_only_if_it_is_an_export(capax: Capax, tmp_path: Path) -> None:
    """Without --force nothing is; with it an older export is, whole; a folder of something else never is."""
    arguments = ("export", FILE, "--to", "torch", "-o", "out")
    (tmp_path / "out").mkdir()
    assert capax(*arguments).code == 0  # an empty folder is free
    (tmp_path / "out" / "mine.txt").write_text("kept")
    done = capax(*arguments)
    assert done.code == 2
    assert "is not empty" in done.err
    assert "--force" in done.err
    assert (tmp_path / "out" / "mine.txt").exists()
    assert capax(*arguments, "--force").code == 0
    assert not (tmp_path / "out" / "mine.txt").exists()
    (tmp_path / "out" / "export.json").unlink()
    done = capax(*arguments, "--force")
    assert done.code == 2
    assert "name another folder\n" in done.err
    assert "is a file" in capax("export", FILE, "--to", "torch", "-o", FILE).err


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "pytorch", "-o", "out"), "did you mean torch?"),
        (("--to", "torch", "-o", "out", "--words", "0"), "--words is a positive number"),
        (("--to", "torch", "-o", f"{FILE}/out"), f"cannot write {FILE}/out"),
        (("--to", "torch", "-o", "."), ". is the folder you are in"),
        (("--to", "torch", "-o", ".."), ".. is the folder you are in"),
        (("--to", "torch", "-o", ""), "the folder has no name"),
    ],
)
def test_mistakes(capax: Capax, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """Each is told, with the exit code 2, and nothing is written."""
    done = capax("export", FILE, *arguments)
    assert done.code == 2
    assert said in done.err
    assert left(tmp_path) == [FILE]


def test_the_help_names_every_target(capax: Capax) -> None:
    """Those that there are."""
    printed = capax("export", "--help").out
    assert all(name in printed for name in targets())


def liar(wrong: str) -> Target:
    """A target whose loader answers one word wrongly."""
    torch = targets()["torch"]

    def load(folder: Path) -> object:
        runner = torch.load(folder)

        def run(words: list[tuple[str, ...]]) -> list[ExportOutput]:
            found = runner(words)
            return [ExportOutput(o.answers[::-1], o.logits) if "".join(w) == wrong else o for w, o in zip(words, found)]  # noqa: B905

        return run

    return replace(torch, load=load)  # type: ignore[arg-type]


def test_a_mismatch_leaves_nothing(tmp_path: Path) -> None:
    """The word is named, and neither the folder nor a temporary one is there."""
    with pytest.raises(CapaxError, match="'acb'") as caught:
        export(model("reverse"), str(tmp_path / "out"), liar("acb"))
    assert caught.value.code == "export-differs"
    assert caught.value.data["word"] == list("acb")
    assert list(tmp_path.iterdir()) == []
    assert export(model("reverse"), str(tmp_path / "out"), liar("xyz")).report.holds


@pytest.mark.usefixtures("saved")
def test_a_mismatch_is_the_answer_no(capax: Capax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is 1, and the word is printed."""
    monkeypatch.setattr("capax.model.export.target.target", lambda name: liar("ab"))
    done = capax("export", FILE, "--to", "torch", "-o", "out", "--json")
    assert (done.code, done.out) == (1, "")
    assert "error[export-differs]: on the word 'ab' the model answers ['b', 'a']" in done.err
    assert left(tmp_path) == [FILE]


def test_a_mismatch_leaves_the_export_that_was_there(tmp_path: Path) -> None:
    """With force the older one stays until the new one is right."""
    export(model("reverse"), str(tmp_path / "out"), targets()["torch"], words=10)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(CapaxError):
        export(model("reverse"), str(tmp_path / "out"), liar("ab"), force=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_move_that_fails_leaves_the_export_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The older one had been moved away, and comes back."""
    place, move = tmp_path / "out", Path.rename
    export(model("reverse"), str(place), targets()["torch"], words=10)
    before = {path.name: path.read_bytes() for path in place.iterdir()}

    def rename(self: Path, to: Path) -> Path:
        if to == place and self.name == place.name:
            raise OSError("no room")
        return move(self, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(CapaxError, match="no room"):
        export(model("reverse"), str(place), targets()["torch"], words=10, force=True)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stops it."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(exports, "check", stop)
    with pytest.raises(KeyboardInterrupt):
        export(model("reverse"), str(tmp_path / "out"), targets()["torch"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("saved")
def test_a_process_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    """By a signal that asks it to end, such as the one of `timeout` or of a queue of jobs."""
    read, write = os.pipe()

    def export() -> None:
        os.chdir(tmp_path)
        vars(exports)["check"] = lambda *_, **__: (os.write(write, b"checking"), time.sleep(60))
        sys.argv = ["capax", "export", FILE, "--to", "torch", "-o", "out"]
        cli.main()

    process = fork(export)
    os.close(write)
    with open(read, "rb") as checks:
        assert checks.read(8) == b"checking"
        assert len(left(tmp_path)) == 2
        os.kill(process, signal.SIGTERM)
        assert ended(process) == 143
    assert left(tmp_path) == [FILE]


def test_an_absent_package_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written, and for modules in memory too."""
    monkeypatch.setattr(target, "find_spec", lambda name: None)
    for ask in (
        lambda: export_model(model("reverse"), tmp_path / "out", to="onnx"),
        lambda: model("reverse").to_torch(),
    ):
        with pytest.raises(CapaxError, match="extra") as caught:
            ask()
        assert caught.value.code == "missing-extra"
    assert list(tmp_path.iterdir()) == []


def test_from_python(tmp_path: Path) -> None:
    """`capax.export_model` gives the report of the check."""
    report = export_model(model("reverse"), tmp_path / "out", to="torch")
    assert report.holds
    assert json.loads((tmp_path / "out" / "export.json").read_text())["model"] == model("reverse").key()
    export_model(model("reverse"), tmp_path / "lens", to="transformer-lens")  # which holds it in another form
    assert json.loads((tmp_path / "lens" / "export.json").read_text())["model"] == model("reverse").key()
    with pytest.raises(CapaxError, match="not empty"):
        export_model(model("reverse"), tmp_path / "out", to="torch")
    assert export_model(model("reverse"), tmp_path / "out", to="torch", force=True)


def test_a_loop_written_out_says_which_lengths_it_reads(capax: Capax, tmp_path: Path) -> None:
    """The card, `capax.json` and the report: the stock class does not refuse shorter words."""
    compiled("rule_110", "01", 3).save(tmp_path / "rule.safetensors")
    done = capax("export", "rule.safetensors", "--to", "hf", "--length", "3", "-o", "out", "--words", "5")
    assert "reads: words of 3 tokens only; the stock class does not refuse shorter words" in done.out
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "It reads words of exactly 3 tokens" in text
    assert "**Give it words of exactly 3 tokens only.**" in text
    assert "tokenizer('010', " in text
    described = json.loads((tmp_path / "out" / "capax.json").read_text(encoding="utf-8"))
    assert (described["min_length"], described["max_length"]) == (3, 3)
    assert lengths_text(5, 8) == "5 to 8"
