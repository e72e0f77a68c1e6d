"""`capax make-model`, `protocol`, `fool` and `check-witness` on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from capax.app.cli import create_app
from capax.app.commands.check_witness import check
from capax.app.commands.fool import run_fool
from capax.app.commands.protocol import run_protocol
from capax.errors import CapaxError
from tests.house.tree import ROOT


def capax(*args: str, code: int = 0) -> str:
    """What a command prints."""
    result = CliRunner().invoke(create_app(), args)
    if isinstance(result.exception, CapaxError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture
def layer(tmp_path: Path) -> str:
    """A random layer for composition."""
    file = str(tmp_path / "layer.safetensors")
    capax("make-model", "composition", "--n", "12", "-o", file)
    return file


def test_from_a_layer_to_a_witness(layer: str, tmp_path: Path) -> None:
    witness = str(tmp_path / "w.json")
    printed = capax("fool", layer, "--task", "composition", "--seconds", "20", "-o", witness)
    assert "a witness had to exist: yes" in printed
    assert "two inputs with equal transcripts" in printed
    assert "the witness holds" in capax("check-witness", witness, layer)
    found = json.loads(capax("check-witness", witness, layer, "--json"))
    assert found["holds"] is True
    other = str(tmp_path / "other.safetensors")
    capax("make-model", "composition", "--n", "12", "--seed", "1", "-o", other)
    with pytest.raises(CapaxError, match="another model"):
        capax("check-witness", witness, other)
    changed = json.loads(Path(witness).read_text())
    changed["inputs"][1] = changed["inputs"][0]
    Path(witness).write_text(json.dumps(changed))
    assert "no (exact): the witness holds" in capax("check-witness", witness, layer, code=1)


def test_a_solving_model_gives_exit_code_1(tmp_path: Path) -> None:
    file = str(tmp_path / "two.safetensors")
    capax("make-model", "composition", "--kind", "solves", "--n", "4", "-o", file)
    printed = capax("fool", file, "--task", "composition", "--seconds", "1", code=1)
    assert "none found in this time" in printed
    with pytest.raises(CapaxError, match="attention layers"):
        capax("protocol", "composition", file)


@pytest.mark.parametrize(
    ("name", "task", "kind", "n", "more"),
    [
        ("composition", "composition", "random", "6", ()),
        ("match3", "match3", "solves", "2", ("--a", "01", "--b", "11")),
        ("sparse-averaging", "sparse-averaging", "solves", "3", ("--a", "010")),
        ("triangle-graph", "triangle-graph", "solves", "4", ()),
        ("autoregressive", "sequential-composition", "random", "2", ()),
    ],
)
def test_protocols(tmp_path: Path, name: str, task: str, kind: str, n: str, more: tuple[str, ...]) -> None:
    file, picture = str(tmp_path / "m.safetensors"), str(tmp_path / "m.svg")
    capax("make-model", task, "--kind", kind, "--n", n, "-o", file)
    printed = capax("protocol", name, file, "--draw", picture, *more)
    assert "identical with the whole model: yes" in printed
    data = json.loads(capax("protocol", name, file, "--json", *more))
    assert data["identical"] is True
    charged = [m for m in data["messages"] if not m["free"]]
    assert data["bits"] == sum(4 * len(m["bytes"]) for m in charged)
    if kind == "solves":
        assert data["right"] is True
    svg = Path(picture).read_text()
    assert svg.startswith("<svg")
    assert f"{data['bits']:,} bits were sent" in svg
    assert svg.count('class="arrowhead"') >= len(charged)


def test_a_float_model_is_quantised_where_numbers_are_declared(layer: str, tmp_path: Path) -> None:
    from capax.app.files.models import load_model, save_model

    file = str(tmp_path / "float.safetensors")
    save_model(load_model(layer).to("float64"), file)
    with pytest.raises(CapaxError, match="exact"):
        run_fool(file, "composition", {}, seconds=5, seed=0)
    found = run_fool(file, "composition", {}, seconds=5, seed=0, numbers="integer:8,4,4").to_json()
    assert found["found"]
    witness = tmp_path / "w.json"
    witness.write_text(json.dumps(found["witness"]))
    assert check(str(witness), file).holds
    assert run_protocol("composition", file, {}, 0, "integer:8,4,4").to_json()["identical"]


def test_lists_and_refusals(layer: str, tmp_path: Path) -> None:
    assert len(capax("protocol").splitlines()) == 6
    assert len(json.loads(capax("protocol", "--json"))) == 6
    for args in (
        ("protocol", "composition"),
        ("protocol", "compositoin", layer),
        ("protocol", "composition", layer, "--draw", "x.png"),
        ("protocol", "composition", layer, "--seed", "-1"),
        ("fool", layer, "--task", "composition", "--seconds", "0"),
        ("fool", layer, "--task", "composition", "--seed", "-1"),
        ("fool", layer, "--task", "match3"),
        ("make-model", "composition", "--n", "0", "-o", "x.safetensors"),
        ("make-model", "compositions", "-o", "x.safetensors"),
        ("make-model", "parity", "--kind", "solves", "-o", "x.safetensors"),
        ("make-model", "composition", "--kind", "good", "-o", "x.safetensors"),
        ("make-model", "composition", "-o", "x.txt"),
        ("make-model", "composition", "--dtype", "float64", "-o", "x.safetensors"),
        ("make-model", "composition", "--n", "1", "-o", str(tmp_path / "x.safetensors")),
        ("fool", str(tmp_path / "no.json"), "--task", "sparse-averaging"),
        ("fool", str(tmp_path / "no.json"), "--task", "parity"),
    ):
        with pytest.raises(CapaxError):
            capax(*args)


def test_networks_in_json(tmp_path: Path) -> None:
    net, witness = tmp_path / "net.json", str(tmp_path / "w.json")
    net.write_text(
        json.dumps(
            {"format": "capax-net", "kind": "recurrent", "length": 6, "bits": 3, "start": [0], "state": [[2]]}
            | {"input": [[0], [1]], "bias": [0], "read": [[1]] * 6}
        )
    )
    printed = capax("fool", str(net), "--task", "sparse-averaging", "-o", witness)
    assert "lead to one state" in printed
    assert "the witness holds" in capax("check-witness", witness, str(net))


def test_the_picture_of_the_page_is_current(tmp_path: Path) -> None:
    file, picture = str(tmp_path / "layer.safetensors"), tmp_path / "run.svg"
    capax("make-model", "composition", "--n", "16", "--heads", "1", "--dim", "2", "-o", file)
    capax("protocol", "composition", file, "--draw", str(picture))
    assert picture.read_text() == (ROOT / "docs" / "pictures" / "limits" / "protocol.svg").read_text()


def test_a_model_of_more_tables_than_layers_says_so(tmp_path: Path) -> None:
    """It is made, with a note that the induction needs as many layers as tables."""
    file = str(tmp_path / "s.safetensors")
    args = ("make-model", "sequential-composition", "--n", "2", "--queries", "2x2x2", "-o", file)
    assert "4 tables and 3 layers" in capax(*args, "--layers", "3")
    assert "note" not in capax(*args, "--layers", "4")


def test_a_count_that_the_poster_does_not_have_is_called_ours(tmp_path: Path) -> None:
    """In the table, the sum and the picture; every seed draws a connected graph for its own network."""
    file, picture = str(tmp_path / "t.safetensors"), tmp_path / "t.svg"
    capax("make-model", "triangle-graph", "--n", "8", "-o", file)
    for seed in ("0", "1", "2"):
        out = capax("protocol", "triangle-graph", file, "--network", "graph", "--seed", seed)
        assert "our bound (the poster has no count)" in out
        assert "paper" not in out
    capax("protocol", "triangle-disjointness", file, "--draw", str(picture))
    assert "our bound" in picture.read_text()
    assert "paper" not in picture.read_text()
