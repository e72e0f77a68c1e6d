"""Kinds of transformers that have a name: the rows of the table and the boxes of the picture."""

from typing import Final

from capax.atlas.setting import Setting

MODELS: Final[dict[str, Setting]] = {
    "softmax, O(1) bits, no positions": Setting("softmax", "strict", "none", "constant"),
    "leftmost-hard, O(1) bits, no positions": Setting("leftmost-hard", "strict", "none", "constant"),
    "hard, masked, no positions": Setting("unique-hard", "strict", "none", "real"),
    "hard, masked, periodic positions": Setting("unique-hard", "strict", "periodic", "real"),
    "hard, any positions": Setting("unique-hard", "mixed", "arbitrary", "real"),
    "softmax, O(1) bits, any positions": Setting("softmax", "mixed", "arbitrary", "constant"),
    "softmax, rounded outside attention": Setting("softmax", "causal", "none", "rounded"),
    "softmax, by a margin": Setting("softmax", "mixed", "bounded", "real", acceptance="margin", norm="smoothed"),
    "softmax, O(log n) bits": Setting("softmax", "mixed", "computable", "log"),
    "softmax, real numbers": Setting("softmax", "mixed", "arbitrary", "real"),
    "average-hard": Setting("average-hard", "mixed", "computable", "rational"),
    "average-hard, any positions": Setting("average-hard", "mixed", "arbitrary", "real"),
    "padded": Setting("average-hard", "causal", "none", "log", padding="poly"),
    "depth log n": Setting("average-hard", "causal", "none", "log", depth="log"),
    "padded and looped": Setting("average-hard", "causal", "none", "log", depth="polylog", padding="poly"),
    "O(log n) steps": Setting("average-hard", "causal", "none", "log", steps="log"),
    "O(n) steps": Setting("average-hard", "causal", "none", "log", steps="linear"),
    "polynomially many steps": Setting("average-hard", "causal", "none", "log", steps="poly"),
    "unboundedly many steps": Setting("average-hard", "causal", "i,1/i,1/i^2", "rational", steps="unbounded"),
}
