"""`capax train --discrete`: from a task to a program and a certified model."""

from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax

TINY = ("--max-length", "4", "--symbols", "3", "--counts", "1", "--layers", "1", "--tables", "0")
QUICK = (*TINY, "--restarts", "4", "--steps", "100", "--words", "100")


def test_a_program_is_learned_written_and_certified(capax: Capax) -> None:
    """The files run as any program and model; the report says that network and program are the same function."""
    done = capax("train", "histogram", "--discrete", *QUICK, "-o", "h.rasp", "--compile", "h.safetensors")
    assert done.code == 0, done.err
    for line in ("network accuracy    1.0000", "program accuracy    1.0000", "the same function   yes", "certified in"):
        assert line in done.out
    assert capax("run", "h.rasp", "abba", "--json").json == [2, 2, 2, 2]
    assert capax("apply", "h.safetensors", "abb", "--json").code == 0
    assert "selector_width(select(tokens, tokens, ==))" in Path("h.rasp").read_text(encoding="utf-8")


def test_the_report_names_the_language_and_what_is_not_learned(capax: Capax) -> None:
    """Parity is the language where none is named, and no certificate is printed as one of it."""
    small = ("--max-length", "4", "--layers", "0", "--rounds", "1", "--steps", "20", "--words", "20", "--restarts", "2")
    done = capax("train", "language", "--discrete", *small)
    assert done.code == 1
    assert done.out.startswith("language --name parity ")
    assert "left to hold out: the accuracy says little about other words" in done.out
    assert "learned             no: what follows is about this program, which is not the task" in done.out
    assert "(the program, not the task)" in done.out


def test_what_is_not_learned_is_an_answer_of_no(capax: Capax) -> None:
    """The program is the network all the same; the JSON has every figure."""
    done = capax("train", "sort", "--discrete", *QUICK, "--layers", "0", "--rounds", "1", "--json")
    assert done.code == 1
    result = done.json
    assert result["network_accuracy"] == result["program_accuracy"] < 1
    assert (result["equal"], result["certified_length"], result["size"]["attention_layers"]) == (True, 4, 0)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("reverse", "--discrete", "-o", "r.safetensors"), "bad-option"),
        (("reverse", "--discrete", "--compile", "r.rasp"), "bad-option"),
        (("reverse", "--discrete", "--minutes", "0"), "bad-option"),
        (("reverse", "--discrete", "--checkpoint", "c"), "bad-option"),
        (("reverse", "--compile", "r.safetensors"), "bad-option"),
        (("reverse", "--discrete", "--width", "8"), "bad-settings"),
        (("reverse", "--discrete", "--layers", "two"), "bad-settings"),
        (("reverse", "--discrete", "--layers", "99"), "bad-settings"),
        (("next-token", "--discrete"), "bad-settings"),
        (("reverse", "--discrete", "--symbols", "80"), "too-large"),
        (("reverse", "--discrete", "--restarts", "1024", "--batch", "512"), "too-large"),
        (("nothing", "--discrete"), "unknown-task"),
        (("reverse", "--discrete", "-o", "no/folder/r.rasp"), "file-unreadable"),
    ],
)
def test_wrong_arguments_are_refused(capax: Capax, args: tuple[str, ...], code: str) -> None:
    done = capax("train", *args)
    assert done.code == 2
    assert done.err.startswith(f"error[{code}]")
