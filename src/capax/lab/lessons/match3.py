"""Match3: are there two tokens that sum to 0 mod M with this one?"""

from capax.lab.lessons.frame.lesson import Lesson
from capax.lab.lessons.frame.residues import MODULUS, RATE, STAY, match3, residues, steered

LESSON = Lesson(
    "match3",
    "1 where some j and k (equal to each other or to i allowed) have x_i + x_j + x_k = 0 mod M, 0 elsewhere",
    residues,
    steered(match3, 3),
    (MODULUS, RATE, STAY),
)
