"""Why a program is not compiled: it is not an s-op, it is too large, its model is wrong or cannot be certified."""

from typing import Final

from capax.compiler.compiled import Compiled
from capax.compiler.domain import Domain, Dtype
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import Program
from capax.report import Report

WIDER: Final[dict[Dtype, tuple[Dtype, ...]]] = {
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
    "float64": (),
}
"""The number systems that are tried for a hint, where one is too coarse."""

ALWAYS: Final = 1000
"""A program of at most this many nodes is compiled whatever the budget."""


def check_compilable(program: object) -> SOpNode:
    """The node of a program that is an s-op; anything else is rejected."""
    if isinstance(program, Program) and isinstance(program.node, SOpNode):
        return program.node
    raise CapaxError(
        "not-compilable",
        "only an s-op can be compiled" if isinstance(program, Program) else f"not a program: {program!r:.60}",
        hint="compile `aggregate(selector, ...)` or `selector_width(selector)`",
    )


def check_size(root: SOpNode, domain: Domain) -> None:
    """Rejects a program of more nodes than the budget: going through them takes long, whatever their values."""
    parts = len(topological(root))
    if parts > max(domain.budget, ALWAYS):
        what = f"the program has {parts:,} parts, more than the budget of {domain.budget:,}"
        raise CapaxError("too-many-values", what, hint="write it with fewer parts, or raise the budget")


def compiled_wrong(check: Report) -> CapaxError:
    """The error for weights that give other answers than the program."""
    wrong = check.counterexample
    return CapaxError(
        "compiled-wrong",
        f"on the word {wrong['word']!r:.80} the weights give {wrong['answer']!r:.80}, "
        f"the program {wrong['expected']!r:.80}",
        report=check,
    )


def too_few_digits(wrong: CapaxError, domain: Domain, wider: Dtype | None) -> CapaxError:
    """The error for weights that are wrong in a number system; in bfloat16 that is a limit, and nobody's mistake."""
    right = "in which the answers are right on all words that were tried"
    hint = None if wider is None else f'compile with dtype="{wider}", {right}'
    if domain.dtype != "bfloat16" or wider is None:
        wrong.hint = hint
        return wrong
    what = f"bfloat16 has 8 binary digits, too few for this program up to length {domain.max_length:,}: {wrong.what}"
    return CapaxError("too-many-values", what, hint=f"{hint}; or shorten max_length", **wrong.data)


def not_certified(compiled: Compiled) -> CapaxError:
    """The error for a model that must be certified at its full length, and cannot be."""
    why = compiled.certificate.verdict_in(compiled.model.numbers)
    assert why is not None, "it was tried in the model's own number system"
    rest = f"a certificate up to length {why.length:,}" if why.length else "a model that is checked by test only"
    ways = [*([why.help] if why.help else []), f"or take {rest}: certify=True"]
    return CapaxError(
        "not-certified",
        f"length {compiled.domain.max_length} cannot be certified in {compiled.model.numbers}: {why.breaks}",
        hint="; ".join(ways).removeprefix("or "),
    )
