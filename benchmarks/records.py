"""The records: the least layers, heads and size that are known for a function, as written and as searched for.

    python benchmarks/records.py run [--seconds S] [NAME ...]
    python benchmarks/records.py page

`run` searches and keeps what it has in docs/reference/records.json, on all cores; what is there already is left
alone unless it is named, or `all` is. A program that is there already is kept if the search finds no smaller one.
`page` writes docs/reference/records.md from that file.
"""

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from search_targets import MORE, TARGETS

from capax.app.resolve import resolve
from capax.auditor.spec import Spec
from capax.auditor.specs.programs import of_program
from capax.rasp.analysis.loop_schedule import loop_schedule
from capax.rasp.analysis.schedule import schedule
from capax.rasp.analysis.sublayers import needed_order
from capax.rasp.ir.build import full_s, length
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.loop_nodes import LoopResult, has_loop
from capax.rasp.ir.nodes import Node
from capax.rasp.python.program import Program
from capax.synthesis.grammar import SearchLimits
from capax.synthesis.outcome import SearchOutcome
from capax.synthesis.search import search

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
DATA, PAGE = REFERENCE / "records.json", REFERENCE / "records.md"
SIZE = 20


def _with_bos(letters: str) -> Any:
    return lambda n: (("§", *rest) for rest in itertools.product(letters, repeat=n - 1))


def _sums(n: int) -> Iterator[tuple[str, ...]]:
    for plus in range(1, n - 1):
        for digits in itertools.product("0159", repeat=n - 1):
            yield (*digits[:plus], "+", *digits[plus:])


def _short(letters: tuple[int, ...]) -> Any:
    return lambda n: itertools.product(letters, repeat=n) if n <= 4 else iter(())


LIBRARY: dict[str, tuple[tuple[Any, ...], Any]] = {
    "hist_bos": (("§", "a", "b", "c"), _with_bos("abc")),
    "hist_nobos": (("a", "b", "c"), None),
    "reverse": (("a", "b", "c"), None),
    "sort_bos": (("§", "a", "b", "c"), _with_bos("abc")),
    "hist2_bos": (("§", "a", "b", "c"), _with_bos("abc")),
    "hist2_nobos": (("a", "b", "c"), None),
    "sort_by_most_freq": (("§", "a", "b", "c"), _with_bos("abc")),
    "dyck1_ptf": (("(", ")"), None),
    "dyck2_ptf": (("(", ")", "{", "}"), None),
    "dyck3_ptf": (("(", ")", "{", "}", "[", "]"), None),
    "dyck2_best": (("(", ")", "{", "}"), None),
    "shuffle_dyck2": (("(", ")", "[", "]"), None),
    "parity": (("0", "1"), None),
    "majority": (("0", "1"), None),
    "addition": (("0", "1", "5", "9", "+"), _sums),
    "first_occurrence": (("a", "b", "c"), None),
    "last_occurrence": (("a", "b", "c"), None),
    "induction": (("a", "b", "c"), None),
    "hop2": (("a", "b", "c"), None),
    "length": (("a", "b", "c"), None),
    "match3": ((1, 2, 3, 6), _short((1, 2, 3, 6))),
    "in_triangle": ((12, 21, 13, 31, 23, 32), _short((12, 21, 13, 31, 23, 32))),
    "parity_in_rounds": (("0", "1"), None),
    "rule_110": (("0", "1"), None),
    "odd_even_sort": (("a", "b", "c"), None),
    "root_of": ((0, 1, 2, 3), None),
    "iterated": ((0, 1, 2, 3), None),
    "add_by_lookahead": (("0", "1", "2"), None),
    "hop4_in_rounds": (("a", "b", "c"), None),
    "match3_by_pads": (("0", "1", "2", "3", "4"), _short(("0", "1", "2", "3", "4"))),
    "reachable": (("01", "12", "20", "23", "31"), _short(("01", "12", "20", "23", "31"))),
}
"""The s-ops of the library with their letters, and their words where these are not all."""


def written_size(program: Program) -> int:
    """The nodes of a program, written out, as a search counts them; the body of a loop is there once."""
    named = {length.node, full_s.node}

    def operands(node: Node) -> Sequence[Node]:
        body = node.nexts if isinstance(node, LoopResult) else ()
        return () if node in named else (*node.operands, *body)

    sizes: dict[Node, int] = {}
    for node in postorder([program.node], operands):
        sizes[node] = 1 + sum(sizes[part] for part in operands(node))
    return sizes[program.node]


