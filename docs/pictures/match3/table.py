"""Prints the table of the page on matching: target functions against the sizes that kinds of attention need.

`python docs/pictures/match3/table.py` runs the theorems, and prints what they built and checked.
"""

from collections.abc import Callable
from typing import Any

from capax.theorems import theorem
from capax.theorems.base.theorem import TheoremRun

HEAD = (
    "| target | attention: one layer, one head | multi-head: one layer | multi-layer | third-order |",
    "|---|---|---|---|---|",
)
NOT_NEEDED = "one head is enough"
NOT_BUILT = "not built here"


def run(name: str, **at: Any) -> TheoremRun:
    """A theorem at given parameters; one that fails does not belong in the table."""
    done = theorem(name).run(**at)
    assert done.check.holds, f"{name} {at}: {done.check}"
    return done


def sizes(name: str, measure: Callable[[TheoremRun], object], sizes: tuple[dict[str, Any], ...], **at: Any) -> str:
    """What is measured at several sizes, such as `3 at N = 20, 3 at N = 80`, each with a check that holds."""
    texts = []
    for some in sizes:
        parameter, value = next(iter(some.items()))
        label = {"length": "N", "n": "N", "modulus": "M"}[parameter]
        texts.append(f"{measure(run(name, **some, **at))} at {label} = {value:,}")
    return ", ".join(texts)


def head_dimension(done: TheoremRun) -> int:
    """The dimension of the largest head."""
    return done.model.size.head_dimension


def queries(done: TheoremRun) -> int:
    """The dimension of the queries of the first head."""
    return done.model.blocks[0].heads[0].query.outputs


def layers(done: TheoremRun) -> str:
    """Layers and the dimension of the largest head."""
    return f"{done.model.depth} layers, m = {head_dimension(done)}"


def table() -> str:
    """The table as Markdown; every size in it was built and checked by this function."""
    lengths = ({"length": 20}, {"length": 80})
    vertices = ({"n": 8}, {"n": 16})
    moduli = ({"modulus": 9}, {"modulus": 31})
    heads = {"heads": 3, "length": 30}
    lower = "needs H m p = Omega(N / log log N) (cited)"
    graph = "depth times H m is Omega(N / log N) (cited, not checked here)"
    rows = [
        ("Match2 (PairID)", f"m = {sizes('match2', head_dimension, lengths)}", NOT_NEEDED, NOT_NEEDED, NOT_NEEDED),
        ("Match3Bigram", NOT_BUILT, NOT_BUILT, sizes("match3-bigram", layers, lengths), NOT_BUILT),
        (
            "Match3Local, K = 2",
            f"m = {sizes('match3-local', queries, lengths, modulus=31, reach=2)}",
            NOT_NEEDED,
            NOT_NEEDED,
            NOT_BUILT,
        ),
        (
            "Match3 (TriID)",
            f"m = {sizes('tri-id', head_dimension, moduli, length=30)}; {lower}",
            f"3 heads of m = {sizes('tri-id', head_dimension, moduli, **heads)}; {lower}",
            "open: conjectured to need N^Omega(1)",
            f"m = {sizes('match3', head_dimension, lengths)}",
        ),
        (
            "TriIDGraph",
            f"m = {sizes('tri-id-graph', head_dimension, vertices, order='pairwise')}; {graph}",
            graph,
            graph,
            f"m = {sizes('tri-id-graph', head_dimension, vertices)}",
        ),
        (
            "g(f(x)), n = N points",
            "needs (d + 1) p >= n log2 n, d the width (cited)",
            "needs H (d + 1) p >= n log2 n (cited)",
            sizes("composition", layers, ({"n": 20}, {"n": 80})),
            NOT_BUILT,
        ),
        (
            "equality of two strings",
            "needs m p = Omega(N) (cited)",
            "needs H m p = Omega(N) (cited)",
            sizes("equality", layers, ({"n": 20}, {"n": 80})),
            NOT_BUILT,
        ),
    ]
    return "\n".join([*HEAD, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
