"""The commands about well-known models and about the induction."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from capax import CapaxError
from capax.app.cli import create_app
from capax.app.commands.induction import run_on
from capax.app.commands.known_models import known_table

RUNNER = CliRunner()


def test_a_table_of_models() -> None:
    """Text has a star where a bound binds within the context; JSON has the same."""
    table = known_table(None, 16, 0.1)
    assert "10,671*" in table.render()
    rows = json.loads(json.dumps(table.to_json()))
    starred = {row["name"] for row in rows if row["binds_from"]["composition"]["within_context"]}
    assert starred == {"Mixtral 8x7B", "Llama 3.1 8B", "Llama 3.1 405B"}
    assert all(row["source"] for row in rows)


@pytest.mark.parametrize(
    ("name", "bits", "threshold", "what"),
    [("GPT-9", 16, 0.1, "no model"), (None, 0, 0.1, "--bits"), (None, 8, -1, "--thr")],
)
def test_what_is_refused(name: str | None, bits: int, threshold: float, what: str) -> None:
    with pytest.raises(CapaxError, match=what):
        known_table(name, bits, threshold)


def test_the_induction_by_the_command_line(tmp_path: Path) -> None:
    """A toy of three layers, its levels and its error; and a size that is refused."""
    file = str(tmp_path / "toy.safetensors")
    made = ["make-model", "sequential-composition", "--n", "2", "--queries", "2,1", "--layers", "3", "--dim", "1"]
    made += ["--dtype", "integer:4,2,2", "--seed", "1", "-o", file]
    assert RUNNER.invoke(create_app(), made).exit_code == 0
    result = RUNNER.invoke(create_app(), ["induction", file, "--tables", "16", "--json"])
    assert result.exit_code == 0
    run = json.loads(result.stdout)
    assert [level["level"] for level in run["levels"]] == [1, 2, 3]
    assert run["finished"]
    assert run["toy"]
    text = run_on(file, {}, {"tables": 16, "starts": 2, "keep": 2, "contexts": 1}, 0).render()
    assert "a toy" in text
    assert "so the model errs" in text
    early = RUNNER.invoke(create_app(), ["induction", file, "--tables", "2", "--seed", "5"])
    assert early.exit_code == 1
    assert "the toy ends at level" in early.stdout
    with pytest.raises(CapaxError, match="--tables"):
        run_on(file, {}, {"tables": 1, "starts": 2, "keep": 2, "contexts": 1}, 0)
