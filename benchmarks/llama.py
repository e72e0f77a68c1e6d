"""What do programs cost in the stock Llama class, and are they right there?

Each program is compiled for causal attention, written as a Llama directory with its proof, and opened by the stock
class. `plain` counts the parameters of the model as it was compiled, `parameters` those of the class. `wrong` counts
words with a wrong answer at any position, of all words up to 7 letters (3 of 26 letters), random words, and adversarial
ones at every power of two: one letter throughout, two in turn, one letter that differs at an end, all letters over and
over. Right is what the interpreter says of words up to 7, and the model in float64, which is certified, of longer ones;
of a machine's chain it is the machine, too. `margin` is the least distance of the best logit from the next one.
`proved` is the length up to which all answers are proved from the bytes of the directory. `write` and `proof` are CPU
seconds.

The second table is the same in bfloat16. The third has programs like the examples of torchwright 0.2, a compiler to the
stock Phi-3 class; its layers and parameters are cited from an earlier measurement and were not measured here.
Increments here read the lowest bit first and answer at each position; there they are generated after the number.

    python benchmarks/llama.py [--quick]
"""

import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
from table import Table

import capax
from capax import aggregate, best, indices, select, selector_width, tokens, where
from capax.app.files.exports import fitted
from capax.certify.exported_models.exported import proof_json
from capax.formal.turing.machine import steps
from capax.model.export.target import Runner, target
from capax.model.model import Model
from capax.theorems.turing.parts.examples import machine_of
from capax.theorems.turing.parts.step_program import StepTokens, step_program

LETTERS = {3: "abc", 26: "abcdefghijklmnopqrstuvwxyz"}
PREVIOUS = aggregate(select(indices, indices - 1, "=="), tokens, "a")
COUNT = selector_width(select(tokens, "a", "==") & select(indices, indices, "<="))
ZEROS = selector_width(select(tokens, "0", "==") & select(indices, indices, "<="))
CARRY = where(tokens == "0", ZEROS == 1, ZEROS == 0)
INCREMENT = where(CARRY, where(tokens == "0", "1", "0"), tokens)
MARK = aggregate(best(select(tokens, "#", "=="), indices), indices, -1)
REVERSE = where(MARK < 0, "#", aggregate(select(indices, 2 * MARK - 1 - indices, "=="), tokens, "#"))
FLOAT32 = {
    "previous token": PREVIOUS,
    "induction": capax.library.induction,
    "histogram": capax.library.hist_nobos,
    "2-hop": capax.library.hop2,
    "Dyck-1": capax.library.dyck1_ptf,
}
BFLOAT16 = {
    "previous token": (PREVIOUS, 32),
    "induction": (capax.library.induction, 32),
    "first occurrence": (capax.library.first_occurrence, 16),
    "2-hop": (capax.library.hop2, 16),
    "count of a, at most 3": (where(COUNT > 3, 3, COUNT), 16),
}
PEER = {
    "increment, 4 bits": (INCREMENT, "01", 4, "16 / 22,000,000 (least found 21 / 2,330,000)", "right"),
    "increment, 8 bits": (INCREMENT, "01", 8, "not known", "wrong on 38 of 510"),
    "increment, 64 bits": (INCREMENT, "01", 64, "not tried", "-"),
    "reverse after #, up to 10": (REVERSE, "abc#", 21, "7 / 3,200,000 or 13 / 370,000", "right"),
    "histogram, up to 10": (capax.library.hist_nobos, "abc", 10, "13 / 5,500,000", "right"),
    "Dyck-1, up to 20": (capax.library.dyck1_ptf, "()", 20, "6 / 160,000", "right"),
}
"""The program, its letters and length; layers and parameters in torchwright, and what it answered in float32."""


@dataclass(frozen=True)
class Written:
    """A directory that was loaded: what runs it, its settings, and what it took."""

    runner: Runner
    config: dict[str, Any]
    parameters: int
    proved: int
    write: float
    proof: float


def written(model: Model) -> Written:
    """The model as a Llama directory, loaded by the stock class."""
    proof = [0.0]

    def prove(*arguments: Any) -> Any:
        start = time.process_time()
        known = proof_json(*arguments)
        proof[0] = time.process_time() - start
        return known

    start = time.process_time()
    files = target("llama").write(fitted(model, target("llama"))[0], Path(), prove)
    took = time.process_time() - start - proof[0]
    with tempfile.TemporaryDirectory() as name:
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        runner = target("llama").load(Path(name))
    (verdict,) = json.loads(files["certificate.json"])["answers"]["verdicts"]
    header = json.loads(files["model.safetensors"][8 : 8 + int.from_bytes(files["model.safetensors"][:8], "little")])
    shapes = [entry["shape"] for name, entry in header.items() if name != "__metadata__"]
    parameters = int(sum(np.prod(shape) for shape in shapes))
    return Written(runner, json.loads(files["config.json"]), parameters, verdict["length"], took, proof[0])


