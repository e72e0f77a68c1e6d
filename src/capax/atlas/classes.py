"""The classes of languages, what is known of their inclusions, and what is believed.

Names: AC0, ACC0, TC0, NC1 and P/poly are non-uniform, circuits may differ arbitrarily from length to length, so they
have undecidable languages and lie in none of the others. FO[BIT], FOM[BIT] and u-NC1 are their DLOGTIME-uniform forms.
"""

from typing import Final, Literal

from capax.atlas.records import OURS, Conjecture, Inclusion, LanguageClass

NONUNIFORM: Final = ("AC0", "ACC0", "TC0", "NC1", "P/poly")


def _class(id_: str, what: str, closed: bool = False) -> LanguageClass:
    return LanguageClass(id_, what, closed, id_ in NONUNIFORM)


CLASSES: Final[tuple[LanguageClass, ...]] = (
    _class("R-trivial", "regular languages whose monoid is R-trivial; past temporal logic with `once` alone"),
    _class(
        "R-trivial-last", "languages that are, before each last symbol, R-trivial; the same logic at the last symbol"
    ),
    _class("L-trivial", "the mirror images of R-trivial languages"),
    _class("L-trivial-last", "the mirror images: languages that are L-trivial after each first symbol"),
    _class("FO-stutter", "star-free languages that stay as they are when a symbol is repeated in place"),
    _class("FO", "first-order logic of order: the star-free languages, linear temporal logic"),
    _class("FO[MOD]", "first-order logic of order and place modulo constants: the regular languages in AC0"),
    _class("REG-SOLVABLE", "regular languages whose monoid has solvable groups alone"),
    _class("REG", "the regular languages"),
    _class("FO[Mon]", "first-order logic of order with arbitrary predicates of one place"),
    _class("FO[BIT]", "first-order logic with order and BIT: DLOGTIME-uniform AC0", True),
    _class("AC0", "AND and OR circuits of constant depth and polynomial size, non-uniform", True),
    _class("ACC0", "the same with gates that count modulo constants", True),
    _class("TC0", "the same with MAJORITY gates, non-uniform", True),
    _class("SSCM", "simplified stateless counter machines"),
    _class("C-RASP", "linear conditions on how often something held so far: temporal logic with counting"),
    _class("C-RASP-end", "languages that are in C-RASP with an end marker after each word"),
    _class("FOC[MOD;+]", "first-order logic of counts with addition of them, and place modulo constants"),
    _class("LTL+C[Mon]", "temporal logic with counting and arbitrary predicates of one place"),
    _class("FOM[BIT]", "first-order logic with majority and BIT: DLOGTIME-uniform TC0", True),
    _class("L-uniform TC0", "TC0 with circuits that are built in logarithmic space", True),
    _class("NC1", "circuits of logarithmic depth, non-uniform", True),
    _class("u-NC1", "NC1, DLOGTIME-uniform: logarithmic time with alternation", True),
    _class("L", "logarithmic space", True),
    _class("NL", "logarithmic space with guesses", True),
    _class("CFL", "the context-free languages"),
    _class("LOGCFL", "what reduces to context-free languages in logarithmic space; SAC1", True),
    _class("L-uniform AC^d", "AC^d for all d, logspace-uniform: circuits of polylogarithmic depth", True),
    _class("FO-uniform TC^d", "TC^d for all d, FO-uniform: circuits of polylogarithmic depth", True),
    _class("P", "polynomial time", True),
    _class("P/poly", "circuits of polynomial size, non-uniform", True),
    _class("LINTIME", "linear time on a Turing machine with several tapes"),
    _class("CSL", "the context-sensitive languages: linear space with guesses"),
    _class("RE-unary", "what a Turing machine accepts, of words over one letter"),
    _class("RE", "what a Turing machine accepts"),
)


def _in(
    small: str, big: str, strict: Literal["yes", "no", "open", "unsaid"], *sources: str, note: str = ""
) -> Inclusion:
    sign = {"yes": "<", "no": "=", "open": "<=", "unsaid": "<="}[strict]
    return Inclusion(f"{small} {sign} {big}", small, big, strict, sources, note=note)


def _own(small: str, big: str, note: str) -> Inclusion:
    return Inclusion(f"{small} < {big}", small, big, "yes", (), OURS, note)


