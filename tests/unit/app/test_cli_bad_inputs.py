"""Bad programs, files, options, streams, models, witnesses, results and sweeps: an error with a code, and no more.

No traceback, no hang, no file half written, no line lost. `make deep` runs ten thousand of them.
"""

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app import cli
from capax.app.commands.compile import compile_to
from capax.app.commands.ngram import fit_to
from capax.app.sweeps.results_store import Store
from capax.lab.engines.job import Done
from capax.lab.sweep_spec import read_spec
from tests.house.tree import SRC
from tests.support.bad_inputs import Base, broken, case, soup
from tests.support.forked import Case, ended, faults, fork, forked, warm

SEED = 22
MAIN = "from capax.app.cli import main; main()"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """Good files of each kind."""
    warm()
    folder = tmp_path_factory.mktemp("good")
    compile_to("reverse", str(folder / "m.safetensors"), alphabet="ab", max_length=3)
    (folder / "text").write_text("abab\nba\nabba\n")
    settings = {"smooth": 1.0, "split": "chars", "attention": "softmax", "dtype": "float32"}
    fit_to(str(folder / "text"), 2, str(folder / "n.safetensors"), **settings)  # type: ignore[arg-type]
    spec = (SRC.parent / "experiments" / "reverse.toml").read_text(encoding="utf-8")
    _results(folder / "r.sqlite", spec)
    _witness(folder)
    names = ("m.safetensors", "n.safetensors", "r.sqlite", "layer.safetensors", "w.json")
    return Base(*((folder / name).read_bytes() for name in names), spec.encode())


def _results(file: Path, text: str) -> None:
    spec = read_spec(text, "reverse")
    preset = "quick"
    members = spec.members(preset)[:4]
    store = Store(file)
    store.plan(spec, preset, members)
    for member in members[:3]:
        result = {
            "token_accuracy": 0.5,
            "history": [{"step": 1, "token_accuracy": 0.5}],
            "by_length": {"3": {"token_accuracy": 0.5}},
        }
        store.add(Done(member.settings.key(), result, None, 1.0, 1.0), member.settings.to_json(), "serial")


def _witness(folder: Path) -> None:
    for words in (
        ["make-model", "composition", "--n", "6", "-o", "layer.safetensors"],
        ["fool", "layer.safetensors", "--task", "composition", "--seconds", "5", "-o", "w.json"],
    ):
        assert ended(fork(lambda words=words: _command(words, folder))) == 0


def _command(words: list[str], folder: Path) -> None:
    os.chdir(folder)
    sys.argv = ["capax", *words]
    cli.main()


def run(numbers: range, base: Base, folder: Path) -> tuple[Counter[object], list[str]]:
    """The exit codes of some cases, and what is wrong with any of them."""
    codes: Counter[object] = Counter()
    found = []
    for number in numbers:
        one = case(SEED, number, base, folder.parent)
        left = forked(one, folder)
        codes[left.code] += 1
        found += [f"{number}: {fault}: {one.words} {left.err[-600:]}" for fault in faults(one, left, folder)]
    return codes, found


def test_a_hundred(base: Base, tmp_path: Path) -> None:
    codes, found = run(range(100), base, tmp_path / "case")
    assert found == []
    assert codes[2] > 25
    assert codes[0] > 2


@pytest.mark.deep
@pytest.mark.parametrize("start", range(0, 10_000, 500))
def test_ten_thousand(base: Base, tmp_path: Path, record_property: Callable[[str, object], None], start: int) -> None:
    """Twenty parts of five hundred, which run on all cores."""
    codes, found = run(range(start, start + 500), base, tmp_path / "case")
    record_property("exit codes", dict(codes))
    assert sum(codes.values()) == 500
    assert found == []


@pytest.mark.deep
def test_processes_with_odd_streams(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Closed streams, a full disk, a reader that goes away, other locales: three hundred processes of their own."""
    codes: Counter[int] = Counter()
    commands = ("run reverse -", "check -", "fmt -", "repl", "repl --classic", "layers reverse -", "draw reverse -",
                "run reverse --batch -", "list --json", "run nothing a", "run reverse abc")  # fmt: skip
    ends = (
        "",
        "<&-",
        ">&-",
        "2>&-",
        ">/dev/full",
        "| head -c 1",
        "<&- >&-",
        "<&- >&- 2>&-",
        "2>/dev/full",
        "< /dev/null",
        "< .",
    )
    places: tuple[dict[str, str], ...] = (
        {},
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "utf-8:strict"},
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    )
    for number in range(300):
        r = random.Random(number)
        line = f'"{sys.executable}" -c "{MAIN}" {r.choice(commands)} {r.choice(ends)}'
        data = broken(r, soup(r).encode("utf-8", "surrogatepass"))
        env = os.environ | r.choice(places)
        done = subprocess.run(["bash", "-c", line], input=data, capture_output=True, cwd=tmp_path, env=env, timeout=60)
        codes[done.returncode] += 1
        one, err = Case([line]), done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in err, (one, err)
        assert done.returncode in (0, 1, 2), (one, err)
    record_property("exit codes of 300 processes with odd streams", dict(codes))
