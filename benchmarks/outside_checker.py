"""What does the outside checker accept, how long does it take, and which wrong models does it refuse?

    python benchmarks/outside_checker.py [--quick] [--only PART] [--count N] [--seed S] [--list]

The parts: `library`, every program of the library and some that its functions make, at length 8; `long`, longer words;
`mutants`, small models with one number changed, until N of them answer wrongly on some word, which is found by trying
all words (none of these may be accepted); `random`, programs of `random_programs.py` that capax certifies whole.
Seconds are processor time of the check itself. `--list` prints what is refused, with the reason.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from random_programs import Case, cases
from table import Table

import capax
from capax import library, select, tokens
from capax.certify.plan.plan import with_plan
from capax.compiler.check.agreement import compare, meaning, same
from capax.compiler.domain import domain
from capax.model.model import Model
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.sequence import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "checker"))
import capax_check

ALPHABETS: dict[str, Any] = {
    "parity": "01",
    "majority": "01",
    "addition": "0123456789+",
    "dyck1_ptf": "()",
    "dyck2_ptf": "(){}",
    "dyck3_ptf": "(){}[]",
    "dyck2_best": "(){}",
    "shuffle_dyck2": "()[]",
    "hist_bos": "§ab",
    "sort_bos": "§ab",
    "hist2_bos": "§ab",
    "sort_by_most_freq": "§ab",
    "match3": [1, 2, 4, 5],
    "in_triangle": [12, 23, 31, 13],
    "add_by_lookahead": "012",
    "parity_in_rounds": "01",
    "rule_110": "01",
    "iterated": [1, 2, 3, 4],
    "root_of": [1, 2, 3, 4],
    "reachable": ["01", "12", "13", "20", "23", "30"],
}
MADE: dict[str, Callable[[], Any]] = {
    "count(tokens, a)": lambda: library.count(tokens, "a"),
    "contains(tokens, a)": lambda: library.contains(tokens, "a"),
    "has_focus": lambda: library.has_focus(select(tokens, "a", "==")),
    "average(indices)": lambda: library.average(capax.indices),
    "load_from_location": lambda: library.load_from_location(tokens, 1),
    "shift(tokens, 1, -)": lambda: library.shift(tokens, 1, "-"),
    "mark_last_instance": lambda: library.mark_last_instance(tokens, "a"),
    "mark_first_instance": lambda: library.mark_first_instance(tokens, "a"),
    "select_from_last": lambda: capax.aggregate(library.select_from_last(tokens, "a"), capax.indices),
    "select_from_first": lambda: capax.aggregate(library.select_from_first(tokens, "a"), capax.indices),
    "sort(tokens, tokens)": lambda: library.sort(tokens, tokens),
    "select_next_identical": lambda: capax.aggregate(library.select_next_identical(tokens), capax.indices),
    "max(indices, length - indices)": lambda: library.max(capax.indices, capax.length - capax.indices),
}


@dataclass(frozen=True)
class Checked:
    """What the checker said of a model: None if it is proved, else why not; and how long that took."""

    why: str | None
    seconds: float


def check(model: Model, folder: Path) -> Checked:
    """Runs the checker, as a program would, on a file of the model."""
    path = folder / "model.safetensors"
    model.save(path)
    capax_check.Work.done = 0
    started = time.process_time()
    why: str | None = None
    try:
        checker = capax_check.Checker(*capax_check.read_file(str(path)))
        checker.run()
    except capax_check.Refused as refused:
        why = refused.args[0]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        why = f"damaged: {type(error).__name__}"
    return Checked(why, time.process_time() - started)


def library_programs() -> Iterator[tuple[str, Any, Any]]:
    """The s-ops of the library and some that its functions make, with an alphabet for each."""
    for name in dir(library):
        if isinstance(getattr(library, name), capax.SOp):
            yield name, getattr(library, name), ALPHABETS.get(name, "abc")
    for name, make in MADE.items():
        yield name, make(), "abc"


def show_library(folder: Path) -> None:
    """Every program of the library at length 8, in both number systems, and without later positions."""
    table = Table("program", "float32", "CPU s", "float64", "CPU s", "causal", "CPU s", title="the library, length 8")
    accepted = certified = 0
    for name, program, alphabet in library_programs():
        row: list[str] = []
        for settings in ({}, {"dtype": "float64"}, {"causal": True}):
            try:
                compiled = capax.compile(program, alphabet=alphabet, max_length=8, words=100, **settings)
            except capax.CapaxError:
                compiled = None  # a loop cannot be causal
            if compiled is None or compiled.certified_length < 8:
                row += ["not certified", ""]
                continue
            result = check(with_plan(compiled.model), folder)
            certified, accepted = certified + 1, accepted + (result.why is None)
            row += ["proved" if result.why is None else result.why[:60], f"{result.seconds:.2f}"]
        table.add_row(name, *row)
    print(table)
    print(f"accepted: {accepted} of {certified} that capax certifies")


def show_long(folder: Path) -> None:
    """Longer words."""
    table = Table("program", "length", "capax", "checker", "CPU s", title="longer words")
    sort = library.sort(tokens, tokens)
    for name, program, length in (
        ("reverse", library.reverse, 256),
        ("hist_nobos", library.hist_nobos, 256),
        ("sort", sort, 64),
        ("dyck1_ptf", library.dyck1_ptf, 64),
        ("induction", library.induction, 32),
    ):
        compiled = capax.compile(program, alphabet=ALPHABETS.get(name, "abc"), max_length=length, words=50)
        result = check(with_plan(compiled.model), folder)
        known = "certified" if compiled.certified_length == length else f"certified to {compiled.certified_length}"
        table.add_row(name, length, known, result.why or "proved", f"{result.seconds:.1f}")
    print(table)


# mutants

SMALL: dict[str, tuple[Callable[[], Any], Any, int]] = {
    "reverse": (lambda: library.reverse, "ab", 4),
    "hist_nobos": (lambda: library.hist_nobos, "ab", 4),
    "sort": (lambda: library.sort(tokens, tokens), "ab", 4),
    "parity": (lambda: library.parity, "01", 4),
    "majority": (lambda: library.majority, "01", 4),
    "dyck1_ptf": (lambda: library.dyck1_ptf, "()", 4),
    "dyck2_best": (lambda: library.dyck2_best, "(){}", 3),
    "induction": (lambda: library.induction, "ab", 4),
    "hist2_nobos": (lambda: library.hist2_nobos, "ab", 4),
    "average": (lambda: library.average(capax.indices) * 2, "ab", 4),
    "match3": (lambda: library.match3, (1, 2, 4), 4),
    "parity_in_rounds": (lambda: library.parity_in_rounds, "01", 5),
    "rule_110": (lambda: library.rule_110, "01", 4),
    "hop4_in_rounds": (lambda: library.hop4_in_rounds, "ab", 4),
}


def changes(value: float, draw: random.Random) -> float:
    """A number instead of another: by an ulp, by a part, negated, zeroed, or moved."""
    kind = draw.randrange(8)
    single = np.float32(value)
    moved = [
        float(np.nextafter(single, np.float32(np.inf))),
        float(np.float32(value * 1.01)),
        float(np.float32(value * 1.1)),
        value / 2,
        -value,
        0.0,
        value + 1,
        value + 0.125,
    ]
    return moved[kind] if moved[kind] != value else value + 0.125


def mutants(model: Model, draw: random.Random) -> Iterator[Model]:
    """Models that differ in one number; three quarters of the places hold one that is not zero."""
    while True:
        part, path = draw.choice(list(arrays_of(model)))
        places = np.argwhere(part != 0) if draw.random() < 0.75 else np.argwhere(np.ones_like(part))
        if not len(places):
            continue
        at = tuple(places[draw.randrange(len(places))])
        changed = np.array(part)
        changed[at] = changes(float(part[at]), draw)
        if np.isfinite(changed[at]) and changed[at] != part[at]:
            yield with_array(model, path, changed)


def arrays_of(model: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[np.ndarray[Any, Any], tuple[Any, ...]]]:
    """All arrays of a model, with the fields and numbers that lead to them."""
    if isinstance(model, np.ndarray):
        if model.size:
            yield model, path
    elif isinstance(model, tuple):
        for number, item in enumerate(model):
            yield from arrays_of(item, (*path, number))
    elif hasattr(model, "__dataclass_fields__"):
        for name in model.__dataclass_fields__:
            if name != "provenance":
                yield from arrays_of(getattr(model, name), (*path, name))


def with_array(part: Any, path: tuple[Any, ...], array: np.ndarray[Any, Any]) -> Any:
    """The same with another array at a path."""
    if not path:
        return array.astype(part.dtype)
    first, *rest = path
    if isinstance(first, int):
        return (*part[:first], with_array(part[first], tuple(rest), array), *part[first + 1 :])
    return replace(part, **{first: with_array(getattr(part, first), tuple(rest), array)})


def show_mutants(folder: Path, count: int, seed: int) -> None:
    """Mutants of small models until so many of them are wrong on some word."""
    draw = random.Random(seed)
    table = Table("program", "wrong", "of these accepted", "right", "of these refused", title="one number changed")
    totals: Counter[str] = Counter()
    for name, (make, alphabet, length) in SMALL.items():
        compiled = capax.compile(make(), alphabet=alphabet, max_length=length, words=50)
        model, seen = with_plan(compiled.model), Counter[str]()
        words = [list(word) for n in range(1, length + 1) for word in product(alphabet, repeat=n)]
        node = meaning(compiled.program.node, domain(list(alphabet), length, causal=False))
        pairs = [(w, e) for w, e in zip(words, evaluate_batch(node, words), strict=True) if isinstance(e, Sequence)]
        assert check(model, folder).why is None, name
        for mutant in mutants(model, draw):
            wrong = is_wrong(mutant, pairs)
            refused = check(mutant, folder).why is not None
            seen["wrong" if wrong else "right"] += 1
            seen["missed"] += wrong and not refused
            seen["lost"] += refused and not wrong
            if seen["wrong"] >= -(-count // len(SMALL)):
                break
        totals += seen
        table.add_row(name, seen["wrong"], seen["missed"], seen["right"], seen["lost"])
        print(f"{name}: {dict(seen)}", file=sys.stderr, flush=True)
    table.add_row("all", totals["wrong"], totals["missed"], totals["right"], totals["lost"])
    print(table)
    print(f"right mutants that are refused: {100 * totals['lost'] / max(totals['right'], 1):.0f} %")


def is_wrong(model: Model, expected: list[tuple[list[Any], Any]]) -> bool:
    """Whether a model answers wrongly on some word, or cannot be run."""
    with np.errstate(all="ignore"):
        try:
            answers = model.batch([word for word, _ in expected])
        except capax.CapaxError:
            return True
    return not all(
        same(e, a) for (_, some), row in zip(expected, answers, strict=True) for e, a in zip(some, row, strict=True)
    )


# random programs


def show_random(folder: Path, count: int, seed: int, listed: bool) -> None:
    """Random programs that capax certifies whole."""
    reasons: Counter[str] = Counter()
    seconds, seen, wrong = 0.0, 0, 0
    for number, case in (pair for batch in range(1_000) for pair in cases(20, seed * 1000 + batch)):
        compiled = certified(case)
        if compiled is None:
            continue
        seen += 1
        result = check(with_plan(compiled.model), folder)
        seconds += result.seconds
        reasons[result.why[:50] if result.why else "proved"] += 1
        if listed and result.why:
            print(number, case.settings, result.why, f"{result.seconds:.1f} s", flush=True)
        if result.why is None:
            longest = min(case.settings["max_length"], 4)
            short = domain(case.settings["alphabet"], longest, causal=case.settings["causal"])
            words = [list(w) for n in range(1, short.max_length + 1) for w in product(short.alphabet[:3], repeat=n)]
            wrong += compare(compiled.model, meaning(compiled.program.node, short), words[:200]).wrong is not None
        if seen == count:
            break
    table = Table("verdict", "programs", title=f"{seen} random programs that capax certifies")
    for why, many in reasons.most_common():
        table.add_row(why, many)
    print(table)
    print(f"accepted: {reasons['proved']} of {seen}; wrong among these: {wrong}; {seconds:.0f} CPU s")


def certified(case: Case) -> Any:
    """The compiled program of a case, if it is certified whole."""
    try:
        compiled = capax.compile(case.program, **case.settings, words=50)
    except capax.CapaxError:
        return None
    return compiled if compiled.certified_length == case.settings["max_length"] else None


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few mutants and random programs")
    parser.add_argument("--only", choices=["library", "long", "mutants", "random"], help="one part")
    parser.add_argument("--count", type=int, help="mutants that are wrong, and random programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print what is refused, with the reason")
    given = parser.parse_args()
    parts = [given.only] if given.only else ["library", "long", "mutants", "random"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "library" in parts:
            show_library(folder)
        if "long" in parts:
            show_long(folder)
        if "mutants" in parts:
            show_mutants(folder, given.count or (40 if given.quick else 2000), given.seed)
        if "random" in parts:
            show_random(folder, given.count or (20 if given.quick else 500), given.seed, given.list)


if __name__ == "__main__":
    main()
