"""The languages of the atlas: which classes each is in, not in, or complete for."""

from typing import Final

from capax.atlas.records import CITED, OURS, Hardness, LanguageRecord, Membership, Seen

LANGUAGES: Final[tuple[LanguageRecord, ...]] = (
    LanguageRecord("FIRST", "words over 0 and 1 that begin with 1", "first"),
    LanguageRecord("LAST", "words over 0 and 1 that end with 1"),
    LanguageRecord("(ab)*", "repetitions of ab: star-free", "tomita-2"),
    LanguageRecord("(aa)*", "words of even length over one letter"),
    LanguageRecord("PARITY", "words over 0 and 1 with an odd number of ones", "parity"),
    LanguageRecord("MOD-p", "words whose number of ones is divisible by p", "mod-3"),
    LanguageRecord("MAJORITY", "words over 0 and 1 with more ones than zeros", "majority"),
    LanguageRecord("DYCK-1", "words of one kind of brackets that match", "dyck-1"),
    LanguageRecord("DYCK-2", "words of two kinds of brackets that match", "dyck-2"),
    LanguageRecord("DYCK-k", "words of k kinds of brackets that match, every k", "dyck-3", ("DYCK-1", "DYCK-2")),
    LanguageRecord(
        "DYCK-k,D", "words of k kinds of brackets that match, at most D inside each other", "bounded-dyck-2-3"
    ),
    LanguageRecord(
        "SHUFFLE-DYCK-k", "words in which each of k kinds of brackets matches", "shuffle-dyck-2", ("DYCK-1",)
    ),
    LanguageRecord("a^n b^n", "as many a as b, in this order", "anbn"),
    LanguageRecord("a^n b^n c^n", "as many a as b as c, in this order", "anbncn"),
    LanguageRecord("PALINDROME", "words over a and b that read the same backwards", "palindrome"),
    LanguageRecord("COPY", "words over a and b that are a word twice", "copy"),
    LanguageRecord("S5", "words over permutations of five things whose product is the identity", "word-problem-s5"),
    LanguageRecord("AC0-NOT-HARD", "a language in AC0 that leftmost-hard attention does not recognise"),
    LanguageRecord("TC0-NOT-AVERAGE", "a language in TC0 that average-hard attention does not recognise"),
    LanguageRecord("CONNECTIVITY", "undirected graphs with a path from s to t"),
    LanguageRecord("REACHABILITY", "directed graphs with a path from s to t"),
    LanguageRecord("CIRCUIT-VALUE", "circuits with inputs whose output is true"),
    LanguageRecord("HALT", "Turing machines that halt"),
    LanguageRecord("HALT-UNARY", "the numbers, in ones, of Turing machines that halt"),
)


def _fact(holds: bool, language: str, cls: str, *sources: str, seen: Seen = CITED, note: str = "") -> Membership:
    sign = "in" if holds else "not in"
    return Membership(f"{language} {sign} {cls}", language, cls, holds, sources, seen, note)


def _in(language: str, cls: str, *sources: str, seen: Seen = CITED, note: str = "") -> Membership:
    return _fact(True, language, cls, *sources, seen=seen, note=note)


def _out(language: str, cls: str, *sources: str, seen: Seen = CITED, note: str = "") -> Membership:
    return _fact(False, language, cls, *sources, seen=seen, note=note)


