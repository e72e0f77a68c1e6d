"""Why the tokens of a chain need more than the symbols of the tape.

A decoder of constant depth finds the symbol under the head, and it has its last token. If tokens said what was
written and how the head moved, but not the state, then two steps with the same last token and the same symbol under
the head would have to be continued alike. A machine that continues them in different ways is then lost. (Over an
alphabet of one letter a chain of thought would say even less: after t steps it is that letter t times, whatever the
machine did.)
"""

from collections.abc import Sequence

from capax.formal.turing.machine import LETTERS, Action, TuringMachine, steps
from capax.report import Report

STATEMENT = "tokens that say what was written and how the head moved, and not the state, decide what comes next"


def without_states(machine: TuringMachine, words: Sequence[Sequence[str]], most: int) -> Report:
    """Whether a machine's next action is a function of what is written, moved and read; two steps refute it."""
    count = 0
    for word in words:
        known: dict[tuple[str, str, str], tuple[int, Action]] = {}
        last: Action | None = None
        for number, step in enumerate(steps(machine, word), 1):
            if number > most:
                break
            count += 1
            if last is not None:
                seen = (last.write, LETTERS[last.move], step.read)
                before, action = known.setdefault(seen, (number, step.action))
                if action != step.action:
                    situation = {"last token": f"{seen[0]},{seen[1]}", "symbol under the head": seen[2]}
                    first, second = f"step {before}: {action}", f"step {number}: {step.action}"
                    return Report(
                        STATEMENT, "exhaustive", False, count, counterexample={**situation, "then": [first, second]}
                    )
            last = step.action
    return Report(STATEMENT, "exhaustive", True, count)
