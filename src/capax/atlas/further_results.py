"""Claims of papers that came to the atlas late: transformers without positions, softmax with steps, pauses."""

from typing import Final

from capax.atlas.recent_results import claim
from capax.atlas.records import Claim
from capax.atlas.setting import Setting

_PAUSES = ("attention", "mask", "positions", "norm", "uniformity")
FURTHER: Final[tuple[Claim, ...]] = (
    claim(
        "no-positions-parity",
        "lacks",
        "PARITY",
        "koecher2025",
        Setting("average-hard", "none", "none", "real"),
        "checked",
        unstated=("mask", "precision", "norm"),
        note="what such models recognise are solutions of polynomial inequalities in the counts of the symbols",
    ),
    claim(
        "average-hard-not-all-of-tc0",
        "lacks",
        "TC0-NOT-AVERAGE",
        "koecher2025",
        Setting("average-hard", "none", "arbitrary", "real"),
        "checked",
        unstated=("mask", "precision", "norm"),
    ),
    claim(
        "softmax-steps-unary",
        "contains",
        "RE-unary",
        "jiang2025",
        Setting("softmax", "causal", "none", "real", steps="unbounded"),
        "checked",
        unstated=("precision", "norm"),
        note="by way of C-RASP; for languages over several letters these models are not enough, the abstract says",
    ),
    claim(
        "softmax-steps-relative",
        "contains",
        "RE",
        "jiang2025",
        Setting("softmax", "causal", "relative", "real", steps="unbounded"),
        "checked",
        unstated=("precision", "norm"),
    ),
    claim(
        "pauses-constant-bits",
        "contains",
        "AC0",
        "london2025",
        Setting("softmax", "mixed", "arbitrary", "constant", uniformity="per-length", width="log", padding="poly"),
        "checked",
        unstated=_PAUSES,
        note="without pause tokens they compute a strict part of it",
    ),
    claim(
        "pauses-log-bits",
        "contains",
        "TC0",
        "london2025",
        Setting("softmax", "mixed", "arbitrary", "log", uniformity="per-length", width="log", padding="poly"),
        "checked",
        unstated=_PAUSES,
    ),
)
