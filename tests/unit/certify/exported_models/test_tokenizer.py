"""Tokenizers of exported directories: those that give texts other ids than the proof is about are rejected."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capax.app.commands.verify import verify_certificate
from capax.certify.exported_models.tokenizer import other_tokenizer
from capax.errors import CapaxError
from tests.support.llama_exports import llama, put


def _swapped(tokenizer: Any) -> None:
    ids = tokenizer["model"]["vocab"]
    ids["a"], ids["b"] = ids["b"], ids["a"]


def _without_bos(tokenizer: Any) -> None:
    tokenizer["post_processor"] = None


def _lower(tokenizer: Any) -> None:
    tokenizer["normalizer"] = {"type": "Lowercase"}


def _one_more(tokenizer: Any) -> None:
    tokenizer["model"]["vocab"]["d"] = len(tokenizer["model"]["vocab"])


def _other_files(change: Callable[[Any], None], name: str = "tokenizer.json") -> dict[str, bytes]:
    data = json.loads(llama("induction")[name])
    change(data)
    return {**llama("induction"), name: json.dumps(data).encode()}


def _before() -> list[int]:
    before: list[int] = json.loads(llama("induction")["certificate.json"])["answers"]["about"]["before"]
    return before


CHANGES: list[tuple[Callable[[Any], None], str]] = [
    (_swapped, "tokenizer.json gives the token 'a' the id"),
    (_without_bos, "does not put <bos> before every text"),
    (_lower, "another 'normalizer'"),
    (_one_more, "tokens that the model has not"),
    (lambda tokenizer: tokenizer.pop("model"), "damaged"),
]


@pytest.mark.parametrize("name", ["previous", "induction", "histogram", "brackets", "first"])
def test_the_tokenizer_of_an_export_is_right(name: str) -> None:
    """With answers that are tokens, an end, labels, and no token before words."""
    files = llama(name)
    answers = json.loads(files["certificate.json"])["answers"]
    assert other_tokenizer(files, answers["about"]["before"], answers["verdicts"][0]["length"]) is None


@pytest.mark.parametrize(("change", "reason"), CHANGES)
def test_other_tokenizers_are_rejected(change: Callable[[Any], None], reason: str) -> None:
    """Each gives other ids to some text, and the reason says what differs."""
    assert reason in (other_tokenizer(_other_files(change), _before(), 9) or "")


def test_other_notes_and_settings_are_rejected() -> None:
    """Names and ids in capax.json that go with another tokenizer, and settings that add something."""

    def renamed(notes: Any) -> None:
        (one, a), (two, b) = notes["tokens"][:2]
        notes["tokens"][:2] = [[two, a], [one, b]]

    def exchanged(notes: Any) -> None:
        notes["rows"] = [notes["rows"][1], notes["rows"][0], *notes["rows"][2:]]

    assert "other names" in (other_tokenizer(_other_files(renamed, "capax.json"), _before(), 9) or "")
    assert "other ids" in (other_tokenizer(_other_files(exchanged, "capax.json"), _before(), 9) or "")
    adds = _other_files(lambda settings: settings.update(add_prefix_space=True), "tokenizer_config.json")
    assert "add_prefix_space" in (other_tokenizer(adds, _before(), 9) or "")
    assert "texts of 10 tokens" in (other_tokenizer(llama("induction"), _before(), 10) or "")


def test_the_command_reads_the_tokenizer(tmp_path: Path) -> None:
    """It says no to other ids, to a file that is damaged, and to one that is missing."""
    for number, (change, reason) in enumerate(CHANGES[:2]):
        checked = verify_certificate(str(put(_other_files(change), tmp_path / str(number))))
        assert not checked.holds
        assert reason in str(checked.why)
    folder = put({**llama("induction"), "tokenizer.json": b"{"}, tmp_path / "damaged")
    assert "the tokenizer is damaged" in str(verify_certificate(str(folder)).why)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(CapaxError) as raised:
        verify_certificate(str(folder))
    assert "there is no tokenizer.json" in raised.value.what
