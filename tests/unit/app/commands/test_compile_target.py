"""`capax compile --target`, and `capax export` to a tool that needs it."""

import json
from pathlib import Path

import pytest

from capax.app.files.models import load_model
from capax.model.adapt.make_plain import why_not_plain
from tests.unit.app.outcome import Capax

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

FILE = "model.safetensors"
HIST = ("compile", "hist_nobos", "--alphabet", "abc", "--max-length", "6", "--certify", "no")
DYCK = ("compile", "dyck2_best", "--alphabet", "(){}", "--max-length", "5", "--certify", "no", "--json")


def test_compile_says_what_a_target_needs(capax: Capax, tmp_path: Path) -> None:
    """The model is plain, gives the program's answers, and the report and the file say what was added."""
    done = capax(*HIST, "--target", "transformer-lens", "-o", FILE)
    assert done.code == 0, done.err
    assert "for transformer-lens: the token <bos> before every word, in place of sinks\n" in done.out
    model = load_model(tmp_path / FILE)
    assert why_not_plain(model) is None
    assert model.provenance.target.sink == "<bos>"
    assert capax("apply", FILE, "abcca", "--json").json == [2, 1, 2, 2, 2]
    assert capax("verify", FILE, "--words", "50").code == 0


def test_compile_for_a_target_as_json(capax: Capax) -> None:
    """What was added is a list; without a target there is none."""
    found = capax(*HIST, "--target", "hf", "--json").json["target"]
    assert found == {"name": "hf", "added": ["the token <bos> before every word, in place of sinks"], "sink": "<bos>"}
    assert capax(*HIST, "--json").json["target"] is None


def test_masks_become_tables(capax: Capax) -> None:
    """A program whose heads have different masks is compiled without them."""
    found = capax(*DYCK, "--target", "plain").json
    assert "tables over positions instead of masks of single heads" in found["target"]["added"]
    assert found["domain"]["masks"] is False
    assert max(found["size"]["mlp_depth"]) == 1


def test_an_unknown_target_is_an_error(capax: Capax) -> None:
    """With the nearest one as a hint."""
    done = capax(*HIST, "--target", "transformerlens")
    assert done.code == 2
    assert "did you mean transformer-lens?" in done.err


@pytest.mark.parametrize(
    ("target", "more", "why"),
    [
        ("llama", (), "its heads see later positions"),
        ("gguf", (), "compile it with --causal"),
        ("mistral", ("--causal", "--dtype", "float64"), "it computes in float64"),
    ],
)
def test_what_the_export_would_refuse_is_refused_at_once(capax: Capax, target: str, more: tuple[str], why: str) -> None:
    """With the reason of the export, before a file is written."""
    done = capax(*HIST, "--target", target, *more, "-o", FILE)
    assert done.code == 2
    assert f"the export to {target} cannot hold the model of this program: " in done.err
    assert why in done.err
    assert not Path(FILE).exists()


@pytest.mark.parametrize("target", ["torch", "onnx"])
def test_tools_that_hold_every_program_are_no_targets(capax: Capax, target: str) -> None:
    """The hint says what to do instead."""
    done = capax(*HIST, "--target", target)
    assert done.code == 2
    assert f"capax export --to {target}" in done.err


def test_export_compiles_the_program_again(capax: Capax, tmp_path: Path) -> None:
    """The report, the record and the page of the folder; the file itself stays as it was."""
    capax(*DYCK, "-o", FILE)
    before = (tmp_path / FILE).read_bytes()
    done = capax("export", FILE, "--to", "transformer-lens", "-o", "out", "--words", "40", "--json")
    assert done.code == 0, done.err
    assert done.json["added"][0] == "the program of the file, compiled again"
    assert json.loads((tmp_path / "out" / "export.json").read_text())["added"] == done.json["added"]
    assert (tmp_path / FILE).read_bytes() == before
