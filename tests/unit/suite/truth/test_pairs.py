"""Pairs of words show every edge that matters for words of one length."""

from capax.suite.programs.suite_program import SuiteProgram, compiled_case
from capax.suite.truth.pairs import missing_pairs, unseen_edges, word_pair_rows, wrong_pairs

RARE = 'before = aggregate(select(indices, indices - 2, ==), tokens, ""); r = before if length == 3 else tokens;'


def test_an_edge_of_rare_words_is_shown() -> None:
    """A head that is read in words of three letters alone: its witness is a pair, before those of other lengths."""
    case = compiled_case(SuiteProgram("rare", "family", "The letter two before in words of three.", RARE, "ab"))
    drawn = word_pair_rows(case.lens, 0)
    assert unseen_edges(case.lens, drawn, case.edges)
    pairs = word_pair_rows(case.lens, 0, case.edges)
    assert pairs[-len(drawn) :] == drawn
    assert {len(pair.clean) for pair in pairs[: -len(drawn)]} == {3}
    assert not unseen_edges(case.lens, pairs, case.edges)
    assert not missing_pairs(case.lens, pairs, case.edges)
    assert not wrong_pairs(case.lens, pairs)
