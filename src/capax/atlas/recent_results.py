"""Results beside and after the survey's table, each marked checked (and where it was read) or cited, not checked."""

from typing import Any, Final

from capax.atlas.reading import ANYWHERE, BACK, BOTH, NEUTRAL, usual
from capax.atlas.records import CITED, Claim, Kind, Link, Program, Seen
from capax.atlas.setting import Setting

ABSTRACT = "abstract; fields of the setting that it does not name are our reading"


def claim(
    name: str,
    kind: Kind,
    object_: str,
    source: str,
    setting: Setting,
    seen: Seen,
    *,
    unstated: tuple[str, ...] = (),
    reading: str | None = None,
    **rest: Any,
) -> Claim:
    """A claim from one paper; a checked one was compared with the abstract."""
    why = usual(kind, setting) if reading is None else reading
    return Claim(
        name,
        kind,
        object_,
        setting,
        (source,),
        seen,
        ABSTRACT if seen == "checked" else "",
        unstated=(*unstated, "read"),
        reads=rest.pop("reads", BOTH if why else ("last",)),
        reading=why,
        **rest,
    )


_FIXED = Setting("softmax", "strict-past", "none", "constant", read="end")
_COT = {"uniformity": "per-length", "width": "log"}
_PALINDROME = "count(aggregate(select(indices, length - 1 - indices, ==), tokens) == tokens, False) == 0"
_COPY = (
    'length % 2 == 0 and count(aggregate(select(2 * indices, 2 * indices + length, ==), tokens, "") != tokens and '
    "2 * indices < length, True) == 0"
)
_AB = 'length % 2 == 0 and count((tokens == "a") != (2 * indices < length), True) == 0'
_ABC = (
    'length % 3 == 0 and count((tokens == "a") != (3 * indices < length) or (tokens == "c") != '
    "(3 * indices >= 2 * length), True) == 0"
)
RASP: Final[tuple[tuple[str, str, tuple[Link, ...], tuple[Program, ...]], ...]] = (
    ("DYCK-k", "the height, then the partner of each bracket", (("dyck", {"length": 16}),), ()),
    ("PALINDROME", "a head to position n - 1 - i", (), ((_PALINDROME, "ab"),)),
    ("COPY", "a head to position i + n / 2", (), ((_COPY, "ab"),)),
    ("MAJORITY", "one uniform head", (("majority", {"length": 30}),), (("majority", "01"),)),
    ("SHUFFLE-DYCK-k", "the height of each kind", (("shuffle-dyck", {"length": 20}),), ()),
    ("a^n b^n", "counts by uniform heads", (), ((_AB, "ab"),)),
    ("a^n b^n c^n", "counts by uniform heads", (), ((_ABC, "abc"),)),
)
"""Languages of RASP programs, with the idea, what builds them, and programs."""
LATER: Final[tuple[Claim, ...]] = (
    Claim(
        "hard-attention-in-ac0",
        "within",
        "AC0",
        Setting("unique-hard", "mixed", "arbitrary", "real", uniformity="per-length", width="poly"),
        ("hao2022", "strobl2024"),
        unstated=("read",),
        reading=ANYWHERE,
        note="the survey says it of left- and rightmost-hard attention; each position takes polynomially many values, "
        "whatever the numbers",
    ),
    *(
        claim(
            f"shrinking-margin-{name.lower()}",
            "lacks",
            name,
            "hahn2020",
            Setting("softmax", "mixed", "bounded", "real", acceptance="margin", norm="smoothed"),
            CITED,
            limits=limits,
            note="the argument of U2 with other masks: a symbol in the middle moves an output by O(1/n), up to powers "
            "of log n",
        )
        for name, limits in (("PARITY", (("parity-sensitivity", {}),)), ("DYCK-2", ()))
    ),
    claim(
        "hard-attention-not-all-of-ac0",
        "lacks",
        "AC0-NOT-HARD",
        "barcelo2024",
        Setting("leftmost-hard", "none", "arbitrary", "real"),
        "checked",
    ),
    claim(
        "masked-hard-is-star-free",
        "equals",
        "FO",
        "yang2024",
        Setting("unique-hard", "strict-past", "none", "real"),
        "checked",
        theorems=(("ltl", {"length": 20}), ("star-free", {})),
    ),
    claim(
        "masked-hard-periodic",
        "equals",
        "FO[MOD]",
        "yang2024",
        Setting("unique-hard", "strict-past", "periodic", "real"),
        CITED,
        theorems=(("periodic-positions", {}),),
    ),
    claim(
        "leftmost-past",
        "equals",
        "R-trivial",
        "jerad2025",
        Setting("leftmost-hard", "strict-past", "none", "constant", read="end"),
        "checked",
        reading="",
        reads=("end",),
        note="the abstract says a strictly weaker fragment of temporal logic, equal to soft attention; that it is "
        "this class follows with fixed-precision",
    ),
    claim(
        "fixed-precision",
        "equals",
        "R-trivial",
        "licotterell2025",
        _FIXED,
        "checked",
        reading="",
        reads=("end",),
        note="the abstract says temporal logic with `past` alone, and connects it to classes of automata and monoids",
    ),
    claim(
        "counting-softmax",
        "contains",
        "C-RASP",
        "yangchiang2024",
        Setting("softmax", "causal", "none", "real"),
        "checked",
        reading="",
        theorems=(("majority", {"length": 30}), ("dyck1", {"length": 16})),
    ),
    claim(
        "counting-rounded",
        "equals",
        "C-RASP",
        "yang2025",
        Setting("softmax", "causal", "none", "rounded"),
        "checked",
        reading="",
    ),
    *(
        claim(
            f"counting-{attention}-log",
            "contains",
            "C-RASP",
            "yangchiang2024",
            Setting(attention, "causal", "none", "log"),
            CITED,
            reading="",
            note="all heads of the construction are uniform, and O(log n) bits tell its counts apart; layer norm makes "
            "bits of them",
        )
        for attention in ("softmax", "average-hard")
    ),
    claim(
        "softmax-simulates-hard",
        "contains",
        "FO",
        "yang2026",
        Setting("softmax", "strict-past", "computable", "real"),
        "checked",
        theorems=(("ltl", {"attention": "softmax", "length": 20}),),
        note="unbounded positions; what is built here is exact on floats, for words of at most a given length",
    ),
    claim(
        "parity-log-bits",
        "has",
        "PARITY",
        "chiang2022",
        Setting("softmax", "none", "i/n,(-1)^i", "log", norm="none"),
        CITED,
        reading=NEUTRAL,
        theorems=(("parity", {"length": 30}),),
        note="the margin is about 2 tanh(1) / n^2, so O(log n) bits tell the sign",
    ),
    claim(
        "first",
        "has",
        "FIRST",
        "chiang2022",
        Setting("softmax", "none", "i/n,(-1)^i", "real", norm="none"),
        "checked",
        reading=NEUTRAL,
        theorems=(("first", {}),),
        note="another language of the paper of L6; its positions tell the first place",
    ),
    *(
        claim(
            f"layer-norm-{name.lower()}",
            "has",
            name,
            "chiang2022",
            Setting("softmax", "none", "i/n,(-1)^i", "real", acceptance="margin"),
            "checked",
            reading=NEUTRAL,
            note="cross-entropy as small as one likes at every length: layer norm that divides by the deviation alone "
            "makes a shrinking margin great",
        )
        for name in ("PARITY", "FIRST")
    ),
    claim(
        "average-hard-exact",
        "within",
        "FOM[BIT]",
        "chiang2025",
        Setting("average-hard", "mixed", "computable", "rational"),
        "checked",
        note="no approximation at all; positions that circuits can compute",
    ),
    claim(
        "softmax-many-bits",
        "within",
        "FOM[BIT]",
        "chiang2025",
        Setting("softmax", "mixed", "computable", "poly"),
        "checked",
    ),
    Claim(
        "average-hard-any-positions",
        "within",
        "TC0",
        Setting("average-hard", "mixed", "arbitrary", "rational", uniformity="per-length", width="poly"),
        ("barcelo2024", "merrill2022"),
        "checked",
        ABSTRACT,
        unstated=("read",),
        reading=ANYWHERE,
        note="positions of polynomially many bits become constants of the circuit",
    ),
    Claim(
        "log-precision-per-length",
        "within",
        "TC0",
        Setting("softmax", "mixed", "arbitrary", "log", uniformity="per-length", width="poly"),
        ("merrill2023a",),
        unstated=("read",),
        reading=ANYWHERE,
        note="the argument of U6 for one length at a time: weights and positions become constants of the circuit",
    ),
    claim(
        "padding",
        "equals",
        "FOM[BIT]",
        "merrill2025pad",
        Setting("average-hard", "causal", "none", "log", padding="poly"),
        "checked",
    ),
    claim(
        "padding-and-looping",
        "equals",
        "FO-uniform TC^d",
        "merrill2025pad",
        Setting("average-hard", "causal", "none", "log", depth="polylog", padding="poly"),
        "checked",
        note="for the loops of log^d n rounds, each d",
    ),
    claim(
        "fixed-precision-looping",
        "equals",
        "L-uniform AC^d",
        "svete2025",
        Setting("softmax", "causal", "none", "constant", depth="polylog", padding="poly", width="log"),
        "checked",
        note="for the loops of log^d n rounds, each d",
    ),
    claim(
        "log-depth-regular",
        "contains",
        "REG",
        "merrill2025depth",
        Setting("average-hard", "causal", "none", "log", depth="log"),
        "checked",
        theorems=(("log-depth", {}),),
    ),
    claim(
        "log-depth-connectivity",
        "has",
        "CONNECTIVITY",
        "merrill2025depth",
        Setting("average-hard", "causal", "none", "log", depth="log", padding="poly"),
        "checked",
        note="the padding is not in the abstract",
    ),
    claim(
        "automata-log-depth",
        "contains",
        "REG",
        "liu2023",
        Setting("softmax", "causal", "computable", "log", uniformity="per-length", depth="log"),
        "checked",
        theorems=(("log-depth", {}),),
    ),
    claim(
        "solvable-constant-depth",
        "contains",
        "REG-SOLVABLE",
        "liu2023",
        Setting("softmax", "causal", "computable", "log", uniformity="per-length", width="poly"),
        CITED,
        note="the abstract says that constant depth is common, and does not say for which automata",
        theorems=(("star-free", {}), ("modular-counters", {}), ("solvable-group", {})),
    ),
    claim(
        "linear-steps-regular",
        "contains",
        "REG",
        "merrill2024",
        Setting("average-hard", "causal", "none", "log", steps="linear"),
        "checked",
        theorems=(("automaton-thoughts", {}),),
        note="with projected pre-norm",
    ),
    claim(
        "linear-steps-machines",
        "contains",
        "LINTIME",
        "merrill2024",
        Setting("average-hard", "causal", "none", "log", steps="linear"),
        CITED,
        theorems=(("turing-hash", {}),),
        note="a step of thought for each step of a Turing machine; with projected pre-norm",
    ),
    claim(
        "linear-steps-bound",
        "within",
        "CSL",
        "merrill2024",
        Setting("average-hard", "causal", "none", "log", steps="linear"),
        "checked",
    ),
    claim(
        "log-steps-bound",
        "within",
        "L",
        "merrill2024",
        Setting("average-hard", "causal", "computable", "log", steps="log"),
        CITED,
    ),
    claim(
        "constant-bits",
        "within",
        "AC0",
        "li2024",
        Setting("softmax", "mixed", "arbitrary", "constant", **_COT),
        "checked",
        note="every operation rounds, sums too",
    ),
    claim(
        "constant-bits-steps",
        "contains",
        "P/poly",
        "li2024",
        Setting("softmax", "causal", "arbitrary", "constant", steps="poly", **_COT),
        "checked",
        note="T steps compute what circuits of size T compute",
    ),
    claim(
        "hard-parity-steps",
        "lacks",
        "PARITY",
        "amiri2025",
        Setting("unique-hard", "causal", "arbitrary", "real", steps="log", uniformity="per-length", width="poly"),
        CITED,
        unstated=("positions", "precision", "uniformity", "width"),
        note="fewer than linearly many steps; the abstract speaks of bounds that are tight up to logarithms",
    ),
    claim(
        "one-layer-parity",
        "lacks",
        "PARITY",
        "kozachinskiy2026",
        Setting("softmax", "mixed", "arbitrary", "real", uniformity="per-length", depth="one"),
        "checked",
        note="one layer, however many heads, and a network of fixed size after it",
    ),
    *(
        claim(
            f"four-layers-parity-{mask}",
            "has",
            "PARITY",
            "kozachinskiy2026",
            Setting("softmax", mask, "computable", "real", norm="none"),
            "checked",
            reading=NEUTRAL,
            note="four layers; positions do not depend on the length, and there is no layer norm",
        )
        for mask in ("none", "causal")
    ),
    *(
        claim(
            f"average-hard-{name.lower()}",
            "has",
            name,
            "barcelo2024",
            Setting("average-hard", "none", "computable", "rational", norm="none"),
            CITED,
            reading=NEUTRAL,
            note="the idea of L9: one head tells the share of ones, the next looks at that place, and it knows its "
            "remainder",
        )
        for name in ("PARITY", "MOD-p")
    ),
    *(
        claim(
            f"even-length-{attention}",
            "has",
            "(aa)*",
            "chiang2023",
            Setting(attention, "causal", "periodic", "constant", norm="none", depth="one"),
            CITED,
            reading="an end marker knows whether its position is even, too",
            note="the last position knows whether it is even",
        )
        for attention in ("softmax", "average-hard")
    ),
    *(
        claim(
            f"rasp-{name.lower().replace(' ', '')}",
            "has",
            name,
            "weiss2021",
            Setting("softmax", "mixed", "computable", "log", uniformity="per-length", norm="none"),
            CITED,
            reading=BACK,
            theorems=theorems,
            programs=programs,
            note=note,
        )
        for name, note, theorems, programs in RASP
    ),
)