def _written(program: Program) -> dict[str, Any]:
    """What a text costs: layers and heads are formulas, and there is no order, if it has a loop."""
    size = written_size(program)
    if has_loop(program.node):
        loop = loop_schedule(program)
        heads = [sum(len(layer.heads) for layer in part) for part in (loop.prelude, loop.body, loop.coda)]
        return {"size": size, "layers": loop.formula, "heads": f"{heads[0]} + {heads[1]} + {heads[2]}", "order": None}
    plan = schedule(program)
    costs = {"size": size, "layers": plan.depth, "heads": sum(plan.heads_merged)}
    return {**costs, "order": needed_order(plan.root)}


def _spec_of(name: str) -> tuple[Spec, dict[str, Any] | None, str]:
    """The specification of a record, what the library's text costs, and what it is."""
    if name in LIBRARY:
        letters, every = LIBRARY[name]
        resolved = resolve(name, split="ints" if isinstance(letters[0], int) else "chars")
        spec = of_program(resolved.program, letters, 8, name=name)
        return replace(spec, states=None, every=every), _written(resolved.program), "in the library"
    target = next(t for t in (*TARGETS, *MORE) if t.name == name)
    return target.spec(), None, target.what


def names() -> list[str]:
    """All records: the library's, then the tasks that are no library programs."""
    return [*LIBRARY, *[t.name for t in (*TARGETS, *MORE) if t.name not in LIBRARY]]


def _search(spec: Spec, name: str, limits: SearchLimits, seconds: float, first: bool) -> SearchOutcome:
    start = time.process_time()
    return search(spec, limits=limits, first=first, name=name, used=lambda: (time.process_time() - start) / seconds)


def _found(result: SearchOutcome) -> dict[str, Any]:
    best = result.best
    data: dict[str, Any] = {"exhausted": result.exhausted, "candidates": result.candidates, "program": None}
    if best is not None:
        costs = {"size": best.size, "layers": best.layers, "heads": sum(best.heads), "order": best.order}
        data["program"] = {**costs, "text": best.text, "evidence": best.evidence.text()}
    return data


def record(name: str, seconds: float) -> dict[str, Any]:
    """One record: the smallest program, and programs with one layer or one head less than the least known.

    Of programs of one size the one with fewer layers, or heads, is the record; then still fewer are tried.
    """
    spec, written, what = _spec_of(name)
    smallest = _found(_search(spec, name, SearchLimits(size=SIZE), seconds, first=False))
    data = {"name": name, "what": what, "seconds": seconds, "written": written, "smallest": smallest}
    for part in ("layers", "heads"):
        data[part] = None
        while (least := _least(part, written, smallest["program"])) > 0:
            limits = SearchLimits(size=SIZE, **{part: least - 1})
            fewer = {"limit": least - 1, **_found(_search(spec, name, limits, seconds / 3, first=True))}
            program, best = fewer["program"], smallest["program"]
            if program and best and program["size"] == best["size"] and program["layers"] <= best["layers"]:
                smallest["program"], data[part] = program, None
                continue
            data[part] = fewer
            break
    return data


def _least(part: str, *known: dict[str, Any] | None) -> int:
    """The least layers, or heads, of programs that are known and have no loop."""
    costs = [cost[part] for cost in known if cost is not None]
    return min((number for number in costs if isinstance(number, int)), default=0)


def _kept(new: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """A new record with the program of the old one, where that is smaller."""
    before = None if old is None else old["smallest"]["program"]
    after = new["smallest"]["program"]
    if before is not None and (after is None or before["size"] < after["size"]):
        new["smallest"] = {**new["smallest"], "program": {**before, "earlier": True}}
    return new


def run(chosen: Sequence[str], seconds: float, workers: int) -> None:
    """Searches for records that are not there, or are named, and stores each when it is done."""
    stored = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    missing = (names() if chosen == ["all"] else list(chosen)) or [name for name in names() if name not in stored]
    with ProcessPoolExecutor(workers) as pool:
        under_way = {name: pool.submit(record, name, seconds) for name in missing}
        names_of = {future: name for name, future in under_way.items()}
        for future in as_completed(names_of):
            name = names_of[future]
            stored[name] = _kept(future.result(), stored.get(name))
            ordered = {n: stored[n] for n in names() if n in stored}
            DATA.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(name, file=sys.stderr, flush=True)


def main() -> int:
    """Does what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=("run", "page"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=9.0, help="CPU seconds for a search")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    asked = parser.parse_intermixed_args()
    if asked.action == "run":
        run(asked.names, asked.seconds, asked.workers)
    else:
        from records_page import page

        PAGE.write_text(page(json.loads(DATA.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
