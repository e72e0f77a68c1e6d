"""`capax atlas`: questions by options and by keywords, and the other views."""

import json
import shlex
from pathlib import Path

import pytest

import capax as package
from capax import theorems
from capax.app.commands._atlas_results import Citations, commands_of
from capax.atlas.dataset import ATLAS
from tests.unit.app.outcome import Capax


def test_a_question_by_options(capax: Capax) -> None:
    """The answer, its proofs, what differs elsewhere, what runs, and the sources."""
    done = capax("atlas", "--attention", "leftmost-hard", "--language", "PARITY")
    assert done.code == 0, done.err
    assert done.out.splitlines()[3] == "no"
    assert "U1a: leftmost-hard" in done.out
    assert "PARITY is not in AC0 [fss1984; cited, not checked]" in done.out
    assert "[hahn2020; checked (table of the survey)]" in done.out
    assert "recalled" not in done.out
    assert "L6 says yes: attention softmax (here leftmost-hard)" in done.out
    assert "capax theorem parity --length 30" in done.out
    assert "hahn2020: Hahn 2020" in done.out


def test_keywords_and_options_agree(capax: Capax) -> None:
    """The two forms give the same data."""
    one = capax("atlas", "--json", "softmax", "log-precision", ":", "S5").json
    two = capax("atlas", "--attention", "softmax", "--precision", "log", "--language", "s5", "--json").json
    assert one == two
    assert one["answer"] == "conditional"
    assert one["assuming"] == ["TC0 != NC1"]
    assert one["proofs"][0]["lines"][0]["seen"] in ("checked", "our argument", "cited, not checked")


def test_a_class(capax: Capax) -> None:
    """Exactly P, by the claim of the survey."""
    done = capax("atlas", "average-hard", "poly-steps", ":", "P")
    assert "exactly P by E5: average-hard; mask causal" in done.out
    found = capax("atlas", "average-hard", "poly-steps", "--json", ":", "P").json
    assert found["contains"]["answer"] == "yes"
    assert list(found["exactly"]) == ["E5"]


def test_where_the_answer_is_read(capax: Capax) -> None:
    """Left open unless it is given; every claim of a proof says it."""
    options = ("atlas", "softmax", "strict-past", "no-positions", "constant-precision", ":", "LAST")
    assert "open: norm, read" in capax(*options).out
    last, end = (capax(*options, "--read", read, "--json").json for read in ("last", "end"))
    assert (last["answer"], end["answer"]) == ("yes", "no")
    assert [line["read"] for line in last["proofs"][0]["lines"] if line["read"]] == [["last"]]
    assert "precision constant; read last: these recognise" in " ".join(capax(*options, "--read", "last").out.split())
    assert "error[bad-question]" in capax(*options, "--read", "each").err


def test_a_strict_mask_has_a_direction(capax: Capax) -> None:
    """Leftmost-hard heads that look back do less than those that look ahead; `strict` alone is refused."""
    options = ("--attention", "leftmost-hard", "--positions", "none", "--precision", "constant", "--language", "(ab)*")
    masks = ("strict-past", "strict-future")
    found = [capax("atlas", *options, "--mask", mask, "--json").json["answer"] for mask in masks]
    assert found == ["no", "yes"]
    refused = capax("atlas", *options, "--mask", "strict")
    assert refused.code == 2
    assert "hint: write strict-past or strict-future" in refused.err


def test_what_if(capax: Capax) -> None:
    """A supposition changes an answer, and alone it shows all that it changes."""
    done = capax("atlas", "softmax", "log-precision", ":", "S5", "--what-if", "TC0 = NC1")
    assert "unknown: no record decides it" in done.out
    listed = capax("atlas", "--what-if", "TC0 = NC1")
    assert "padded, S5: conditional becomes yes" in listed.out


def test_knobs_open_cells_and_fields(capax: Capax) -> None:
    """Each view prints, and as JSON too."""
    assert (
        "attention softmax                  yes [L6]"
        in capax("atlas", "--knob", "PARITY", "--attention", "leftmost-hard").out
    )
    opened = capax("atlas", "--open", "--json").json
    assert {"model": "softmax, real numbers", "language": "S5", "answer": "unknown", "assuming": []} in opened
    assert "records that are missing" in capax("atlas", "--open").out
    fields = capax("atlas", "--fields").out
    assert "poly-steps" in fields
    assert "no-mask" in fields
    assert "claims (" in capax("atlas").out
    assert len(capax("atlas", "--json").json["claims"]) > 40


def test_citations(capax: Capax) -> None:
    """BibTeX of an answer, or of everything."""
    one = capax("atlas", "softmax", ":", "PARITY", "--cite").out
    assert "@inproceedings{chiang2022," in one
    assert "barrington1989" not in one
    assert "barrington1989" in capax("atlas", "--cite").out


