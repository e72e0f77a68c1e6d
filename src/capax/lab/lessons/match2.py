"""Match2: is there a token that sums to 0 mod M with this one?"""

from capax.lab.lessons.frame.lesson import Lesson
from capax.lab.lessons.frame.residues import MODULUS, RATE, STAY, match2, residues, steered

LESSON = Lesson(
    "match2",
    "1 where some j (i allowed) has x_i + x_j = 0 mod M, 0 elsewhere",
    residues,
    steered(match2, 2),
    (MODULUS, RATE, STAY),
)