def adversarial(letters: str, longest: int) -> list[str]:
    """Words at every power of two up to the longest, and at that."""
    lengths = sorted({longest, *(2**k for k in range(longest.bit_length()) if 2**k <= longest)})
    a, b, c = letters[0], letters[1], letters[-1]
    words = []
    for n in lengths:
        shapes = [
            a,
            c,
            a + b,
            a + c * n,
            c * (n - 1) + a,
            b + a * (n - 2) + b,
            letters,
            a * (n // 2) + b * n,
            letters[::-1],
        ]
        words += [(shape * n)[:n] for shape in shapes]
    return words


def wrong(runner: Runner, known: Model, program: Any, letters: str, longest: int, count: int) -> tuple[int, int, float]:
    """How many words have a wrong answer, how many were tried, and the least margin."""
    source, short = random.Random(0), 7 if len(letters) < 4 else 3 if len(letters) < 30 else 2
    most = min(short, longest)
    few = ["".join(w) for n in range(1, most + 1) for w in product(letters, repeat=n)]
    more = adversarial(letters, longest)
    more += ["".join(source.choice(letters) for _ in range(longest)) for _ in range(count)]
    expected = [[program(w[: i + 1])[-1] for i in range(len(w))] for w in few] + known.batch(more)
    errors, least, words = 0, np.inf, [*few, *more]
    for at in range(0, len(words), 64):
        part = words[at : at + 64]
        for right, output in zip(expected[at : at + 64], runner(part), strict=True):
            errors += [str(x) for x in right] != [str(x) for x in output.answers]
            if output.logits.shape[1] > 1:
                best = np.sort(output.logits, axis=1)
                least = min(least, float((best[:, -1] - best[:, -2]).min()))
    return errors, len(words), least


def row(table: Table, name: str, program: Any, letters: str, longest: int, dtype: str, count: int) -> None:
    """One program in the table."""
    shared: dict[str, Any] = {"alphabet": letters, "max_length": longest, "causal": True, "certify": False}
    model = capax.compile(program, dtype=dtype, **shared).model
    known = capax.compile(program, dtype="float64", **shared).model
    llama = written(model)
    errors, tried, least = wrong(llama.runner, known, program, letters, longest, count)
    table.add_row(
        *_cells(name, len(letters), longest, model, llama), f"{errors} of {tried:,}", f"{least:.4g}", *_took(llama)
    )


def _cells(name: str, letters: int, longest: int, model: Model, llama: Written) -> list[Any]:
    c = llama.config
    sizes = f"{c['num_hidden_layers']} x {c['hidden_size']}, {c['intermediate_size']}"
    return [name, letters, longest, f"{model.size.parameters:,}", sizes, f"{llama.parameters:,}"]


def _took(llama: Written) -> list[Any]:
    return [llama.proved, f"{llama.write:.2f}", f"{llama.proof:.2f}"]


def machine(table: Table, longest: int) -> None:
    """A Turing machine's chain of thought: each of its steps, and random words; right is what the program says."""
    increment, tape, cells = machine_of("increment", 1, 2, 0), "1" * 12, 14
    known, program = StepTokens(increment, cells), step_program(increment, cells=cells, longest=longest)
    letters = list(known.alphabet)
    model = capax.compile(program, alphabet=letters, max_length=longest, causal=True, certify=False).model
    llama, chain = written(model), known.named.prompt(tape)
    for step in steps(increment, tape):
        chain.append(f"{known.named.action_tokens[step.action]}@{step.cell + step.action.move}")
    taken, source = len(chain) - len(tape) - 1, random.Random(0)
    words = [chain, *([source.choice(letters) for _ in range(longest)] for _ in range(40))]
    errors = sum(list(o.answers) != list(program(w)) for o, w in zip(llama.runner(words), words, strict=True))
    errors += llama.runner([chain])[0].answers[len(tape) :] != [*chain[len(tape) + 1 :], known.named.halt]
    cells_of_row = _cells(f"machine, {taken} steps", len(letters), longest, model, llama)
    table.add_row(*cells_of_row, f"{errors} of {len(words) + 1}", "-", *_took(llama))


COLUMNS = ("program", "letters", "length", "plain", "layers x width, units", "parameters", "wrong", "margin", "proved")


def main() -> None:
    """All tables."""
    quick = "--quick" in sys.argv
    longest, count = (64, 16) if quick else (256, 60)
    table = Table(*COLUMNS, "write", "proof", title="float32")
    for letters in LETTERS.values():
        for name, program in FLOAT32.items():
            alphabet = "()" if name == "Dyck-1" else letters
            if name == "Dyck-1" and len(letters) > 3:
                continue
            row(table, name, program, alphabet, longest, "float32", count)
    machine(table, longest)
    print(table)
    table = Table(*COLUMNS, "write", "proof", title="bfloat16")
    for name, (program, length) in BFLOAT16.items():
        row(table, name, program, "abc", length, "bfloat16", count)
    print(table)
    table = Table("program", "letters", "length", "layers", "parameters", "float32", "bfloat16", "torchwright", "there")
    for name, (program, letters, length, theirs, answered) in PEER.items():
        peer(table, name, program, letters, length, (theirs, answered))
    print(table)


def peer(table: Table, name: str, program: Any, letters: str, length: int, theirs: tuple[str, str]) -> None:
    """One program beside the other compiler."""
    shared: dict[str, Any] = {"alphabet": letters, "max_length": length, "causal": True, "certify": False}
    known = capax.compile(program, dtype="float64", **shared).model
    cells, sizes = [], ("", "")
    for dtype in ("float32", "bfloat16"):
        try:
            llama = written(capax.compile(program, dtype=dtype, **shared).model)
        except capax.CapaxError as error:
            cells.append(f"refused ({error.code})")
            continue
        errors, tried, _ = wrong(llama.runner, known, program, letters, length, 40)
        cells.append(f"{errors} of {tried:,} wrong, proved to {llama.proved}")
        sizes = sizes if sizes[0] else (str(llama.config["num_hidden_layers"]), f"{llama.parameters:,}")
    table.add_row(name, len(letters), length, *sizes, *cells, *theirs)


if __name__ == "__main__":
    main()
