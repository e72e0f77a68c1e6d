"""Mutation testing of the trust core: `make mutants`, or `python -m tests.mutation [PART ...]`.

A mutant is a small change to the source; the tests should fail with it. Those that survive are printed: each wants a
test, or an entry in equivalent.toml with the reason why it changes nothing. The sample is drawn with a seed, so it is
the same for all; `--seed` draws another one. The exit code is 1 if a part of the core is below its least score.

The operators are those of cosmic-ray. Its own runner is not used: it writes mutants into the source tree (one at a
time, and a run that is killed leaves one behind) and starts a new test process for each, which here takes seconds
before the first test. mutmut keeps its list of exceptions as comments in the source, draws no samples, and has one set
of tests for all modules. `forks` is what runs the tests here.
"""

import argparse
import os
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEAST = 0.95
SEED = 1

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # a fork has no threads of the process that it is a copy of

import pytest  # noqa: E402

from tests.mutation.anew import OPTIONS  # noqa: E402
from tests.mutation.equivalent import Equivalent, read_equivalents, stale  # noqa: E402
from tests.mutation.forks import KILLED, PACKAGE, Judge, Limits, source_of  # noqa: E402
from tests.mutation.mutants import Mutant, sample  # noqa: E402


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the trust core: its modules, the tests that hold it, and how many mutants of a module are drawn."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    sample: int


def read_parts() -> list[Part]:
    """The parts that parts.toml lists; `*` in a module stands for all files of a folder that have code."""
    found = []
    for name, entry in tomllib.loads((HERE / "parts.toml").read_text()).items():
        paths = sorted({p for pattern in entry["modules"] for p in PACKAGE.glob(pattern)})
        left_out = {PACKAGE / m for m in entry.get("but", [])}
        modules = tuple(str(p.relative_to(PACKAGE)) for p in paths if p not in left_out and p.name != "__init__.py")
        modules += tuple(m for m in entry["modules"] if m.startswith("checker/"))
        found.append(Part(name, modules, tuple(entry["tests"]), entry["sample"]))
    return found


def judge(part: Part, equivalents: dict[Any, Equivalent], options: argparse.Namespace) -> dict[Mutant, str]:
    """The outcome of each mutant of a part that is not known as equivalent."""
    originals = {m: source_of(m).read_text() for m in part.modules if not options.module or m in options.module}
    drawn = [m for name, s in originals.items() for m in sample(name, s, options.sample or part.sample, options.seed)]
    known = {m: "equivalent" for m in drawn if m.key in equivalents}
    judge = Judge([m for m in drawn if m not in known], originals, Limits(options.seconds, jobs=options.jobs))
    code = pytest.main([*OPTIONS, "--no-header", "--no-summary", *part.tests], plugins=[judge])
    if code != 0 or len(judge.outcomes) + len(known) != len(drawn):
        raise SystemExit(f"{part.name}: its tests could not be run")
    return judge.outcomes | known


def table(part: Part, outcomes: dict[Mutant, str]) -> tuple[list[str], float]:
    """The rows of a part: one for each module and their sum, and the score of the whole."""
    rows, score = [], 1.0
    modules = sorted({m.module for m in outcomes})
    for module in [*modules, part.name]:
        count = Counter(o.split(",")[0] for m, o in outcomes.items() if module in (m.module, part.name))
        judged = count.total() - count["equivalent"]
        score = count[KILLED] / judged if judged else 1.0
        cells = [count.total(), count[KILLED], count["equivalent"], count["survived"]]
        name = f"{part.name}, all" if module == part.name else module
        rows.append(f"{name:<36}" + "".join(f"{c:>12}" for c in cells) + f"{score:>9.1%}")
    return rows, score


def arguments(words: list[str]) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n\n")[1])
    parser.add_argument("part", nargs="*", help="parts to judge: all, unless some are named")
    parser.add_argument("--module", action="append", help="only this module, such as certify/parts/check_heads.py")
    parser.add_argument("--sample", type=int, help="places of a module that are changed, instead of the usual number")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for each mutant")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0 if every part has its least score and all entries of equivalent.toml match."""
    options = arguments(words)
    equivalents = read_equivalents()
    parts = [p for p in read_parts() if not options.part or p.name in options.part]
    rows, alive, low = [], [], []
    for part in parts:
        print(f"{part.name}, seed {options.seed}: ", end="", flush=True)
        outcomes = judge(part, equivalents, options)
        print()
        more, score = table(part, outcomes)
        rows += more
        low += [part.name] if score < LEAST else []
        alive += [f"{m}\n    {o}" for m, o in outcomes.items() if o not in (KILLED, "equivalent")]
        for mutant in (m for m, o in outcomes.items() if o == "equivalent"):
            print(f"equivalent: {mutant}\n    {equivalents[mutant.key].reason}")
    heads = ("mutants", "killed", "equivalent", "survived")
    print("\n".join(["", *alive, "", f"{'module':<36}" + "".join(f"{h:>12}" for h in heads) + "    score", *rows]))
    for entry in (old := stale(equivalents.values())):
        print(f"equivalent.toml: no mutant is like this any more, take it out: {entry}")
    if low:
        print(f"below {LEAST:.0%}: {', '.join(low)}")
    return 1 if low or old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
