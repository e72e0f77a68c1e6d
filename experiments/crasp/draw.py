"""Draws the languages of the experiment and what is predicted of them: `python experiments/crasp/draw.py`.

Random regular expressions are decided before any network is trained, and written to `predictions.toml` in triples: one
language in C-RASP under both readings, one read at the last letter only, one outside, with equal alphabets, numbers of
states, and densities (how many words of 16 letters are inside, in five bands). Every length from 6 to 36 has words
inside and outside. Languages that differ by names of letters count as one.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from capax.formal.automata.dfa import Dfa, counts
from capax.formal.automata.random_regex import random_expressions, up_to_names
from capax.formal.crasp.decide import decide_crasp

HERE = Path(__file__).parent
FILE = HERE / "predictions.toml"
SEED, EXPRESSIONS, TRIPLES, MOST_ALIKE = 20261118, 12_000, 20, 2
STRATA = {(True, True): "both", (True, False): "last", (False, False): "out"}
BANDS = (0.05, 0.25, 0.75, 0.95)
HEADER = """# Written by draw.py, before any network was trained. `last` and `end`: is the language in C-RASP, read at
# the last letter, and at a marker after the word? `density`: how many words of 16 letters are inside.
"""


def density(dfa: Dfa) -> float:
    """The share of words of 16 letters that are inside."""
    return counts(dfa, 16)[16][dfa.start] / len(dfa.alphabet) ** 16


def has_both(dfa: Dfa) -> bool:
    """Whether every length from 6 to 36 has words inside and outside."""
    table, letters = counts(dfa, 36), len(dfa.alphabet)
    return all(0 < table[n][dfa.start] < letters**n for n in range(6, 37))


def draw() -> list[dict[str, object]]:
    """The languages, triple by triple."""
    cells: dict[tuple[int, int, int], dict[str, list[dict[str, object]]]] = defaultdict(lambda: defaultdict(list))
    seen = set()
    for regex, letters, dfa in random_expressions(SEED, EXPRESSIONS, most=9):
        if not 3 <= dfa.size <= 10 or not has_both(dfa) or up_to_names(dfa) in seen:
            continue
        seen.add(up_to_names(dfa))
        decision = decide_crasp(dfa)
        last, end, share = decision.holds("last"), decision.holds("end"), density(dfa)
        cell = len(letters), dfa.size, sum(share >= band for band in BANDS)
        cells[cell][STRATA[last, end]].append(
            {"regex": regex, "alphabet": letters, "states": dfa.size, "density": round(share, 4), "last": last}
            | {"end": end, "components": len(decision.regions), "rounds": decision.rounds}
        )
    triples = []
    for turn in range(MOST_ALIKE):  # first one of each kind of triple, then a second one
        order = np.random.default_rng([SEED, turn]).permutation(len(cells))
        for _, strata in (sorted(cells.items())[k] for k in order):
            if all(len(strata[name]) > turn for name in STRATA.values()):
                triples.append([strata[name][turn] for name in STRATA.values()])
    assert len(triples) >= TRIPLES, len(triples)
    return [
        {"triple": number, "stratum": name} | language
        for number, triple in enumerate(triples[:TRIPLES])
        for name, language in zip(STRATA.values(), triple, strict=True)
    ]


def main() -> None:
    """Writes the languages."""
    lines = [HEADER]
    for language in draw():
        lines += ["[[languages]]", *(f"{key} = {json.dumps(value)}" for key, value in language.items()), ""]
    FILE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
