"""The 22 rows of the table of Strobl, Merrill, Weiss, Chiang and Angluin (2024), as claims.

A row with two languages or two settings is two claims. Fields that the table leaves empty are in `unstated`: their
values are the weakest reading, real numbers for a construction, and for a bound what its proof is about as we recall.
Where the answer is read is in no row.
"""

from typing import Any, Final

from capax.atlas.reading import BOTH, COUNTS, NEUTRAL, usual
from capax.atlas.records import CITED, Claim, Kind, Seen
from capax.atlas.setting import Setting

TABLE = "table of the survey, as lecture notes print it"
FIGURE = (
    "figure 1 of the paper, version 3 on arXiv, which says finite-image; the table of the survey prints `arbitrary`"
)
P = ("precision", "norm")
MP = ("mask", "precision", "norm")
OPEN = ("mask", "positions", "norm", "uniformity", "width")


def row(
    name: str,
    kind: Kind,
    object_: str,
    source: str,
    setting: Setting,
    seen: Seen = "checked",
    *,
    against: str = TABLE,
    unstated: tuple[str, ...] = (),
    reading: str | None = None,
    **rest: Any,
) -> Claim:
    """A claim from a row of the table; `name` is the row, with a letter if it is more than one claim."""
    why = usual(kind, setting) if reading is None else reading
    return Claim(
        name,
        kind,
        object_,
        setting,
        (source,),
        seen,
        against if seen == "checked" else "",
        row=name.rstrip("abc"),
        unstated=(*unstated, "read"),
        reads=BOTH if why else ("last",),
        reading=why,
        **rest,
    )


