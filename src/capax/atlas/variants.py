"""Which settings are at least as strong as which: the changes along which results may be carried over."""

from typing import Final

from capax.atlas.records import OURS, Variant

_MORE_BITS = "at most so many bits: fewer are allowed, and rounding is part of the model"
_IGNORE = "the model need not use what it knows of its place"
_HARD = ("leftmost-hard", "rightmost-hard", "unique-hard")
_FINITE = ("none", "periodic", "finite-image")
"""Positions with which finitely many vectors occur in models of hard attention, over all words."""


def _definition(field: str, weaker: str, stronger: str, why: str) -> Variant:
    return Variant(f"{field}: {weaker} to {stronger}", field, weaker, stronger, why, seen=OURS)


VARIANTS: Final[tuple[Variant, ...]] = (
    _definition("attention", "leftmost-hard", "unique-hard", "all heads may be of one kind"),
    _definition("attention", "rightmost-hard", "unique-hard", "all heads may be of one kind"),
    Variant(
        "attention: leftmost-hard to average-hard",
        "attention",
        "leftmost-hard",
        "average-hard",
        "positions break the ties: scores that are told apart leave one best",
        ("hao2022", "barcelo2024"),
        needs={"positions": ("arbitrary",), "mask": ("none", "mixed"), "precision": ("real",)},
    ),
    *(
        _definition("mask", mask, "mixed", "all heads may have the same mask, or none")
        for mask in ("none", "causal", "strict-past", "strict-future")
    ),
    Variant(
        "mask: causal to strict-past",
        "mask",
        "causal",
        "strict-past",
        "a position can add what it knows of itself",
        ("yang2024",),
        needs={"attention": ("rightmost-hard", "unique-hard"), "positions": _FINITE},
    ),
    _definition("positions", "none", "periodic", _IGNORE),
    *(_definition("positions", "none", p, _IGNORE) for p in ("i/n,(-1)^i", "i/n,i/n^3,n", "i,1/i,1/i^2")),
    *(
        _definition("positions", p, "computable", "sums, products and quotients: such circuits compute them")
        for p in ("periodic", "i/n,(-1)^i", "i/n,i/n^3,n", "i,1/i,1/i^2")
    ),
    _definition("positions", "periodic", "finite-image", "finitely many vectors occur"),
    *(_definition("positions", p, "bounded", "these vectors are bounded") for p in ("finite-image", "i/n,(-1)^i")),
    _definition("positions", "none", "relative", _IGNORE),
    Variant(
        "positions: relative to arbitrary",
        "positions",
        "relative",
        "arbitrary",
        "at one length, vectors with a direction for each position give any term of two positions",
        seen=OURS,
        needs={"uniformity": ("per-length",), "width": ("poly",)},
    ),
    *(_definition("positions", p, "arbitrary", "any vectors are allowed") for p in ("bounded", "computable")),
    _definition("precision", "constant", "log", _MORE_BITS),
    _definition("precision", "log", "poly", _MORE_BITS),
    _definition("precision", "poly", "rational", _MORE_BITS),
    _definition("precision", "rational", "real", _MORE_BITS),
    Variant(
        "precision: rounded to real",
        "precision",
        "rounded",
        "real",
        "rounding is part of the model; it jumps, so no bound on margins is carried over",
        seen=OURS,
        needs={"acceptance": ("exact",)},
    ),
    *(
        Variant(
            f"precision: {bits} to constant",
            "precision",
            bits,
            "constant",
            "finitely many vectors occur, since a head copies one; a bit for each of them says the same",
            seen=OURS,
            needs={
                **{"attention": _HARD, "positions": _FINITE, "width": ("constant",)},
                **{"depth": ("one", "constant"), "steps": ("none",)},
            },
            argued=True,
        )
        for bits in ("real", "rounded")
    ),
    _definition("steps", "none", "log", "it may answer earlier"),
    _definition("steps", "log", "linear", "it may answer earlier"),
    _definition("steps", "linear", "poly", "it may answer earlier"),
    _definition("steps", "poly", "unbounded", "it may answer earlier"),
    _definition("acceptance", "margin", "exact", "what is right by a margin is right"),
    _definition("norm", "none", "smoothed", "it may be left out"),
    _definition("norm", "smoothed", "plain", "the constant may be there"),
    Variant(
        "norm: plain to none",
        "norm",
        "plain",
        "none",
        "few vectors occur, and the network after each layer can do what layer norm does to them",
        ("yang2024",),
        needs={"attention": _HARD, "positions": _FINITE},
    ),
    _definition("uniformity", "one", "per-length", "all weights may be the same"),
    _definition("width", "constant", "log", "it may be narrower"),
    _definition("width", "log", "poly", "it may be narrower"),
    _definition("depth", "one", "constant", "it may be shallower: layers may do nothing"),
    _definition("depth", "constant", "log", "it may be shallower: layers may do nothing"),
    _definition("depth", "log", "polylog", "it may be shallower: layers may do nothing"),
    _definition("padding", "none", "poly", "blank tokens may be left unused"),
)
