"""One cell of `benchmarks/compiler.py` with Tracr: reads a JSON line, prints one.

With the argument `values` it reads a list of programs with words, and prints what Tracr's interpreter says of them.
It runs with any interpreter that has Tracr (`pip install tracr-pypi`), which need not have capax. Right means: equal to
Tracr's own interpreter on the given words; numbers may differ by a thousandth.
"""

import json
import resource
import sys
import time
from typing import Any


def build(name: str, longest: int) -> Any:
    """The program of Tracr's own library, or one in its terms."""
    from tracr.compiler import lib
    from tracr.rasp import rasp

    x = rasp.tokens

    def fraction(token: int) -> Any:
        return lib.make_frac_prevs((x == token).named(f"is_{token}"))

    def add(*values: Any) -> int:
        return sum(value or 0 for value in values)

    return {
        "length": lambda: lib.make_length(),
        "count": lambda: lib.make_count(x, 1),
        "histogram": lambda: lib.make_hist(),
        "fraction of previous": lambda: fraction(1),
        "shift by 2": lambda: lib.shift_by(2, x),
        "detect pattern": lambda: lib.detect_pattern(x, [1, 2, 3]),
        "pair balance": lambda: lib.make_pair_balance(x, 1, 2),
        "sort unique": lambda: lib.make_sort_unique(x, x),
        "sort": lambda: lib.make_sort(x, x, max_seq_len=longest, min_key=1),
        "sort by frequency": lambda: lib.make_sort_freq(longest),
        "count less frequent": lambda: lib.make_count_less_freq(2),
        "reverse": lambda: lib.make_reverse(x),
        "shuffle-dyck-2": lambda: lib.make_shuffle_dyck([[1, 2], [3, 4]]),
        "x + y - z": lambda: lib.make_nary_sequencemap(lambda a, b, c: a + b - c, x, x, rasp.indices),
        "sum of three": lambda: lib.make_nary_sequencemap(add, x, lib.shift_by(1, x), lib.shift_by(2, x)),
    }[name]()


def measure(name: str, tokens: int, longest: int, words: list[list[int]]) -> dict[str, Any]:
    """Parameters, layers, seconds, and on how many words the model is right."""
    import jax
    from tracr.compiler import compiling

    program = build(name, longest)
    start = time.process_time()
    model = compiling.compile_rasp_to_model(
        program, vocab=set(range(1, tokens + 1)), max_seq_len=longest, compiler_bos="BOS"
    )
    seconds = time.process_time() - start
    right = 0
    for word in words:
        try:
            right += same(program(word), model.apply(["BOS", *word]).decoded[1:])
        except Exception:  # an answer that it cannot decode is no right answer
            continue
    return {
        "layers": model.model_config.num_layers,
        "parameters": sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params)),
        "seconds": seconds,
        "right": right,
        "words": len(words),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def same(expected: list[Any], answer: list[Any]) -> bool:
    """Whether two lists of answers are equal, numbers up to a thousandth; where one has no value any will do."""
    return len(expected) == len(answer) and all(
        a is None or a == b or (b is not None and not isinstance(b, str) and abs(a - b) < 1e-3)
        for a, b in zip(expected, answer, strict=True)
    )


def values(name: str, longest: int, words: list[list[int]]) -> list[list[Any]]:
    """What Tracr's interpreter says of words."""
    program = build(name, longest)
    return [program(word) for word in words]


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    print(json.dumps([values(**one) for one in asked] if sys.argv[1:] == ["values"] else measure(**asked)))