INCLUSIONS: Final[tuple[Inclusion, ...]] = (
    _in("R-trivial", "FO", "yes", "licotterell2025"),
    _own("R-trivial", "R-trivial-last", "a part of an R-trivial language before a last symbol is R-trivial"),
    _own("R-trivial-last", "FO", "for each last symbol a star-free language before it"),
    _own("L-trivial", "L-trivial-last", "the mirror image of R-trivial languages"),
    _own("L-trivial-last", "FO", "the mirror image of a star-free language is star-free"),
    _own("FO-stutter", "FO", "by definition; (ab)* is not among them"),
    _in("FO", "FO[MOD]", "yes", "bcst1992", "mcnaughton1971"),
    _in("FO[MOD]", "REG-SOLVABLE", "yes", "bcst1992"),
    _in("REG-SOLVABLE", "REG", "yes", "barringtontherien1988"),
    _in("FO[MOD]", "FO[Mon]", "yes", "barcelo2024"),
    _in("FO[MOD]", "FO[BIT]", "yes", "bcst1992"),
    _in("FO[Mon]", "AC0", "yes", "barcelo2024"),
    _in("FO[BIT]", "AC0", "yes", "bis1990", note="the non-uniform class has undecidable languages"),
    _in("FO[BIT]", "FOM[BIT]", "yes", "bis1990", "fss1984"),
    _in("AC0", "ACC0", "yes", "fss1984"),
    _in("ACC0", "TC0", "open", "vollmer1999"),
    _in("TC0", "NC1", "open", "vollmer1999"),
    _in("REG-SOLVABLE", "ACC0", "unsaid", "barringtontherien1988"),
    _in("REG-SOLVABLE", "FOM[BIT]", "unsaid", "bis1990"),
    _in("REG", "u-NC1", "yes", "barrington1989"),
    _in("R-trivial", "C-RASP", "yes", "yangchiang2024", note="`once` is a count of at least one"),
    _own("R-trivial", "C-RASP-end", "`once` is a count of at least one, and no marker is counted"),
    _own("R-trivial-last", "C-RASP", "a formula for each last symbol"),
    _own("C-RASP-end", "C-RASP", "quotients: the marker is taken away"),
    _in("SSCM", "L", "unsaid", "bhattamishra2020", note="counters of O(log n) bits"),
    _in("C-RASP", "FOM[BIT]", "yes", "yangchiang2024"),
    _in("FOC[MOD;+]", "FOM[BIT]", "unsaid", "chiang2023"),
    _in("LTL+C[Mon]", "TC0", "unsaid", "barcelo2024"),
    _in("FO[Mon]", "LTL+C[Mon]", "yes", "barcelo2024"),
    _in("FOM[BIT]", "L-uniform TC0", "unsaid", "bis1990"),
    _in("L-uniform TC0", "TC0", "yes", "vollmer1999", note="the non-uniform class has undecidable languages"),
    _in("L-uniform TC0", "L", "open", "vollmer1999"),
    _in("FOM[BIT]", "u-NC1", "open", "bis1990"),
    _in("u-NC1", "NC1", "yes", "vollmer1999", note="the non-uniform class has undecidable languages"),
    _in("u-NC1", "L", "open", "vollmer1999"),
    _in("NC1", "P/poly", "open", "vollmer1999"),
    _in("L", "NL", "open", "arora2009"),
    _in("NL", "LOGCFL", "open", "ruzzo1980"),
    _in("CFL", "LOGCFL", "yes", "ruzzo1980"),
    _in("REG", "LINTIME", "yes", "hopcroft1979"),
    _in("LINTIME", "P", "yes", "hartmanis1965"),
    _in("LINTIME", "CSL", "yes", "hopcroft1977"),
    _in("REG", "CFL", "yes", "hopcroft1979"),
    _in("CFL", "CSL", "yes", "hopcroft1979"),
    _in("NL", "CSL", "yes", "arora2009", note="logarithmic space is less than linear space"),
    _in("LOGCFL", "FO-uniform TC^d", "open", "ruzzo1980"),
    _in("LOGCFL", "L-uniform AC^d", "open", "ruzzo1980"),
    _in("L-uniform AC^d", "FO-uniform TC^d", "no", "merrill2025pad", note="over all d the two hierarchies meet"),
    _in("FO-uniform TC^d", "P", "open", "vollmer1999"),
    _in("P", "P/poly", "yes", "arora2009"),
    _in("P", "RE", "yes", "turing1936"),
    _in("CSL", "RE", "yes", "hopcroft1979"),
    _own("RE-unary", "RE", "by definition"),
)

CONJECTURES: Final[tuple[Conjecture, ...]] = (
    Conjecture(
        "TC0 != NC1",
        "TC0",
        "NC1",
        "constant depth with majority gates is weaker than logarithmic depth",
        (("TC0", "NC1"), ("FOM[BIT]", "u-NC1")),
    ),
    Conjecture("ACC0 != TC0", "ACC0", "TC0", "counting modulo constants is weaker than majority", (("ACC0", "TC0"),)),
    Conjecture("L != NL", "L", "NL", "guesses help in logarithmic space", (("L", "NL"),)),
    Conjecture("L != P", "L", "P", "logarithmic space is weaker than polynomial time", (("L", "P"),)),
    Conjecture("NL != P", "NL", "P", "logarithmic space with guesses is weaker still", (("NL", "P"),)),
    Conjecture(
        "NC != P",
        "FO-uniform TC^d",
        "P",
        "not everything in polynomial time has circuits of polylogarithmic depth",
        (("FO-uniform TC^d", "P"),),
    ),
)
