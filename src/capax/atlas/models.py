"""Kinds of transformers that have a name: the rows of the table and the boxes of the picture."""

from typing import Final

from capax.atlas.setting import Setting

MODELS: Final[dict[str, Setting]] = {
    "softmax, O(1) bits, no positions": Setting("softmax", "strict-past", "none", "constant"),
    "softmax, O(1) bits, no positions, end marker": Setting("softmax", "strict-past", "none", "constant", read="end"),
    "leftmost-hard, no positions": Setting("leftmost-hard", "strict-past", "none", "real"),
    "leftmost-hard, no positions, end marker": Setting("leftmost-hard", "strict-past", "none", "real", read="end"),
    "hard, causal, no positions": Setting("unique-hard", "causal", "none", "real"),
    "hard, masked, no positions": Setting("unique-hard", "strict-past", "none", "real"),
    "hard, masked, periodic positions": Setting("unique-hard", "strict-past", "periodic", "real"),
    "hard, masked, finite-image positions": Setting("unique-hard", "strict-past", "finite-image", "real"),
    "hard, any positions": Setting("unique-hard", "mixed", "arbitrary", "real"),
    "softmax, O(1) bits, any positions": Setting("softmax", "mixed", "arbitrary", "constant"),
    "softmax, rounded outside attention": Setting("softmax", "causal", "none", "rounded"),
    "softmax, rounded outside attention, end marker": Setting("softmax", "causal", "none", "rounded", read="end"),
    "softmax, by a margin": Setting("softmax", "mixed", "bounded", "real", acceptance="margin", norm="smoothed"),
    "softmax, O(log n) bits": Setting("softmax", "mixed", "computable", "log"),
    "softmax, real numbers": Setting("softmax", "mixed", "arbitrary", "real"),
    "average-hard, no mask, no positions": Setting("average-hard", "none", "none", "rational"),
    "average-hard": Setting("average-hard", "mixed", "computable", "rational"),
    "average-hard, any positions": Setting("average-hard", "mixed", "arbitrary", "real"),
    "padded": Setting("average-hard", "causal", "none", "log", padding="poly"),
    "depth log n": Setting("average-hard", "causal", "none", "log", depth="log"),
    "padded and looped": Setting("average-hard", "causal", "none", "log", depth="polylog", padding="poly"),
    "O(log n) steps": Setting("average-hard", "causal", "none", "log", steps="log"),
    "O(n) steps": Setting("average-hard", "causal", "none", "log", steps="linear"),
    "polynomially many steps": Setting("average-hard", "causal", "none", "log", steps="poly"),
    "softmax, unboundedly many steps": Setting("softmax", "causal", "relative", "real", steps="unbounded"),
    "unboundedly many steps": Setting("average-hard", "causal", "i,1/i,1/i^2", "rational", steps="unbounded"),
}
