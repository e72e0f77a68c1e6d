"""Languages whose classes are known from the literature, or by an argument of one line."""

from dataclasses import dataclass

PIN = "Pin, Mathematical foundations of automata theory"
STRAUBING = "Straubing 1994, Finite automata, formal logic, and circuit complexity"
BCST = "Barrington, Compton, Straubing and Thérien 1992, Regular languages in NC1"
MCNAUGHTON = "McNaughton and Papert 1971, Counter-free automata"
BHATTAMISHRA = (
    "Bhattamishra, Ahuja and Goyal 2020, On the ability and limitations of transformers to recognize formal languages"
)
YANG = "Yang, Chiang and Angluin 2024, Masked hard-attention transformers recognize exactly the star-free languages"
LI = "Li and Cotterell 2025, Characterizing the expressivity of fixed-precision transformer language models"
LIU = "Liu et al. 2023, Transformers learn shortcuts to automata"
FLIP = "Liu et al. 2023, Exposing attention glitches with flip-flop language modeling"
BARRINGTON = (
    "Barrington 1989, Bounded-width polynomial-size branching programs recognize exactly those languages in NC1"
)
YAO = "Yao et al. 2021, Self-attention networks can process bounded hierarchical languages"
SIMON = "Simon 1975, Piecewise testable events"
HUANG = "Huang et al. 2025, A formal framework for understanding length generalization in transformers"


@dataclass(frozen=True)
class Known:
    """A regular language, as an expression over an alphabet or a name, with its classes; None where none is claimed."""

    text: str
    alphabet: str
    star_free: bool
    in_ac0: bool
    solvable: bool
    source: str
    ordered: bool | None = None
    piecewise: bool | None = None
    two_variable: bool | None = None
    c_rasp: bool | None = None


def free(text: str, alphabet: str, source: str, **more: bool) -> Known:
    """A star-free language."""
    return Known(text, alphabet, True, True, True, source, **more)


KNOWN = (
    # star-free
    free("(ab)*", "ab", f"{PIN}; {MCNAUGHTON}", ordered=False, two_variable=False, c_rasp=True),
    free(".*a.*", "ab", SIMON, piecewise=True, ordered=True, two_variable=True, c_rasp=True),
    free(".*a.*b.*", "ab", SIMON, piecewise=True, ordered=True, c_rasp=True),
    free(".*a.*b.*a.*", "abc", SIMON, piecewise=True, ordered=True, c_rasp=True),
    free("a*b*", "ab", f"{PIN}; {SIMON}", piecewise=True, ordered=True, c_rasp=True),
    free(".*ab.*", "ab", f"{PIN}: over two letters ab is a subsequence", piecewise=True, ordered=True, c_rasp=True),
    free(".*ab.*", "abc", f"{PIN}: locally testable", piecewise=False, two_variable=False, c_rasp=False),
    free(".*aa.*", "ab", f"{PIN}: locally testable", piecewise=False, two_variable=False, c_rasp=False),
    free("a.*", "ab", f"{LI}: left-deterministic", ordered=True, piecewise=False, two_variable=True, c_rasp=True),
    free(".*a", "ab", f"{LI}: right-deterministic, not left", ordered=False, piecewise=False, two_variable=True),
    free("[ac]*a[abc]*", "abc", f"{PIN}: R-trivial", ordered=True, piecewise=False, two_variable=True),
    free("(a(ab)*b)*", "ab", f"{STRAUBING}: dot-depth two", ordered=False, two_variable=False, c_rasp=True),
    free("(ab|ba)*", "ab", f"{MCNAUGHTON}; counter-free", ordered=False),
    free("a(ba)*", "ab", PIN, ordered=False),
    free(".*", "ab", "all words", ordered=True, piecewise=True, c_rasp=True),
    free("[]", "ab", "no word", ordered=True, piecewise=True, c_rasp=True),
    free("()", "ab", "the empty word alone", ordered=True, piecewise=True, c_rasp=True),
    free("abba", "ab", "finite languages are piecewise testable", ordered=True, piecewise=True, c_rasp=True),
    free(".*be*", "abe", f"flip-flop: {FLIP}; not in C-RASP: {HUANG}", ordered=False, two_variable=True, c_rasp=False),
    free(".*a.", "ab", f"{PIN}: definite", ordered=False, c_rasp=False),
    free("tomita-1", "", BHATTAMISHRA, ordered=True, piecewise=True),
    free("tomita-2", "", BHATTAMISHRA, ordered=False),
    free("tomita-4", "", BHATTAMISHRA, ordered=False, c_rasp=False),
    free("tomita-7", "", BHATTAMISHRA, ordered=True, piecewise=True),
    free("bounded-dyck-1-2", "", f"{YAO}; {BHATTAMISHRA}", ordered=False, c_rasp=True),
    free("bounded-dyck-1-5", "", f"{YAO}; {BHATTAMISHRA}", ordered=False, c_rasp=True),
    free("bounded-dyck-2-3", "", YAO, ordered=False, c_rasp=True),
    free("first", "", f"{LI}; Chiang and Cholak 2022", ordered=True),
    # in AC0, with groups
    Known("(aa)*", "a", False, True, True, f"{BCST}; {BHATTAMISHRA}; {YANG}", c_rasp=False),
    Known("(aa)*", "ab", False, True, True, f"{BCST}; {MCNAUGHTON}"),
    Known("((a|b)(a|b))*", "ab", False, True, True, f"{BCST}: length modulo 2"),
    Known("(aaaa)*", "a", False, True, True, BHATTAMISHRA),
    Known("((a|b){3})*", "ab", False, True, True, f"{BCST}: length modulo 3"),
    Known("(aa|bb)*", "ab", False, True, True, f"{STRAUBING}: equal pairs at even places"),
    Known("(abab)*", "ab", False, True, True, f"{BHATTAMISHRA}; length modulo 4 and alternation"),
    Known("tomita-3", "", False, True, True, f"{BHATTAMISHRA}: not star-free; block parities from places modulo 2"),
    # solvable, not in AC0
    Known("parity", "", False, False, True, f"Furst, Saxe and Sipser 1984; {BHATTAMISHRA}", c_rasp=False),
    Known("(b|ab*a)*", "ab", False, False, True, f"PARITY again; {BCST}", c_rasp=False),
    Known("mod-3", "", False, False, True, f"{STRAUBING}: MOD 3", c_rasp=False),
    Known("mod-6", "", False, False, True, f"{STRAUBING}: MOD 6"),
    Known("tomita-5", "", False, False, True, BHATTAMISHRA),
    Known("tomita-6", "", False, False, True, BHATTAMISHRA),
    Known("word-problem-z2", "", False, False, True, f"PARITY again; {LIU}", c_rasp=False),
    Known("word-problem-z5", "", False, False, True, f"{STRAUBING}: MOD 5", c_rasp=False),
    Known("word-problem-z2xz2", "", False, False, True, LIU),
    Known("word-problem-s3", "", False, False, True, f"{LIU}; {STRAUBING}"),
    Known("word-problem-a4", "", False, False, True, LIU),
    Known("word-problem-s4", "", False, False, True, f"{LIU}; solvable"),
    Known("word-problem-q8", "", False, False, True, LIU),
    Known("word-problem-d4", "", False, False, True, LIU),
    # complete for NC1
    Known("word-problem-a5", "", False, False, False, f"{BARRINGTON}; {LIU}", c_rasp=False),
    Known("word-problem-s5", "", False, False, False, f"{BARRINGTON}; {LIU}", c_rasp=False),
)