MONOID = "found out by capax from the monoid"
REST = "proved on the page Formal languages: far out, the last letter alone is seen"
FORMULA = "found out by capax, with a formula"
HALVES = "proved on the page The atlas: a formula tells few kinds of first halves apart"
STUTTER = "a symbol repeated in place"
COUNTED = "its formula counts, and asks nothing of the last symbol"
_PUMPED = "no finite automaton counts so far"
MEMBERSHIPS: Final[tuple[Membership, ...]] = (
    _in("FIRST", "R-trivial", seen=OURS, note=MONOID),
    _out("FIRST", "L-trivial", seen=OURS, note=MONOID),
    _in("FIRST", "L-trivial-last", seen=OURS, note=MONOID),
    _in("FIRST", "FO-stutter", seen=OURS, note=STUTTER),
    _in("LAST", "R-trivial-last", seen=OURS, note=MONOID),
    _out("LAST", "R-trivial", seen=OURS, note=MONOID),
    _in("LAST", "L-trivial", seen=OURS, note=MONOID),
    _in("LAST", "FO-stutter", seen=OURS, note=STUTTER),
    _out("LAST", "C-RASP-end", seen=OURS, note=REST),
    _out("(ab)*", "R-trivial-last", seen=OURS, note=MONOID),
    _out("(ab)*", "L-trivial-last", seen=OURS, note=MONOID),
    _out("(ab)*", "FO-stutter", seen=OURS, note=STUTTER),
    _in("(ab)*", "C-RASP-end", seen=OURS, note=FORMULA),
    _in("(ab)*", "FO", "schutzenberger1965", seen=OURS, note=MONOID),
    _out("(ab)*", "R-trivial", seen=OURS, note=MONOID),
    _in("(ab)*", "C-RASP", seen=OURS, note=FORMULA),
    _in("(aa)*", "FO[MOD]", "bcst1992", seen=OURS, note=MONOID),
    _out("(aa)*", "FO", "schutzenberger1965", seen=OURS, note=MONOID),
    _in("(aa)*", "FOC[MOD;+]", "chiang2023", note="the length is a number twice"),
    _out("(aa)*", "C-RASP", "huang2025"),
    _in("PARITY", "REG-SOLVABLE", seen=OURS, note=MONOID),
    _in("PARITY", "FOC[MOD;+]", "chiang2023", note="the number of ones is a number whose remainder is 1"),
    _in("PARITY", "LTL+C[Mon]", "barcelo2024"),
    _out("PARITY", "AC0", "fss1984"),
    _out("PARITY", "C-RASP", "huang2025"),
    _in("MOD-p", "REG-SOLVABLE", seen=OURS, note=MONOID),
    _in("MOD-p", "FOC[MOD;+]", "chiang2023", note="the number of ones is a number p times"),
    _in("MOD-p", "LTL+C[Mon]", "barcelo2024", note="some place that is divisible by p has the number of the ones"),
    _out("MOD-p", "AC0", "fss1984", "smolensky1987"),
    _out("MOD-p", "C-RASP", "huang2025"),
    _in("MAJORITY", "C-RASP", "yangchiang2024", note="#[1] > #[0]"),
    _in("MAJORITY", "C-RASP-end", seen=OURS, note=COUNTED),
    _in("MAJORITY", "LTL+C[Mon]", "barcelo2024"),
    _in("MAJORITY", "FOC[MOD;+]", "chiang2023"),
    _in("MAJORITY", "CFL", "hopcroft1979"),
    _out("MAJORITY", "AC0", "fss1984", note="it would give PARITY"),
    _out("MAJORITY", "REG", "hopcroft1979", note=_PUMPED),
    _in("DYCK-1", "C-RASP", "yangchiang2024"),
    _in("DYCK-1", "C-RASP-end", seen=OURS, note=COUNTED),
    _in("DYCK-1", "SSCM", "bhattamishra2020"),
    _out("DYCK-1", "AC0", "fss1984", note="it would give MAJORITY"),
    _out("DYCK-1", "REG", "hopcroft1979", note=_PUMPED),
    _in("DYCK-2", "FOM[BIT]", "barringtoncorbett1989"),
    _in("DYCK-2", "CFL", "hopcroft1979"),
    _out("DYCK-2", "AC0", "fss1984", note="it would give MAJORITY"),
    _out("DYCK-2", "REG", "hopcroft1979", note=_PUMPED),
    _out("DYCK-2", "C-RASP", seen=OURS, note=REST),
    _out("DYCK-k", "C-RASP", seen=OURS, note=REST),
    _in("DYCK-k", "FOM[BIT]", "barringtoncorbett1989"),
    _in("DYCK-k", "LINTIME", "hopcroft1979", note="a tape is a stack"),
    _in("DYCK-k", "CFL", "hopcroft1979"),
    _out("DYCK-k", "AC0", "fss1984", note="it would give MAJORITY"),
    _out("DYCK-k", "REG", "hopcroft1979", note=_PUMPED),
    _in("DYCK-k,D", "FO", "yao2021", seen=OURS, note=MONOID),
    _out("DYCK-k,D", "R-trivial", seen=OURS, note=MONOID),
    _out("DYCK-k,D", "R-trivial-last", seen=OURS, note=MONOID),
    _out("DYCK-k,D", "L-trivial-last", seen=OURS, note=MONOID),
    _out("DYCK-k,D", "FO-stutter", seen=OURS, note=STUTTER),
    _in("DYCK-k,D", "C-RASP", seen=OURS, note=FORMULA),
    _in("DYCK-k,D", "C-RASP-end", seen=OURS, note=FORMULA),
    _in("SHUFFLE-DYCK-k", "SSCM", "bhattamishra2020"),
    _in("SHUFFLE-DYCK-k", "C-RASP", "yangchiang2024"),
    _in("SHUFFLE-DYCK-k", "C-RASP-end", seen=OURS, note=COUNTED),
    _out("SHUFFLE-DYCK-k", "AC0", "fss1984", note="it would give MAJORITY"),
    _out("SHUFFLE-DYCK-k", "REG", "hopcroft1979", note=_PUMPED),
    _in("a^n b^n", "C-RASP", "yangchiang2024"),
    _in("a^n b^n", "C-RASP-end", seen=OURS, note=COUNTED),
    _in("a^n b^n", "CFL", "hopcroft1979"),
    _out("a^n b^n", "REG", "hopcroft1979", note=_PUMPED),
    _in("a^n b^n", "FO[BIT]", "immerman1999", note="the length is even, and the halves are told by places"),
    _in("a^n b^n", "FO[Mon]", "barcelo2024", note="whether a place is in the first half is a predicate of one place"),
    _in("a^n b^n c^n", "FO[Mon]", "barcelo2024", note="thirds are predicates of one place"),
    _in("a^n b^n c^n", "C-RASP", "yangchiang2024"),
    _in("a^n b^n c^n", "C-RASP-end", seen=OURS, note=COUNTED),
    _out("a^n b^n c^n", "CFL", "hopcroft1979"),
    _in("a^n b^n c^n", "FO[BIT]", "immerman1999"),
    _in("PALINDROME", "FO[BIT]", "immerman1999"),
    _in("PALINDROME", "LINTIME", "hopcroft1979", note="the word is written on a tape and read back"),
    _in("PALINDROME", "CFL", "hopcroft1979"),
    _out("PALINDROME", "C-RASP", seen=OURS, note=REST),
    _out("COPY", "C-RASP", seen=OURS, note=REST),
    _out("PALINDROME", "FO[Mon]", seen=OURS, note=HALVES),
    _out("COPY", "FO[Mon]", seen=OURS, note=HALVES),
    _out("PALINDROME", "REG", "hopcroft1979", note=_PUMPED),
    _in("COPY", "LINTIME", "hopcroft1979", note="the middle is found by counting, the halves stand on two tapes"),
    _in("COPY", "FO[BIT]", "immerman1999"),
    _out("COPY", "CFL", "hopcroft1979"),
    _in("S5", "REG", seen=OURS, note=MONOID),
    _out("S5", "REG-SOLVABLE", "barringtontherien1988", seen=OURS, note=MONOID),
    _out("S5", "C-RASP", "yangchiang2024", note="group languages are none of temporal logic with counting"),
    _in("AC0-NOT-HARD", "AC0", "barcelo2024", seen="checked", note="abstract"),
    _out("AC0-NOT-HARD", "FO[Mon]", "barcelo2024", note="such attention recognises all of FO[Mon]"),
    _in("TC0-NOT-AVERAGE", "TC0", "koecher2025", seen="checked", note="abstract"),
    _in("CONNECTIVITY", "L", "reingold2008"),
    _in("REACHABILITY", "NL", "immerman1999"),
    _in("CIRCUIT-VALUE", "P", "ladner1975"),
    _in("HALT-UNARY", "RE-unary", "turing1936"),
    _in("HALT-UNARY", "FO[Mon]", seen=OURS, note="a predicate of the last position says it"),
    _out("HALT-UNARY", "P", "turing1936"),
    _out("HALT-UNARY", "CSL", "turing1936"),
    _in("HALT", "RE", "turing1936"),
    _out("HALT", "P", "turing1936"),
    _out("HALT", "P/poly", "kannan1982", note="some decidable language has no circuits of polynomial size"),
    _out("HALT", "CSL", "turing1936"),
)


def _hard(language: str, cls: str, *sources: str) -> Hardness:
    return Hardness(f"{language} complete for {cls}", language, cls, sources)


HARDNESS: Final[tuple[Hardness, ...]] = (
    _hard("S5", "NC1", "barrington1989"),
    _hard("S5", "u-NC1", "barrington1989", "bis1990"),
    _hard("MAJORITY", "TC0", "bis1990"),
    _hard("MAJORITY", "FOM[BIT]", "bis1990"),
    _hard("CONNECTIVITY", "L", "immerman1999"),
    _hard("REACHABILITY", "NL", "immerman1999"),
    _hard("CIRCUIT-VALUE", "P", "ladner1975"),
    _hard("HALT", "RE", "turing1936"),
)
