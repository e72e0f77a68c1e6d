"""A decoder beside its machine: every token of the chain of thought is compared with the machine's step.

Besides, which earlier tokens the heads look at, from a run with all its weights.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.turing.machine import TuringMachine, TuringRun, TuringStep, run, steps
from capax.model.model import Model
from capax.model.run.cache import MakeStore
from capax.model.run.generate import stream
from capax.model.run.lookup.key_store import lookup_store
from capax.report import Evidence, Report
from capax.theorems.turing.parts.tokens import ChainTokens

MOST_STEPS: Final = 20_000
"""A proof goes on to longer words while it has taken fewer steps than about so many."""

LONGEST: Final = 60
"""A proof is about words of at most so many letters."""

REPORT_EVERY: Final = 10_000
"""A long run reports its progress every so often."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What a machine and its decoder did on a word: the tokens of both up to the first that differ.

    `right` is the machine's token at the position where the decoder's last token is another one; None if all are the
    same.
    """

    word: tuple[str, ...]
    tokens: tuple[str, ...]
    right: str | None
    run: TuringRun

    @property
    def agrees(self) -> bool:
        """Whether every token is the machine's."""
        return self.right is None

    @property
    def steps(self) -> int:
        """The number of steps that agree."""
        return self.run.steps if self.right is None else len(self.tokens) - 1


def follow(
    model: Model,
    machine: TuringMachine,
    word: Sequence[str],
    most: int,
    *,
    make_store: MakeStore = lookup_store,
    tell: Callable[[int], None] | None = None,
) -> Followed:
    """The machine and its decoder step by step, up to `most` steps or the halt; stops at the first difference.

    A word that is too long is refused, and so is a step at which the head has left the cells for which the model was
    made: there the model itself has to generate `<far>`. `tell` gets the number of steps now and then.
    """
    tokens = ChainTokens(machine)
    prompt = tokens.prompt(machine.read(word))
    check_room(model, len(word), most)
    cells = cells_of(model)
    generated: list[str] = []
    chain = stream(model, prompt, stop=tokens.halt, make_store=make_store)
    for right, cell in _machine_tokens(tokens, machine, word, most):
        if abs(cell) > cells:
            right = tokens.far
        got = str(next(chain))
        if got == right == tokens.far:
            raise left_cells(model, cell, len(generated))
        generated.append(got)
        if tell is not None and len(generated) % REPORT_EVERY == 0:
            tell(len(generated))
        if got != right:
            return Followed(tuple(word), tuple(generated), right, run(machine, word, len(generated) - 1))
    return Followed(tuple(word), tuple(generated), None, run(machine, word, most))


def cells_of(model: Model) -> int:
    """The greatest cell, left and right of the first, that the decoder of a machine tells apart."""
    if model.provenance.turing is None:
        raise CapaxError("bad-machine", "the model is not the decoder of a machine", hint="`capax tm FILE -o MODEL`")
    return model.provenance.turing.cells


def check_room(model: Model, letters: int, most: int) -> None:
    """Refuses a word and a number of steps that are more than a decoder was made for."""
    cells = cells_of(model)
    assert model.max_length is not None, "decoders of machines have limits"
    if letters > cells:
        raise CapaxError(
            "word-length",
            f"the word has {letters:,} letters; in {model.numbers} the decoder tells {cells:,} cells apart",
            hint="give a shorter word, or make a decoder in float64",
        )
    if letters + 1 + most > model.max_length + 1:
        raise CapaxError(
            "word-length",
            f"{most:,} steps on {letters:,} letters are more than the {model.max_length + 1:,} positions for which the "
            f"decoder is exact in {model.numbers}",
            hint=f"ask for at most {max(0, model.max_length - letters):,} steps, or make a decoder for more",
        )


