"""`--unchecked`: every command that reads a model file has it, and none reads a changed file without."""

import json
from pathlib import Path

import pytest

from examples.previous_token import build
from tests.unit.app.outcome import Capax

MODEL = "changed.safetensors"
WITNESS = {
    "format": "capax-witness",
    "version": 1,
    "kind": "wrong-answer",
    "task": {"task": "parity", "n": 2},
    "numbers": "integer:8,4,4",
    "model": "0" * 64,
    "inputs": [["a", "b"]],
    "read_at": 0,
    "answers": ["a"],
    "method": "",
    "seed": 0,
}
COMMANDS = [
    ("apply", MODEL, "abc"),
    ("size", MODEL),
    ("explain", MODEL),
    ("draw", MODEL, "abc"),
    ("verify", MODEL),
    ("verify", "--certificate", MODEL),
    ("export", MODEL, "--to", "torch", "-o", "out", "--words", "1"),
    ("fool", MODEL, "--task", "composition", "--n", "3", "--seconds", "0.1"),
    ("check-witness", "witness.json", MODEL),
    ("protocol", "composition", MODEL),
    ("limit", "parity-sensitivity", "--model", MODEL),
    ("ngram", "sample", MODEL),
    ("ngram", "score", MODEL, "abc"),
]
DAMAGED = f"{MODEL}: its digest is"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(p for p in c if p != MODEL))
def test_commands(capax: Capax, command: tuple[str, ...]) -> None:
    """A changed model is refused with exit code 2; with --unchecked a warning says so, and the command goes on."""
    build().save(MODEL)
    data = Path(MODEL).read_bytes()
    Path(MODEL).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    Path("witness.json").write_text(json.dumps(WITNESS))
    refused = capax(*command)
    assert (refused.code, refused.out) == (2, "")
    assert f"error[bad-model-file]: {DAMAGED}" in refused.err
    assert "--unchecked" in refused.err
    again = capax(*command, "--unchecked")
    assert f"warning: {DAMAGED}" in again.err
    assert f"error[bad-model-file]: {DAMAGED}" not in again.err


def test_a_warning_is_no_result(capax: Capax) -> None:
    """It goes to standard error, and the answers are those of the changed weights."""
    build().save(MODEL)
    data = bytearray(Path(MODEL).read_bytes())
    data[-1] ^= 128  # the sign of the last number, the bias of the fourth answer
    Path(MODEL).write_bytes(bytes(data))
    done = capax("apply", MODEL, "ba", "--logits", "--json", "--unchecked")
    assert done.json["logits"] == [[0, 0, 0, -0.5], [0, 1, 0, -0.5]]
    assert done.err.count("warning: ") == 1
    build().save(MODEL)
    assert capax("apply", MODEL, "ba", "--unchecked").err == ""