LOWER: Final[tuple[Claim, ...]] = (
    row(
        "L1",
        "has",
        "MAJORITY",
        "perez2019",
        Setting("average-hard", "none", "none", "rational", norm="none"),
        unstated=MP,
        reading=COUNTS,
        theorems=(("majority", {"length": 30}),),
    ),
    row(
        "L2",
        "has",
        "SHUFFLE-DYCK-k",
        "bhattamishra2020",
        Setting("softmax", "causal", "none", "real"),
        unstated=P,
        theorems=(("shuffle-dyck", {"k": 2, "length": 20, "attention": "softmax"}),),
        note="what is built here compares with a number that depends on the greatest length",
    ),
    row(
        "L3",
        "contains",
        "SSCM",
        "bhattamishra2020",
        Setting("softmax", "causal", "none", "real"),
        unstated=P,
        reading="",
    ),
    row(
        "L4a",
        "has",
        "DYCK-k",
        "yao2021",
        Setting("softmax", "none", "i/n,i/n^3,n", "real"),
        unstated=MP,
        theorems=(("dyck", {"length": 16}),),
        note="the row says softmax and leftmost-hard, perhaps heads of both kinds: for leftmost-hard alone it would "
        "contradict U1, so it is kept for softmax; what is built here has other positions and four layers",
    ),
    row(
        "L4b",
        "has",
        "DYCK-k,D",
        "yao2021",
        Setting("leftmost-hard", "none", "i/n,i/n^3,n", "real"),
        CITED,
        unstated=MP,
        theorems=(("bounded-dyck", {"length": 16}),),
        note="the row's other setting: brackets at most D inside each other, by hard attention",
    ),
    row(
        "L5",
        "contains",
        "P",
        "perez2021",
        Setting("average-hard", "causal", "i,1/i,1/i^2", "rational", steps="poly", norm="none"),
        unstated=MP,
        theorems=(("turing-machine", {}),),
        note="an encoder reads the word and a decoder writes the steps",
    ),
    row(
        "L6",
        "has",
        "PARITY",
        "chiang2022",
        Setting("softmax", "none", "i/n,(-1)^i", "real", norm="none"),
        unstated=MP,
        reading=NEUTRAL,
        theorems=(("parity", {"length": 30}),),
        note="the margin shrinks with the length, without layer norm",
    ),
    row(
        "L7",
        "contains",
        "FOC[MOD;+]",
        "chiang2023",
        Setting("softmax", "none", "periodic", "real"),
        unstated=MP,
        note="printed as a strict inclusion in the notes; read as not strict",
    ),
    row(
        "L8",
        "contains",
        "FO[Mon]",
        "barcelo2024",
        Setting("leftmost-hard", "none", "arbitrary", "real", norm="none"),
        unstated=MP,
    ),
    row(
        "L9",
        "contains",
        "LTL+C[Mon]",
        "barcelo2024",
        Setting("average-hard", "none", "arbitrary", "real", norm="none"),
        unstated=MP,
    ),
)
_HARD = Setting("leftmost-hard", "mixed", "arbitrary", "real", uniformity="per-length", width="poly")
_MARGIN = Setting("softmax", "causal", "bounded", "real", acceptance="margin", norm="smoothed")
_KL = (
    "positions stay bounded, and layer norm adds a constant to what it divides by; cross-entropy tends to that of "
    "chance, so no margin stays"
)
UPPER: Final[tuple[Claim, ...]] = (
    row("U1a", "lacks", "PARITY", "hahn2020", _HARD, unstated=OPEN),
    row("U1b", "lacks", "DYCK-1", "hahn2020", _HARD, unstated=OPEN),
    row(
        "U2a",
        "lacks",
        "PARITY",
        "hahn2020",
        _MARGIN,
        unstated=("positions", "norm"),
        limits=(("parity-sensitivity", {}),),
        note=_KL,
    ),
    row("U2b", "lacks", "DYCK-2", "hahn2020", _MARGIN, unstated=("positions", "norm"), note=_KL),
    row(
        "U3",
        "within",
        "AC0",
        "hao2022",
        Setting("leftmost-hard", "mixed", "arbitrary", "rational", uniformity="per-length", width="poly"),
        unstated=OPEN,
    ),
    row(
        "U4",
        "within",
        "TC0",
        "merrill2022",
        Setting("average-hard", "mixed", "arbitrary", "log", uniformity="per-length"),
        unstated=OPEN,
        note="floats of O(log n) bits",
    ),
    row(
        "U5",
        "within",
        "FOC[MOD;+]",
        "chiang2023",
        Setting("softmax", "none", "periodic", "constant"),
        unstated=OPEN,
        note="with arbitrary positions there would be arbitrary predicates of places; L7 needs more than O(1) bits, "
        "so the two are no equality; that sums in attention are rounded too is our reading",
    ),
    row(
        "U6",
        "within",
        "L-uniform TC0",
        "merrill2023a",
        Setting("softmax", "mixed", "computable", "log"),
        unstated=OPEN,
    ),
    row("U7", "within", "FOM[BIT]", "merrill2023b", Setting("softmax", "mixed", "computable", "log"), unstated=OPEN),
    row(
        "U8",
        "within",
        "L-uniform TC0",
        "strobl2023",
        Setting("average-hard", "mixed", "computable", "log"),
        unstated=OPEN,
        note="floats of O(log n) bits",
    ),
)
_RIGHT = "rightmost-hard"
EQUAL: Final[tuple[Claim, ...]] = (
    row(
        "E1",
        "equals",
        "RE",
        "perez2021",
        Setting("average-hard", "causal", "i,1/i,1/i^2", "rational", steps="unbounded"),
        unstated=MP,
        theorems=(("turing-machine", {}),),
    ),
    row(
        "E2",
        "equals",
        "FO",
        "angluin2023",
        Setting(_RIGHT, "strict-past", "none", "real"),
        unstated=P,
        theorems=(("ltl", {"length": 20}), ("star-free", {})),
    ),
    row("E3", "equals", "FO[MOD]", "angluin2023", Setting(_RIGHT, "strict-past", "periodic", "real"), unstated=P),
    row(
        "E4",
        "equals",
        "FO[Mon]",
        "angluin2023",
        Setting(_RIGHT, "strict-past", "finite-image", "real"),
        against=FIGURE,
        unstated=P,
        note="finitely many different vectors; with the vectors (i, n) such heads recognise PALINDROME, "
        "which is not in FO[Mon]",
    ),
    row(
        "E5",
        "equals",
        "P",
        "merrill2024",
        Setting("average-hard", "causal", "none", "log", steps="poly"),
        unstated=P,
        theorems=(("turing-hash", {}),),
        note="with layer norm, by which a position finds its own place",
    ),
)
SURVEY: Final = (*LOWER, *UPPER, *EQUAL)
