"""Reachability in a directed graph by one block in log rounds, compared with a search on random graphs.

Letters are edges, such as `2>5`. A pause token for each node holds a bit for each node that leads there; a round puts
the unions of the rows of their nodes for these rows. The answer for an edge: can its end be reached from node 0?
`python examples/reachability.py 32 40` takes 32 nodes and up to 40 edges.
"""

import random
import sys
import time
from functools import reduce
from itertools import pairwise

import capax
from capax import SOp, aggregate, indices, length, pad, repeat, select, tokens, where

NODES, LONGEST = map(int, sys.argv[1:] or (4, 6))
EDGES = {f"{u}>{v}": (u, v) for u in range(NODES) for v in range(NODES)}


def step(*row: SOp) -> list[SOp]:
    """The union of the rows that a row names."""
    inside = reduce(lambda a, b: a | b, [select(node, where(bit, k, NODES), "==") for k, bit in enumerate(row)])
    return [aggregate(inside, where(bit, 1, 0)) > 0 for bit in row]


start = tokens.map({edge: u for edge, (u, _) in EDGES.items()} | {"_": -1})
end = tokens.map({edge: v for edge, (_, v) in EDGES.items()} | {"_": -1})
number = indices - (length - NODES)
node = where((tokens == "_") & (number >= 0), number, -2)
rows = [(aggregate(select(end, node, "=="), where(start == j, 1, 0)) > 0) | (node == j) for j in range(NODES)]
from_zero = repeat(step, rows, (NODES - 1).bit_length())[0]
program = pad(aggregate(select(node, end, "=="), where(from_zero, 1, 0)) > 0, NODES)

began = time.process_time()
compiled = capax.compile(program, alphabet=list(EDGES), max_length=LONGEST, certify=NODES <= 8, words=20)
print(compiled.size)
print(f"{compiled.label}; {time.process_time() - began:.1f} CPU s")

draw, wrong, count, yes = random.Random(0), 0, 0, 0
for graph in range(100):  # every second one has a path through as many nodes as there are edges
    path = list(pairwise([0, *draw.sample(range(1, NODES), NODES - 1)])) if graph % 2 else []
    edges = (path + [draw.choice(list(EDGES.values())) for _ in range(draw.randint(1, LONGEST))])[:LONGEST]
    draw.shuffle(edges)
    seen = {0}
    while new := {v for u, v in edges if u in seen} - seen:
        seen |= new
    answers = compiled([f"{u}>{v}" for u, v in edges])
    wrong += sum(answer != (v in seen) for answer, (_, v) in zip(answers, edges, strict=True))
    count, yes = count + len(edges), yes + sum(v in seen for _, v in edges)
print(f"{wrong} wrong of {count:,} answers on 100 random graphs; {yes:,} are yes")
assert not wrong
