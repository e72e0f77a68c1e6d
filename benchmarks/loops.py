"""What do loops cost as models, and are they right?

Each program is compiled to one block with shared weights, tested, and certified by induction for every length up to the
greatest. `block` counts the parameters of the shared blocks, `all` those of the model, `written out` those of a model
without a loop at the greatest length. `wrong` counts positions of random words, most of them of the greatest length,
against plain Python that knows nothing of programs. `compile` is CPU seconds for compiling, tests and certificate.

S5: is the product of the permutations up to here the identity? Its letters are a transposition and a cycle of all five
points. Rule 110 runs as many rounds as the word has letters, and its block is the same at every length. Reachability is
`examples/reachability.py`: edges as letters, a pause token for each node.

    python benchmarks/loops.py [--quick]
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from table import Table

import capax
from capax import library
from capax.formal.automata.dfa import Dfa
from capax.theorems.languages.log_rounds import prefix_maps

REACHABILITY = Path(__file__).resolve().parents[1] / "examples" / "reachability.py"
MOVES = {"a": (1, 0, 2, 3, 4), "b": (1, 2, 3, 4, 0)}
S5 = Dfa(("a", "b"), tuple((MOVES["a"][q], MOVES["b"][q]) for q in range(5)), 0, frozenset({0}))


def _moved(points: tuple[int, ...], letter: str) -> tuple[int, ...]:
    return tuple(MOVES[letter][p] for p in points)


def products(word: str) -> list[bool]:
    """Whether the product of the permutations up to each position is the identity."""
    points = accumulate(word, _moved, initial=(0, 1, 2, 3, 4))
    return [p == (0, 1, 2, 3, 4) for p in points][1:]


def rule_110(word: str) -> list[bool]:
    """The cells after as many steps as there are cells."""
    cells = [letter == "1" for letter in word]
    for _ in word:
        padded = [False, *cells, False]
        cells = [(b or c) and not (a and b and c) for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)]
    return cells


def hops(word: str, k: int) -> list[str]:
    """The token after the latest earlier occurrence of the token here, k times over; the empty text for none."""
    one = [next((j + 1 for j in range(i - 1, -1, -1) if word[j] == word[i]), -1) for i in range(len(word))]
    ends = []
    for place in range(len(word)):
        for _ in range(k):
            place = one[place] if place >= 0 else -1
        ends.append(word[place] if place >= 0 else "")
    return ends


def roots(word: str) -> list[int]:
    """Where parents lead, where they all stand before their children."""
    result: list[int] = []
    for i, letter in enumerate(word):
        result.append(i if int(letter) == i else result[int(letter)])
    return result


def forest(source: random.Random, length: int) -> str:
    """Each position with its parent, one of at most ten."""
    return "".join(str(source.randint(0, min(i, 9))) for i in range(length))


def iterated(word: str) -> list[int]:
    """f(f(...f(i))), as often as there are positions; beyond the word it is -1."""
    places = list(range(len(word)))
    for _ in word:
        places = [int(word[p]) if 0 <= p < len(word) else -1 for p in places]
    return places


def added(word: str) -> list[str]:
    """The digits of a binary sum, from the sums of two bits each."""
    total = sum(int(letter) << i for i, letter in enumerate(reversed(word)))
    return list(f"{total % 2 ** len(word):0{len(word)}b}")


Right = Callable[[str], Sequence[Any]]
PROGRAMS: dict[str, tuple[Any, str, int, Right]] = {
    "rule 110, 10": (library.rule_110, "01", 10, rule_110),
    "rule 110, 20": (library.rule_110, "01", 20, rule_110),
    "parity": (library.parity_in_rounds, "01", 40, lambda w: [w[: i + 1].count("1") % 2 == 1 for i in range(len(w))]),
    "odd-even sort": (library.odd_even_sort, "abc", 32, sorted),
    "root, by pointer jumping": (library.root_of, "0123456789", 10, roots),
    "iterated function": (library.iterated, "01234567", 8, iterated),
    "addition by look-ahead": (library.add_by_lookahead, "012", 64, added),
    "3-hop": (library.k_hop_in_rounds(3), "abc", 64, lambda w: hops(w, 3)),
    "6-hop": (library.k_hop_in_rounds(6), "abc", 64, lambda w: hops(w, 6)),
}
"""Programs with their letters, greatest length, and answers."""


def row(table: Table, name: str, program: Any, letters: str, longest: int, right: Right, **options: Any) -> None:
    """One program in the table."""
    start, source = time.process_time(), random.Random(1)
    compiled = capax.compile(program, alphabet=letters, max_length=longest, **options)
    took, loop = time.process_time() - start, compiled.size.loop
    assert loop is not None
    draw = forest if right is roots else lambda source, n: "".join(source.choices(letters, k=n))
    count = 4_096 // longest + 1
    words = [draw(source, longest if i % 4 else source.randint(1, longest)) for i in range(max(count, 5))]
    answers = compiled.model.batch(words)
    pairs = [
        (x, y) for word, found in zip(words, answers, strict=True) for x, y in zip(found, right(word), strict=True)
    ]
    wrong = sum(x != y for x, y in pairs)
    sizes = [f"{n:,}" for n in (loop.block_parameters, compiled.size.parameters, loop.unrolled)]
    table.add_row(
        name, longest, loop.rounds, *sizes, compiled.certified_length, f"{wrong} of {len(pairs):,}", f"{took:.1f}"
    )


def main() -> None:
    """Both tables."""
    quick = "--quick" in sys.argv
    table = Table("program", "length", "rounds", "block", "all", "written out", "certified", "wrong", "compile")
    for longest in (16, 128) if quick else (16, 128, 1024):
        identity = [m == str(q) for q, m in enumerate(prefix_maps(S5, longest))]
        product = reduce(lambda a, b: a & b, identity)
        row(table, "S5", product, "ab", longest, products, budget=100_000)
    for name, entry in PROGRAMS.items():
        row(table, name, *entry)
    print(table)
    nodes, edges = ("8", "12") if quick else ("32", "40")
    done = subprocess.run([sys.executable, REACHABILITY, nodes, edges], text=True, capture_output=True, check=True)
    print(f"Reachability with {nodes} nodes and up to {edges} edges:\n\n```text\n{done.stdout.strip()}\n```")


if __name__ == "__main__":
    main()
