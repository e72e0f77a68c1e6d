"""The paper's programs and the other files of the library (facts: section 3 of the notes on RASP)."""

from typing import Any

from tests.unit.rasp.library.cases import Case, Oracle, at_each, everywhere


def _distinct(word: str) -> list[str]:
    return list(dict.fromkeys(word))


def _as_frequent(word: str, i: int) -> int:
    return sum(word.count(t) == word.count(word[i]) for t in _distinct(word))


def _most_frequent(word: str) -> list[str]:
    ranked = sorted(_distinct(word), key=lambda t: -word.count(t))
    return ["§", *ranked, *["§"] * (len(word) - len(ranked))]


PAPER = [
    Case("hist_bos", "hist_bos", lambda w: [0, *map(w.count, w)], "abc", begin="§"),
    Case("hist_nobos", "hist_nobos", at_each(lambda w, i: w.count(w[i])), "abc"),
    Case("reverse", "reverse", lambda w: list(w[::-1]), "abc"),
    Case("sort_bos", "sort_bos", lambda w: ["§", *sorted(w)], "abc", begin="§"),
    Case("sort_bos", "sort_bos", lambda w: ["§", *sorted(w)], "aé1", begin="§"),  # é is behind § in Unicode
    Case("hist2_bos", "hist2_bos", lambda w: [0, *at_each(_as_frequent)(w)], "abcd", 4, begin="§"),
    Case("hist2_nobos", "hist2_nobos", at_each(_as_frequent), "abcd", 4),
    Case("sort_by_most_freq", "sort_by_most_freq", _most_frequent, "abc", begin="§"),
]


def ptf(pairs: list[str]) -> Oracle:
    """For each prefix T balanced, P can still be balanced, F cannot any more; by a stack."""
    closes = {pair[1]: pair[0] for pair in pairs}

    def oracle(word: str) -> list[Any]:
        stack: list[str] = []
        failed = False
        result = []
        for token in word:
            if token in closes.values():
                stack.append(token)
            elif token in closes:
                failed = failed or not stack or stack.pop() != closes[token]
            result.append("F" if failed else "P" if stack else "T")
        return result

    return oracle


def _is_balanced(word: str, pair: str) -> bool:
    depth = 0
    for token in word:
        depth += (token == pair[0]) - (token == pair[1])
        if depth < 0:
            return False
    return depth == 0


def shuffled(pairs: list[str]) -> Oracle:
    """Whether the word is balanced for each kind of brackets by itself."""
    return everywhere(lambda word: all(_is_balanced(word, pair) for pair in pairs))


BRACKETS = [
    Case("dyck1_ptf", "dyck1_ptf", ptf(["()"]), "()", 8),
    Case("dyck1_ptf", "dyck1_ptf", ptf(["()"]), "()x", 6),
    Case("dyck2_ptf", "dyck2_ptf", ptf(["()", "{}"]), "(){}", 5),
    Case("dyck2_ptf", "dyck2_ptf", ptf(["()", "{}"]), "(){}]", 4),
    Case("dyck3_ptf", "dyck3_ptf", ptf(["()", "{}", "[]"]), "(){}[]", 4),
    Case("dyck3_ptf", "dyck3_ptf", ptf(["()", "{}", "[]"]), "{}[]x", 4),
    Case("dyckk_ptf", 'dyckk_ptf(["()"])', ptf(["()"]), "()x", 6),
    Case("dyckk_ptf", 'dyckk_ptf(["ab", "cd", "ef", "gh"])', ptf(["ab", "cd", "ef", "gh"]), "abcdx", 4),
    Case("dyckk_best", 'dyckk_best(["()"])', ptf(["()"]), "()x", 6),
    Case("dyckk_best", 'dyckk_best(["()", "{}", "[]"])', ptf(["()", "{}", "[]"]), "(){}[]", 4),
    Case("dyckk_best", 'dyckk_best(["ab", "cd", "ef", "gh"])', ptf(["ab", "cd", "ef", "gh"]), "abcdx", 4),
    Case("dyck2_best", "dyck2_best", ptf(["()", "{}"]), "(){}x", 4),
    Case("shuffle_dyckk", 'shuffle_dyckk(["()"])', shuffled(["()"]), "()x", 6),
    Case("shuffle_dyckk", 'shuffle_dyckk(["()", "[]", "{}"])', shuffled(["()", "[]", "{}"]), "()[]{}", 4),
    Case("shuffle_dyck2", "shuffle_dyck2", shuffled(["()", "[]"]), "()[]"),
    Case("shuffle_dyck2", "shuffle_dyck2", shuffled(["()", "[]"]), "()[]x", 4),
]

