"""A verdict: whether a kind of transformer recognises a language, why, and who proved it."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from capax.display import parts
from capax.formal.acceptance import Read

BARRINGTON: Final = (
    "Barrington 1989, Bounded-width polynomial-size branching programs recognize exactly those languages in NC1"
)
BARRINGTON_THERIEN: Final = "Barrington and Thérien 1988, Finite monoids and the fine structure of NC1"
BCST: Final = "Barrington, Compton, Straubing and Thérien 1992, Regular languages in NC1"
FSS: Final = "Furst, Saxe and Sipser 1984, Parity, circuits, and the polynomial-time hierarchy"
HAHN: Final = "Hahn 2020, Theoretical limitations of self-attention in neural sequence models"
HAO: Final = "Hao, Angluin and Frank 2022, Formal language recognition by hard attention transformers"
LI_COTTERELL: Final = (
    "Li and Cotterell 2025, Characterizing the expressivity of fixed-precision transformer language models"
)
LIU: Final = "Liu et al. 2023, Transformers learn shortcuts to automata"
MERRILL: Final = "Merrill and Sabharwal 2023, The parallelism tradeoff: limitations of log-precision transformers"
MERRILL_COT: Final = "Merrill and Sabharwal 2024, The expressive power of transformers with chain of thought"
WEISS: Final = "Weiss, Goldberg and Yahav 2021, Thinking like transformers"
YAO: Final = "Yao et al. 2021, Self-attention networks can process bounded hierarchical languages"
YANG: Final = (
    "Yang, Chiang and Angluin 2024, Masked hard-attention transformers recognize exactly the star-free languages"
)
YANG_CADILHAC: Final = "Yang, Cadilhac and Chiang 2025, Knee-deep in C-RASP: a transformer depth hierarchy"
YANG_CHIANG: Final = "Yang and Chiang 2024, Counting like transformers"
OWN: Final = "the criterion is proved on the page Formal languages"
OWN_CRASP: Final = "the criterion is proved on the page C-RASP decided (own proof, not refereed)"
OWN_HEADS: Final = "the heads are given on the page The atlas"


Answer: TypeAlias = Literal["yes", "no", "unknown"]

ASSUMPTION = "TC0 != NC1"


@dataclass(frozen=True, slots=True)
class RecognitionVerdict:
    """An answer for a kind of models that are read at one position.

    `assuming` is a conjecture that the answer needs; empty where it needs none.
    """

    models: str
    answer: Answer
    because: str
    source: str
    assuming: str = ""
    by: tuple[str, ...] = ()
    """The records of the atlas that prove it."""
    read: Read = "last"

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        facts = parts(self, "models", "read", "answer", "because", "source")
        return facts | {"assuming": self.assuming or None, "by": list(self.by)}


FIXED = "softmax, fixed precision, strict past mask, no positions"
MASKED = "hard attention, strict past mask, no positions"
MASKED_MOD = "hard attention, strict past mask, periodic positions"
UNIQUE = "hard attention, any positions"
CRASP = "softmax, rounded only outside attention, causal mask, no positions (C-RASP)"
SOFT_MASKED = "softmax, causal mask, no positions, real numbers"
SOFT_PERIODIC = "softmax, no mask, periodic positions, real numbers"
LEFT_ANY = "leftmost-hard, no mask, any positions"
RIGHT_FINITE = "rightmost-hard, strict past mask, positions with finitely many vectors"
AVERAGE_ANY = "average-hard, any positions, real numbers"
CONSTANT = "constant depth, logarithmic precision"
LOGARITHMIC = "depth log n"
THOUGHTS = "chain of thought, a step for each symbol"
