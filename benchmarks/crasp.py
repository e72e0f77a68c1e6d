"""How long does it take to decide C-RASP, with evidence, and what do the formulas and models look like?

    python benchmarks/crasp.py [--quick]

Random expressions are those of `random_expressions(0, N)`, seeded, over ab or abc. Every formula is compared with the
automaton on all short words, every obstruction is checked by the module that shares no code with the decision. Depth is
how deep counts are nested, which is the number of layers; it is shown beside the number of components of the automaton
and the most rounds of one. Models are compiled for words of up to 12 letters, in float64. Times are CPU seconds.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
from collections import Counter, defaultdict
from statistics import median

import numpy as np
from table import Table

from capax.atlas.recognition.crasp.build import counting_model
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.random_regex import random_expressions
from capax.formal.automata.regex import regex_dfa
from capax.formal.crasp.check import check_formula, check_obstruction
from capax.formal.crasp.decide import CRaspDecision, Reading, decide_crasp
from capax.formal.crasp.formula import crasp_formula
from capax.formal.crasp.obstruction import obstruction
from capax.formal.logic.counting import counting_depth, counting_subformulas

QUICK = "--quick" in sys.argv
COUNT = 1_000
BUILT = 25 if QUICK else COUNT
READINGS: tuple[Reading, ...] = ("last", "end")
LARGE = ("(a{66}b{66}c{66})*", "((ab){40}(ba){40})*", "(ab){100}", "(ab|b(a{50}b{50}|a)b)*a{50}")


def evidence(dfa: Dfa, decision: CRaspDecision, spent: "defaultdict[str, float]") -> list[tuple[int, int]]:
    """Builds and checks the evidence of both readings; the parts and depths of the formulas."""
    shapes = []
    for read in READINGS:
        begin = time.process_time()
        if decision.holds(read):
            formula = crasp_formula(decision, read)
            assert formula is not None
            spent["formulas"] += time.process_time() - begin
            begin = time.process_time()
            assert check_formula(formula, dfa, read).holds
            spent["checks"] += time.process_time() - begin
            shapes.append((len(counting_subformulas(formula)), counting_depth(formula)))
        else:
            shown = obstruction(decision, read)
            assert shown is not None
            assert check_obstruction(shown, dfa).holds
            spent["obstructions"] += time.process_time() - begin
    return shapes


def expressions() -> None:
    """The random expressions: verdicts, times, and the shapes of formulas by components and rounds."""
    drawn = list(random_expressions(0, COUNT))
    begin = time.process_time()
    decisions = [decide_crasp(dfa) for _, _, dfa in drawn]
    spent: defaultdict[str, float] = defaultdict(float, decisions=time.process_time() - begin)
    kinds = Counter((one.holds("last"), one.holds("end")) for one in decisions)
    shapes = defaultdict(list)
    for (_, _, dfa), decision in zip(drawn, decisions, strict=True):
        for shape in evidence(dfa, decision, spent):
            shapes[min(len(decision.regions), 9), decision.rounds].append(shape)
    columns = ("both readings", "last letter only", "outside", "unknown", *(f"{name}, CPU s" for name in spent))
    table = Table(*columns, title=f"{COUNT:,} random expressions")
    table.add_row(kinds[True, True], kinds[True, False], kinds[False, False], 0, *(f"{x:.2f}" for x in spent.values()))
    print(table)
    columns = ("components", "rounds", "formulas", "parts, median", "parts, most", "depth, median", "depth, most")
    table = Table(*columns, title="Formulas, by components (9: or more) and rounds")
    for (count, rounds), some in sorted(shapes.items()):
        parts, depths = zip(*some, strict=True)
        table.add_row(count, rounds, len(some), f"{median(parts):g}", max(parts), f"{median(depths):g}", max(depths))
    print(table)


def large() -> None:
    """Large automata."""
    columns = ("automaton", "states", "components", "rounds", "last", "end", "decision, CPU s", "evidence, CPU s")
    table = Table(*columns, title="Large automata")
    random = np.random.default_rng(0)
    automata = [(f"`{regex}`", regex_dfa(regex).minimal()) for regex in LARGE]
    for letters in (2, 3):
        delta = tuple(tuple(map(int, row)) for row in random.integers(0, 260, (260, letters)))
        dfa = Dfa(tuple("abc"[:letters]), delta, 0, frozenset(range(0, 260, 2))).minimal()
        automata.append((f"random, {letters} letters", dfa))
    for name, dfa in automata:
        begin = time.process_time()
        decision = decide_crasp(dfa)
        decided = time.process_time() - begin
        begin = time.process_time()
        evidence(dfa, decision, defaultdict(float))
        says = ["yes" if decision.holds(read) else "no" for read in READINGS]
        sizes = dfa.size, len(decision.regions), decision.rounds
        table.add_row(name, *sizes, *says, f"{decided:.3f}", f"{time.process_time() - begin:.2f}")
    print(table)


def models() -> None:
    """Models of the first expressions that are inside, read at the last letter."""
    labels: Counter[str] = Counter()
    inside = compiled = done = 0
    begin = time.process_time()
    for _, _, dfa in random_expressions(0, COUNT):
        decision = decide_crasp(dfa)
        formula = crasp_formula(decision, "last", short=False)
        if formula is None:
            continue
        built = counting_model(formula, dfa.alphabet, "last", length=12, words=20)
        done, inside = done + 1, inside + built.dialect.inside
        if built.compiled is not None:
            compiled += 1
            assert built.compiled.size.attention_layers == counting_depth(formula)
            whole = built.compiled.label.startswith("certified in")
            some = built.compiled.label.startswith("certified up to")
            labels["to length 12" if whole else "to a shorter length" if some else "by test only"] += 1
        if done == BUILT:
            break
    kinds = ("to length 12", "to a shorter length", "by test only")
    certified = ("certified", "certified to a shorter length", "tested")
    columns = ("languages", "in the dialect", "compiled", *certified, "CPU s")
    table = Table(*columns, title="Models, for words of up to 12 letters")
    table.add_row(done, inside, compiled, *(labels[kind] for kind in kinds), f"{time.process_time() - begin:.1f}")
    print(table)


if __name__ == "__main__":
    expressions()
    large()
    models()