def left_cells(model: Model, cell: int, step: int) -> CapaxError:
    """The error of a machine whose head leaves the cells that its decoder tells apart."""
    cells = cells_of(model)
    return CapaxError(
        "word-length",
        f"after {step:,} steps the head is on cell {cell:,}, and the decoder tells cells up to {cells:,} apart in "
        f"{model.numbers}: its answers would be wrong from here on",
        hint="float64 and hard attention have most cells; softmax and hashes have more with fewer steps",
        cell=cell,
        step=step,
    )


def _machine_tokens(
    tokens: ChainTokens, machine: TuringMachine, word: Sequence[str], most: int
) -> Iterator[tuple[str, int]]:
    """The machine's tokens, the last one for its halt, each with the cell (as decoders count) that is read for it."""
    step: TuringStep | None = None
    taken = 0
    for taken, step in enumerate(steps(machine, word), 1):
        if taken > most:
            return
        yield tokens.action_tokens[step.action], step.cell + 1
    if taken < most or taken == 0:
        cell = 1 if step is None else step.cell + step.action.move + 1
        if most:
            yield tokens.halt, cell


def agreement(
    model: Model, machine: TuringMachine, words: Sequence[Sequence[str]], most: int, statement: str, seed: int | None
) -> Report:
    """Whether a decoder takes every step of its machine on words; the first step that it does not take refutes it."""
    evidence: Evidence = "exhaustive" if seed is None else "sampled"
    taken = 0
    for word in words:
        followed = follow(model, machine, word, most)
        taken += followed.steps
        if not followed.agrees:
            wrong = {
                "word": "".join(word),
                "step": len(followed.tokens),
                "decoder": followed.tokens[-1],
                "machine": followed.right,
            }
            return Report(statement, evidence, False, len(words), seed, {"steps that agree": taken}, wrong)
    return Report(statement, evidence, True, len(words), seed, {"steps": taken})


def proved_steps(model: Model, machine: TuringMachine, most: int, least: int) -> ModelProof | None:
    """Whether a decoder takes every step of its machine on all words of up to a length.

    Lengths grow until there are `least` words, or until their runs have had `MOST_STEPS` steps. A machine without
    letters has the empty word alone. None where the head leaves the cells of the decoder.
    """
    count, longest, taken = 0, 0, 0
    for length in range(LONGEST + 1 if machine.input else 1):
        if count >= least or (count and taken * (1 + len(machine.input)) > MOST_STEPS):
            break
        try:
            one = agreement(model, machine, [*product(machine.input, repeat=length)], most, "", None)
        except CapaxError:
            break
        count, longest, taken = count + (one.count or 0), length, taken + int(one.figures.get("steps", 0))
        if not one.holds:
            return ModelProof(
                f"words of up to {length} letters", count, model.numbers, counterexample=one.counterexample
            )
    inputs = f"words of up to {longest} letters" if machine.input else "input, the empty word"
    steps = f"{inputs}, followed for up to {most:,} steps and the halt"
    return ModelProof(steps, count, model.numbers, whole=not machine.input) if count else None


@dataclass(frozen=True, slots=True)
class AttendedToken:
    """What one head sees at a position: the position of the token with all the weight, or None if it is spread."""

    head: str
    position: int | None
    token: str | None


def looks(model: Model, tokens: Sequence[str]) -> list[list[AttendedToken]]:
    """For each position of a chain, the first token included, what each head of the model looks at."""
    ran = model.run(list(tokens), trace=True)
    full = [*map(str, model.prefix), *tokens]
    targets: list[list[AttendedToken]] = [[] for _ in full]
    for number, block in enumerate(model.blocks):
        for at, head in enumerate(block.heads):
            weights = np.asarray(ran[f"blocks.{number}.attn.pattern"])[0, at]
            for position, row in enumerate(weights):
                best = int(row.argmax())
                sharp = bool(row[best] > 0.999)
                targets[position].append(
                    AttendedToken(head.name, best if sharp else None, full[best] if sharp else None)
                )
    return targets
