"""Hard attention takes exactly one step of thought for each function composed.

Statement: For every l, one layer of unique hard attention needs exactly l steps of thought to compute l-fold
composition of functions on domains that are large enough: l steps are enough, and l - 1 are not. Each step writes one
token, and the last of them is the answer.
Idea: the least number of steps of such a layer is the rank of the function that it computes, the rank of Ehrenfeucht
and Haussler for decision trees: one attention is a decision list over the prompt. The rank of l-fold composition is l.
Cite: Barcelo, Kozachinskiy and Steifer (2025), Ehrenfeucht-Haussler rank and chain of thought, ICML; compared with the
abstract.
Unchecked: How large the domain must be beside l is not in the abstract.
Escapes: Several layers need fewer steps; softmax attention is not covered.
Scope: for l = 1 the answer is the first token that is written. For several heads, too, the paper has a notion of rank.
The upper side runs: theorem composition-cot.
"""

from capax.limits.base.large_numbers import Count, shown
from capax.limits.base.limit import BoundVerdict, Finding, limit_in, no_statement, quantity

STEPS = Count("steps", 3, "the tokens that a layer writes, the answer included", 0)
LAST = "the answer is the last step"
FUNCTIONS = Count("functions", 4, "how often the function is applied, l", 1)


def compute(functions: int, steps: int) -> Finding:
    """The steps that are needed, beside those that are taken."""
    rows = (
        quantity("steps that are needed", functions, "", "stated", "exactly l, for l-fold composition; " + LAST),
        quantity("steps that are taken", steps, "", "given", LAST),
    )
    needed = "1 step is" if functions == 1 else f"{shown(functions)} steps are"
    if steps >= functions:
        return rows, no_statement(f"{needed} enough for some layer ({LAST}), not for every one")
    if steps == 0:
        return rows, BoundVerdict("exact", f"no layer answers in 0 steps, as {LAST}; exactly {needed} needed")
    text = (
        f"no layer of hard attention computes {shown(functions)}-fold composition in "
        f"{shown(steps)} step{'s' * (steps != 1)} on domains that are large enough; exactly {needed} needed, and "
        f"{LAST}"
    )
    return rows, BoundVerdict("exact", text)


LIMIT = limit_in(
    __name__,
    (FUNCTIONS, STEPS),
    assumptions=(
        "one layer with one head of unique hard attention",
        "each step writes one token; the answer is the last of them",
    ),
    task="composition",
    theorems=("composition-cot",),
    small=({"functions": 4, "steps": 4}, {"functions": 10**30, "steps": 0}),
)