def test_citations_are_of_the_question(capax: Capax) -> None:
    """Of knobs too; an answer that cites nothing says so and does not print all papers."""
    knobs = capax("atlas", "--knob", "PARITY", "--attention", "leftmost-hard", "--cite").out
    assert "{hahn2020," in knobs
    assert "merrill2024" not in capax("atlas", "--attention", "leftmost-hard", "--language", "PARITY", "--cite").out
    assert knobs.count("@") < capax("atlas", "--cite").out.count("@")
    assert Citations(()).render() == "% the answer cites nothing"


def test_every_command_that_the_atlas_prints_runs(capax: Capax) -> None:
    """As a reader would type it; none says no: each theorem is built at the sizes that its record names, and holds.

    Proofs on thousands of inputs are left out: those at the default sizes are on the page of labels. So are theorems
    at their default sizes, which the tests of theorems build and check, all of them.
    """
    verified = {f"capax theorem {name}" for name in theorems.names()}
    lines = sorted({line for record in (*ATLAS.claims, *ATLAS.remarks) for line in commands_of(record)})
    assert len(lines) > 30
    assert len(verified & {*lines}) < len(lines) - 20
    for line in lines:
        for part in (one for one in line.split("; ") if one not in verified):
            words = shlex.split(part)[1:]
            done = capax(*words, *(("--prove", "0") if words[0] in ("theorem", "recognise") else ()))
            assert done.code == 0, (part, done.err)


def test_pictures(capax: Capax) -> None:
    """The picture has every class, dashes where an inclusion is open; the page holds its data and nothing foreign."""
    assert capax("atlas", "--draw", "classes.svg", "--table", "table.html").code == 0
    svg = Path("classes.svg").read_text()
    assert "stroke-dasharray" in svg
    for name in ("TC0", "FOM[BIT]", "R-trivial", "= hard, masked, no positions", "≤ hard, any positions"):
        assert f">{name}<" in svg
    html = Path("table.html").read_text()
    assert html.count("<tr") > 60
    assert 'data-field="attention"' in html
    assert "http" not in html
    data = html.split('id="data">')[1].split("</script>")[0]
    assert "L6" in json.loads(data)["claims"]


def test_the_reference_page_and_the_picture_are_current(capax: Capax) -> None:
    """`capax atlas --page` and `--draw` make what the documentation shows."""
    docs = Path(package.__file__).parents[2] / "docs"
    assert capax("atlas", "--page").out == (docs / "reference" / "atlas.md").read_text(encoding="utf-8")
    assert capax("atlas", "--draw", "classes.svg").code == 0
    drawn = (docs / "pictures" / "atlas" / "classes.svg").read_text(encoding="utf-8")
    assert Path("classes.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize(
    "words",
    [
        ("--language", "PARITY", "--class", "P"),
        ("--attention", "softmax"),
        ("--draw", "one.png"),
        ("--table", "one.svg"),
        ("softmax", ":", "S5", "--open"),
    ],
)
def test_options_that_do_not_go_together(capax: Capax, words: tuple[str, ...]) -> None:
    """Are refused."""
    done = capax("atlas", *words)
    assert done.code == 2
    assert "error[bad-option]" in done.err


def test_a_field_that_is_given_twice(capax: Capax) -> None:
    """By the question and by an option."""
    done = capax("atlas", "softmax", ":", "S5", "--attention", "softmax")
    assert done.code == 2
    assert "error[bad-question]" in done.err


def test_classes_by_their_circuits(capax: Capax) -> None:
    """A table of the classes that pass the filters; the answer about a class shows its circuits; else an error."""
    done = capax("atlas", "--circuits", "depth=constant", "gates=MAJORITY")
    assert done.code == 0, done.err
    assert [line.split()[0] for line in done.out.splitlines()[2:5]] == ["TC0", "FOM[BIT]", "L-uniform"]
    shape = capax("atlas", "--class", "TC0", "--attention", "average-hard", "--json").json["circuits"]
    assert shape == {
        "depth": "constant",
        "size": "poly",
        "fan_in": "unbounded",
        "gates": ["AND", "OR", "MAJORITY"],
        "uniformity": "none",
    }
    assert "circuits: depth constant; size poly; fan-in unbounded" in capax("atlas", "--class", "TC0").out
    assert capax("atlas", "--circuits", "deep=yes").code == 2
    assert capax("atlas", "--circuits", "--language", "PARITY").code == 2
    assert "none: no class" in capax("atlas", "--circuits", "size=poly", "gates=MOD", "depth=log").out
