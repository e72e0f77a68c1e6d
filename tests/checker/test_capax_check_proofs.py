"""What the outside checker proves, and that it refuses what is wrong: weights, programs and plans."""

import random
import re
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest

import capax
from capax.certify.plan.plan import with_plan
from capax.certify.recheck.recheck import recheck
from capax.model.io.file import from_bytes
from capax.rasp.text.module import stored_program
from checker import capax_check
from tests.support.checked_files import SMALL, changed_facts, is_right, small_model, verdict, written


@pytest.mark.parametrize("name", SMALL)
def test_small_programs_are_proved(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And by capax, too; the theorem says about which program, words and numbers it is."""
    model = small_model(name)
    assert verdict(written(model, tmp_path)) == 0, capsys.readouterr().out
    text = capsys.readouterr().out
    assert model.provenance.program is not None
    assert indent(model.provenance.program.rstrip(), "    ") in text
    assert f"word of 1 to {model.max_length} tokens" in text
    assert f"in {model.numbers}." in text
    assert ("later positions hidden" in text) == model.provenance.causal
    assert recheck(model).holds


@pytest.mark.parametrize(
    "name", ["reverse", "sort", "parity", "dyck1", "distinct", "first after", "mean so far", "match3", "triangles"]
)
def test_wrong_weights_are_refused(name: str, tmp_path: Path) -> None:
    """No model with a changed number that answers wrongly on some word is proved."""
    draw, model = random.Random(name), small_model(name)
    program = stored_program(model.provenance.program or "")
    wrong = 0
    for _ in range(12):
        path = written(model, tmp_path)
        mutant = _mutated(path, draw)
        other = from_bytes(mutant.read_bytes(), "a mutant", warn=lambda text: None)
        with np.errstate(all="ignore"):
            right = is_right(other, program, model.provenance.causal)
        wrong += not right
        assert right or verdict(mutant) != 0
    assert wrong


def _mutated(path: Path, draw: random.Random) -> Path:
    """The file with one number changed that is not zero."""
    data = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    numbers = np.frombuffer(data, "<f4", offset=start)
    at = draw.choice(np.nonzero(numbers)[0].tolist())
    value = float(numbers[at])
    numbers[at] = draw.choice([value * 1.1, value / 2, -value, 0.0, value + 1, np.nextafter(np.float32(value), 9)])
    path.write_bytes(data)
    return path


CHANGES = (
    (r"==", "!="),
    (r"(?<![<>=!])<(?!=)", "<="),
    (r"<=", "<"),
    (r"(?<![<>=!])>(?!=)", "<"),
    (r"\band\b", "or"),
    (r"\bor\b", "and"),
    (r"\bnot\b", ""),
    (r"\b1\b", "2"),
    (r"\b0\b", "1"),
    (r" - ", " + "),
    (r" \+ ", " - "),
    (r"\bindices\b", "(indices + 1)"),
    (r"\bindices\b", "length"),
    (r"\btokens\b", '"a"'),
    (r'"a"', '"b"'),
    (r'"\("', '")"'),
    (r"\* ", "+ "),
    (r"% 2", "% 3"),
    (r"on_first", "on_second"),
    (r"on_second", "on_keys"),
    (r"on_keys", "on_first"),
    (r"% 7", "% 5"),
)


@pytest.mark.parametrize("name", SMALL)
def test_other_programs_are_refused(name: str, tmp_path: Path) -> None:
    """A model is not proved to compute a program that has another answer on some word."""
    model = small_model(name)
    text = model.provenance.program or ""
    draw, differ = random.Random(name), 0
    places = [(match, new) for old, new in CHANGES for match in re.finditer(old, text)]
    for match, new in draw.sample(places, min(len(places), 8)):
        other = text[: match.start()] + new + text[match.end() :]
        try:
            right = is_right(model, stored_program(other), model.provenance.causal)
        except capax.CapaxError:
            continue
        path = changed_facts(written(model, tmp_path), lambda d, other=other: d["facts"].update(program=other))
        differ += not right
        assert right or verdict(path) != 0, other
    assert differ


@pytest.mark.parametrize("name", ["reverse", "sort", "dyck2", "by frequency", "joined", "mean so far"])
def test_damaged_plans_end_in_a_verdict(name: str, tmp_path: Path) -> None:
    """Whatever is changed in a plan, there is no exception; and what heads are said to compute matters."""
    model, draw = small_model(name), random.Random(name)
    for _ in range(10):
        path = changed_facts(written(model, tmp_path), lambda d: _damage(d["facts"]["plan"], draw))
        assert verdict(path) in (0, 1)


def _damage(plan: dict[str, Any], draw: random.Random) -> None:
    names = re.findall(r"^(n\d+) =", plan["nodes"], re.MULTILINE)
    kind = draw.choice(["heads", "same", "parts", "orders", "limits", "counts", "nodes", "nodes", "drop", "type"])
    one, two = draw.choice(names), draw.choice(names)
    if kind == "heads":
        block = draw.choice(plan["heads"])
        block[draw.randrange(len(block))] = [one]
    elif kind in ("same", "parts", "orders"):
        plan[kind][one] = [two]
    elif kind in ("limits", "counts"):
        plan[kind][one] = two
    elif kind == "nodes":
        at = draw.randrange(len(plan["nodes"]))
        plan["nodes"] = plan["nodes"][:at] + draw.choice("<>=!;()n0 ") + plan["nodes"][at + 1 :]
    else:
        key = draw.choice(list(plan))
        plan.update({key: draw.choice([None, 3, [], {}, "n1"])}) if kind == "type" else plan.pop(key)


@pytest.mark.parametrize(("name", "node"), [("reverse", 0), ("sort", 1), ("parity", 0), ("dyck1", 1)])
def test_a_head_must_compute_what_the_plan_says(name: str, node: int, tmp_path: Path) -> None:
    """Another aggregate or width in its place is refused."""
    model = small_model(name)
    text = str((model.provenance.plan or {})["nodes"])
    others = re.findall(r"^(n\d+) = (?:aggregate|selector_width)", text, re.MULTILINE)
    blocks = (model.provenance.plan or {})["heads"]
    own = blocks[min(node, len(blocks) - 1)][0][0]
    for other in [*(o for o in others if o != own), "n0"]:

        def change(d: dict[str, Any], other: str = other) -> None:
            d["facts"]["plan"]["heads"][min(node, len(blocks) - 1)][0] = [other]

        assert verdict(changed_facts(written(model, tmp_path), change)) == 1


DOUBLING = "s0 = select(tokens, tokens, ==);" + "".join(f"s{k + 1} = s{k} and s{k};" for k in range(60))
DOUBLING += "x = selector_width(s60);"
DOUBLED_PAIRS = DOUBLING.replace("width(s60)", "width(on_first(s60))")
REFUSED = {
    "a norm": lambda d: d["blocks"][0].update(attention_norm={"kind": "layer", "epsilon": 0.0}),
    "a prefix": lambda d: d.update(prefix=["a"]),
    "a loop": lambda d: d.update(loop={"first": 0, "end": 1, "rounds": 2}),
    "hard attention": lambda d: d["blocks"][0]["heads"][0].update(attention="average-hard"),
    "a head of third order": lambda d: d["blocks"][0]["heads"][0].update(kind="tensor"),
    "a scale that rounds": lambda d: d["blocks"][0]["heads"][0].update(scale=255.0),
    "a scale that is too small": lambda d: d["blocks"][0]["heads"][0].update(scale=64.0),
    "another mask": lambda d: d["blocks"][1]["heads"][0].update(mask="causal"),
    "another function of positions": lambda d: d["positions"].update(functions=["i^2", "i"]),
    "an unknown function of positions": lambda d: d["positions"].update(functions=["i", "sin(i*1)"]),
    "longer words than the model takes": lambda d: d["facts"]["plan"].update(length=99),
    "no length": lambda d: d["facts"]["plan"].update(length=0),
    "another version": lambda d: d["facts"]["plan"].update(version=2),
    "no plan": lambda d: d["facts"].pop("plan"),
    "causal": lambda d: d["facts"]["domain"].update(causal=True),
    "neither causal nor not": lambda d: d["facts"]["domain"].update(causal=None),
    "no program": lambda d: d["facts"].pop("program"),
    "a selector": lambda d: d["facts"].update(program="s = select(1, 1, ==);"),
    "another answer": lambda d: d["decoding"].update(values=["b", "a"]),
    "a longer least length": lambda d: d.update(min_length=2),
    "other blocks": lambda d: d["facts"]["plan"]["heads"].append([]),
    "a token twice": lambda d: d.update(vocabulary=["a", "a"]),
    "a selector that doubles": lambda d: d["facts"].update(program=DOUBLING),
    "a selector of pairs that doubles": lambda d: d["facts"].update(program=DOUBLED_PAIRS),
    "any number": lambda d: d.update(decoding={"kind": "numbers"}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_covered_is_refused(what: str, tmp_path: Path) -> None:
    """Each of these may make the statement false, or is not known to the checker."""
    path = written(small_model("reverse"), tmp_path)
    assert verdict(changed_facts(path, REFUSED[what])) == 1


def test_types_of_answers_are_part_of_the_theorem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where an answer has another type than the program's the theorem says so; another value is refused."""

    def floats(d: dict[str, Any]) -> None:
        d["decoding"]["values"] = [float(v) for v in d["decoding"]["values"]]

    path = written(small_model("histogram"), tmp_path)
    assert verdict(path) == 0
    assert "in value and type" in capsys.readouterr().out
    assert verdict(changed_facts(path, floats)) == 0
    assert "in value, but not always in type" in capsys.readouterr().out
    assert verdict(changed_facts(path, lambda d: d["decoding"].update(values=[1, 2, 3, 5]))) == 1


def test_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too much work, or too many combinations, is refused."""
    path = written(small_model("dyck2"), tmp_path)
    for limit, least in (("WORK", 20_000), ("CELLS", 50)):
        with monkeypatch.context() as context:
            context.setattr(capax_check, limit, least)
            assert verdict(path) == 1
    assert verdict(path) == 0


def test_an_answer_that_rests_on_few_words_is_not_proved(tmp_path: Path) -> None:
    """A program that has a value on no word proves nothing."""
    model = small_model("reverse")
    empty = "s = aggregate(select(tokens, 1, <), tokens);"
    path = changed_facts(written(model, tmp_path), lambda d: d["facts"].update(program=empty))
    assert verdict(path) == 1


@pytest.mark.parametrize("text", ["# \ud800\n", "# \x1b[2J\rPROVED\n", "# \u202e\n"])
def test_a_text_that_a_terminal_would_not_show_as_it_is_is_refused(text: str, tmp_path: Path) -> None:
    path = written(small_model("reverse"), tmp_path)
    assert verdict(path) == 0

    def change(description: dict[str, Any]) -> None:
        description["facts"]["program"] += text

    assert verdict(changed_facts(path, change)) == 1


def test_a_promise_is_part_of_the_theorem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program in the file is the one under the promise, and the theorem says so."""
    count = capax.selector_width(capax.select(capax.tokens, "a", "=="))
    compiled = capax.compile(count, alphabet="ab", max_length=3, words=20, assume=count == 1)
    path = written(with_plan(compiled.model), tmp_path)
    assert verdict(path) == 0
    told = capsys.readouterr().out
    assert "P was made from another program, for words on which this is true at all positions:" in told
    assert "== 1" in told