COUNTING = [
    Case("parity", "parity", everywhere(lambda w: w.count("1") % 2 == 1), "01", 8),
    Case("parity", "parity", everywhere(lambda w: w.count("1") % 2 == 1), "01x"),
    Case("majority", "majority", everywhere(lambda w: 2 * w.count("1") > len(w)), "01", 8),
    Case("majority", "majority", everywhere(lambda w: 2 * w.count("1") > len(w)), "01x"),
]


def _hop(word: str, i: int) -> int:
    """The position after the previous occurrence of the token here, or -1."""
    previous = word.rfind(word[i], 0, i)
    return -1 if previous < 0 else previous + 1


def hops(k: int) -> Oracle:
    """k steps of `_hop`, and the token found there; nothing if a step finds none."""

    def oracle(word: str, i: int) -> str:
        for _ in range(k):
            i = _hop(word, i) if i >= 0 else -1
        return word[i] if i >= 0 else ""

    return at_each(oracle)


LOOKUP = [
    Case("first_occurrence", "first_occurrence", at_each(lambda w, i: w[i] not in w[:i]), "abc"),
    Case("last_occurrence", "last_occurrence", at_each(lambda w, i: w[i] not in w[i + 1 :]), "abc"),
    Case("induction", "induction", hops(1), "ab", 9),
    Case("induction", "induction", hops(1), "abc"),
    *(Case("k_hop", f"k_hop({k})", hops(k), "abc") for k in (1, 2, 3, 4)),
    Case("hop2", "hop2", hops(2), "ab", 8),
]


def _match3(word: str, m: int) -> list[bool]:
    numbers = [int(c) for c in word]
    return [any((x + y + z) % m == 0 for y in numbers for z in numbers) for x in numbers]


def _in_triangle(vertices: int) -> Oracle:
    """Token u * vertices + v is the edge from u to v."""

    def oracle(word: str) -> list[bool]:
        edges = [divmod(int(c), vertices) for c in word]
        others = range(vertices)
        return [
            any((v, w) in edges and (w, u) in edges for w in others if len({u, v, w}) == 3)  # loops are no triangles
            for u, v in edges
        ]

    return oracle


TRIPLES = [
    Case("match3", "match3", lambda w: _match3(w, 7), "1256", 4),
    Case("has_match3", "has_match3(tokens_int, 5)", lambda w: _match3(w, 5), "1234", 4),
    Case("edge_in_triangle", "edge_in_triangle(tokens_int // 3, tokens_int % 3)", _in_triangle(3), "01256", 5),
    Case("edge_in_triangle", "edge_in_triangle(tokens_int // 3, tokens_int % 3)", _in_triangle(3), "012345678", 3),
    Case("in_triangle", "in_triangle", _in_triangle(10), "012", 3),
]


def _rule_110(word: str) -> list[bool]:
    cells = [t == "1" for t in word]
    for _ in word:
        padded = [False, *cells, False]
        cells = [(c or r) and not (left and c and r) for left, c, r in zip(padded, cells, padded[2:], strict=False)]
    return cells


def _roots(word: str) -> list[int]:
    """Where pointers lead after as many jumps as pointer jumping makes; -1 once a pointer leaves the word."""
    pointers = [int(t) for t in word]
    for _ in range((len(word) - 1).bit_length()):
        pointers = [pointers[p] if 0 <= p < len(word) else -1 for p in pointers]
    return pointers


def _iterated(word: str) -> list[int]:
    places = list(range(len(word)))
    for _ in word:
        places = [int(word[p]) if 0 <= p < len(word) else -1 for p in places]
    return places


def _sum_bits(word: str) -> list[str]:
    total = sum(int(t) << (len(word) - 1 - i) for i, t in enumerate(word)) % 2 ** len(word)
    return list(f"{total:0{len(word)}b}")


LOOPS = [
    Case("parity_in_rounds", "parity_in_rounds", at_each(lambda w, i: w[: i + 1].count("1") % 2 == 1), "01"),
    Case("rule_110", "rule_110", _rule_110, "01"),
    Case("odd_even_sort", "odd_even_sort", lambda w: sorted(w), "abc"),
    Case("root_of", "root_of", _roots, "0123", 4),
    Case("iterated", "iterated", _iterated, "0123", 4),
    Case("add_by_lookahead", "add_by_lookahead", _sum_bits, "012"),
    *(Case("k_hop_in_rounds", f"k_hop_in_rounds({k})", hops(k), "abc") for k in (1, 2, 3, 6)),
    Case("hop4_in_rounds", "hop4_in_rounds", hops(4), "abc"),
]

PADS = [Case("match3_by_pads", "match3_by_pads", lambda w: _match3(w, 5), "0134", 4)]

CASES = PAPER + BRACKETS + COUNTING + LOOKUP + TRIPLES + LOOPS + PADS
