"""Which edges of a directed graph start a walk that ends where node 0 leads: reachability by one block in log rounds.

The letters are edges, such as `2>5`, in any order. A pause token for each node follows the word; its row of bits has
the nodes from which it is reached. A round replaces each row by the union of the rows of its nodes, so that after t
rounds it has all walks of up to 2^t edges. The answer for an edge is whether its end can be reached from node 0.

    python examples/reachability.py 5 6
    python examples/reachability.py 32 40
"""

import random
import sys
import time
from functools import reduce
from itertools import pairwise

import capax
from capax import SOp, aggregate, indices, length, pad, repeat, select, tokens, where


def reachability(nodes: int) -> tuple[SOp, tuple[str, ...]]:
    """The program for graphs of a number of nodes, and its letters."""
    edges = {f"{u}>{v}": (u, v) for u in range(nodes) for v in range(nodes)}
    start = tokens.map({edge: u for edge, (u, _) in edges.items()} | {"_": -1})
    end = tokens.map({edge: v for edge, (_, v) in edges.items()} | {"_": -1})
    number = indices - (length - nodes)
    node = where((tokens == "_") & (number >= 0), number, -2)
    into = select(end, node, "==")
    rows = [(aggregate(into, where(start == j, 1, 0)) > 0) | (node == j) for j in range(nodes)]

    def step(*row: SOp) -> list[SOp]:
        inside = reduce(lambda a, b: a | b, [select(node, where(bit, k, nodes), "==") for k, bit in enumerate(row)])
        return [aggregate(inside, where(bit, 1, 0)) > 0 for bit in row]

    from_zero, *_ = repeat(step, rows, (nodes - 1).bit_length())
    answer = aggregate(select(node, end, "=="), where(from_zero, 1, 0)) > 0
    return pad(answer, nodes), tuple(edges)


def reached(word: list[str]) -> list[bool]:
    """The definition: for each edge whether its end can be reached from node 0."""
    edges = [tuple(map(int, edge.split(">"))) for edge in word]
    seen = {0}
    while new := {v for u, v in edges if u in seen} - seen:
        seen |= new
    return [v in seen for _, v in edges]


def graphs(nodes: int, longest: int, count: int) -> list[list[str]]:
    """Random graphs, and random paths with other edges, all edges in any order."""
    draw = random.Random(0)
    words = []
    for number in range(count):
        path = [0, *draw.sample(range(1, nodes), nodes - 1)]
        kept = list(pairwise(path))[: longest if number % 2 else 0]
        more = draw.randint(0 if kept else 1, max(longest - len(kept), 1))
        word = [f"{u}>{v}" for u, v in kept] + [f"{draw.randrange(nodes)}>{draw.randrange(nodes)}" for _ in range(more)]
        draw.shuffle(word)
        words.append(word[:longest])
    return words


def main(nodes: int, longest: int) -> int:
    """Compiles the program, tries random graphs, and returns how many answers were wrong."""
    program, edges = reachability(nodes)
    began = time.process_time()
    compiled = capax.compile(program, alphabet=edges, max_length=longest, certify=nodes <= 8, words=20)
    spent = time.process_time() - began
    print(compiled.size)
    print(f"{compiled.label}; {spent:.1f} CPU s")
    words = graphs(nodes, longest, 100)
    pairs = [pair for word in words for pair in zip(compiled(word), reached(word), strict=True)]
    wrong = sum(bool(answer) != right for answer, right in pairs)
    print(
        f"{wrong} wrong of {len(pairs):,} answers on {len(words)} random graphs; {sum(r for _, r in pairs):,} are yes"
    )
    return wrong


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])) > 0)
