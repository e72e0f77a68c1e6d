"""Dialects of RASP from the literature, and whether a program stays within them: one file per dialect."""

from capax.rasp.analysis.dialects.b_rasp import B_RASP
from capax.rasp.analysis.dialects.crasp import C_RASP
from capax.rasp.analysis.dialects.dialect import DialectFinding, DialectVerdict
from capax.rasp.analysis.dialects.rasp_l import RASP_L
from capax.rasp.python.program import Program

__all__ = ["DialectFinding", "DialectVerdict", "check_all"]


def check_all(program: Program) -> list[DialectVerdict]:
    """The verdicts of RASP-L, B-RASP and C-RASP on a program, in this order.

    >>> from capax import indices, select, selector_width, tokens
    >>> before = selector_width(select(tokens, tokens, "==") & select(indices, indices, "<"))
    >>> {verdict.dialect: verdict.inside for verdict in check_all(before)}
    {'RASP-L': True, 'B-RASP': False, 'C-RASP': True}
    """
    return [dialect.check(program) for dialect in (RASP_L, B_RASP, C_RASP)]
