"""The programs of Tracr's library, as Python text in which `rasp` and `lib` are Tracr's modules or capax's."""

LIBRARY: dict[str, tuple[str, list[object], int]] = {
    "length": ("lib.make_length()", [*"abcd"], 6),
    "reverse": ("lib.make_reverse(rasp.tokens)", [*"abcd"], 6),
    "frac_prevs": ("lib.make_frac_prevs(rasp.tokens == 'l')", [*"helo"], 7),
    "pair_balance": ("lib.make_pair_balance(rasp.tokens, '(', ')')", [*"a()"], 6),
    "shuffle_dyck": ("lib.make_shuffle_dyck(pairs=['()'])", [*"()"], 6),
    "shuffle_dyck2": ("lib.make_shuffle_dyck2()", [*"(){}"], 5),
    "hist": ("lib.make_hist()", [*"abcd"], 8),
    "sort_unique": ("lib.make_sort_unique(rasp.tokens, rasp.tokens)", [1, 2, 3, 4], 5),
    "sort_unique_by_place": ("lib.make_sort_unique(vals=rasp.tokens, keys=1 - rasp.indices)", [*"abcd"], 5),
    "sort": ("lib.make_sort(rasp.tokens, rasp.tokens, max_seq_len=6, min_key=1)", [1, 2, 3, 4], 6),
    "sort_freq": ("lib.make_sort_freq(max_seq_len=5)", [1, 2, 3], 5),
    "shift_by": ("lib.shift_by(2, rasp.tokens)", [*"abcd"], 6),
    "detect_pattern": ("lib.detect_pattern(rasp.tokens, 'abc')", [*"abc"], 6),
    "count_less_freq": ("lib.make_count_less_freq(n=2)", [*"abcd"], 6),
    "count": ("lib.make_count(rasp.tokens, 'a')", [*"abc"], 8),
    "nary_sequencemap": (
        "lib.make_nary_sequencemap(lambda x, y, z: x + y - z, rasp.tokens, rasp.tokens, rasp.indices)",
        [1, 2, 3],
        5,
    ),
}
"""By name: the text, the vocabulary and a maximal length."""
