"""`capax decompile`: the program and its file, the evidence, the drawing, and what is refused."""

from pathlib import Path

import pytest

import capax as cx
from capax.decompiler import decompile_model
from capax.model.adapt.rotation import anonymous
from tests.support.audit_subjects import gpt
from tests.unit.app.outcome import Capax

MODELS = Path(__file__).parents[4] / "experiments" / "audit"


@pytest.fixture(scope="module")
def histogram(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A compiled histogram without names, its stream rotated."""
    file = tmp_path_factory.mktemp("models") / "histogram.safetensors"
    anonymous(cx.compile(cx.library.hist_nobos, alphabet="ab", max_length=10).model).save(str(file))
    return str(file)


def test_a_compiled_model(capax: Capax, histogram: str, tmp_path: Path) -> None:
    """Exit code 0, the program on the screen and in a file that runs, and a drawing."""
    file, drawing = tmp_path / "p.rasp", tmp_path / "p.html"
    done = capax(
        "decompile", histogram, "-o", str(file), "--fit", "5", "--max-length", "6", "--draw", str(drawing),
        "--against", "hist_nobos",
    )  # fmt: skip
    assert done.code == 0, done.out + done.err
    lines = done.out.splitlines()
    assert lines[0] == f"{histogram}: a program of 3 nodes, 1 layer, heads 1; read from its heads"
    assert "agreement  1.0000 on 4,000 words of 6 to 10 letters (seed 2)" in lines
    assert "audit      the model equals the program on all words of 1 to 6 tokens" in lines
    assert "against    the model equals hist_nobos on all words of 1 to 6 tokens" in lines
    assert "head 1.1   select(tokens, tokens, ==) -> answer" in lines
    assert lines[-2:] == ["  at_1_1 = select(tokens, tokens, ==);", "  answer = selector_width(at_1_1);"]
    assert capax("run", str(file), "abab").out.strip() == 'answer("abab") = [2]*4 (ints)'
    assert drawing.read_text().count("<svg") == 2


def test_a_trained_model_as_json(capax: Capax) -> None:
    """What a model learned that was to learn (ab)*: no b at an even position. Proved, and no (ab)*."""
    file = str(MODELS / "ab-star-0.safetensors")
    data = capax("decompile", file, "--max-length", "10", "--fit", "8", "--json").json
    assert data["route"] == "answers"
    assert data["audit"]["proved"] == list(range(1, 11))
    assert data["agreement"]["share"] == 1.0
    assert data["nodes"] <= 20
    assert "% 2" in data["program"]
    assert {row["part"] for row in data["ablation"]} == {"head 1.1", "MLP 1"}


def test_no_program(capax: Capax, tmp_path: Path) -> None:
    """Random weights: exit code 1, the reason, and no file."""
    file, program = tmp_path / "m.safetensors", tmp_path / "p.rasp"
    gpt(2, seed=3).save(str(file))
    done = capax(
        "decompile", str(file), "-o", str(program), "--alphabet", "01", "--read", "last", "--fit", "6", "--seconds", "5"
    )
    assert done.code == 1
    assert done.out.startswith(f"{file}: no program found\nreason ")
    assert not program.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "p.txt"), "goes to a .rasp file"),
        (("--draw", "p.svg"), "goes to a .html file"),
        (("-o", "nowhere/p.rasp"), "there is no folder nowhere"),
        (("--fit", "1"), "words of 2 to 64 letters"),
        (("--max-length", "0"), "no words of up to 0 letters"),
        (("--max-length", "11"), "too long for the model"),
        (("--read", "first"), "each, last or end"),
        (("--read", "end"), "no marker is named"),
        (("--seconds", "0"), "seconds is a number"),
    ],
)
def test_what_is_refused(capax: Capax, histogram: str, options: tuple[str, ...], message: str) -> None:
    """Exit code 2, and what is wrong."""
    done = capax("decompile", histogram, *options)
    assert done.code == 2
    assert message in done.err


def test_an_automaton(capax: Capax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no small memory is right on longer words, the automaton of the answers is the program; proved."""
    monkeypatch.setattr(decompile_model, "unfit", lambda model: "its heads are not read")
    file, program = str(tmp_path / "m.safetensors"), str(tmp_path / "p.rasp")
    capax("recognise", "(aab|b)*", "--route", "log-depth", "-o", file, "--max-length", "8")
    done = capax("decompile", file, "-o", program, "--fit", "4", "--max-length", "6")
    assert done.code == 0, done.out + done.err
    assert done.out.splitlines()[0].endswith("0 + 1 x length + 0 layers, heads 1; the automaton of its answers")
    assert "audit      the model equals the program at the last letter on all words of 1 to 6 tokens" in done.out
    assert capax("run", program, "baab").out.strip() == 'answer("baab") = [T, F, F, T] (bools)'
