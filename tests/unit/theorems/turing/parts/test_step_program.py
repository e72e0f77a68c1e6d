"""The next step of a machine as a causal program: the machine's own steps, and a model that is certified."""

import pytest

import capax
from capax.formal.turing.machine import run, steps
from capax.theorems.turing.parts.examples import machine_of, words_of
from capax.theorems.turing.parts.step_program import StepTokens, step_program


def chain_of(known: StepTokens, word: tuple[str, ...], most: int) -> list[str]:
    """The tokens of a machine on a word, from the machine itself; they end with the halt, or where it leaves."""
    tokens = known.named.prompt(word)
    for step in steps(known.machine, word):
        cell = step.cell + step.action.move
        if len(tokens) > most:
            return tokens
        if abs(cell) > known.cells:
            return [*tokens, known.named.far]
        tokens.append(f"{known.named.action_tokens[step.action]}@{cell}")
    return [*tokens, known.named.halt]


@pytest.mark.parametrize("name", ["increment", "palindrome", "bb3", "copy"])
def test_the_program_takes_the_steps_of_the_machine(name: str) -> None:
    """Each token from those before it, up to the halt, or up to the step that leaves the cells."""
    machine = machine_of(name, 1, 2, 0)
    known = StepTokens(machine, cells=5)
    program, ends = step_program(machine, cells=5, longest=64), set()
    for word in words_of(name, machine, seed=0):
        chain = chain_of(known, word, most=60)
        told = list(program(chain[:-1]))
        assert told[len(word) :] == chain[len(word) + 1 :], word
        ends.add(chain[-1])
    assert known.named.halt in ends or known.named.far in ends


def test_it_is_certified_and_generates_what_the_machine_leaves_on_its_tape() -> None:
    """All words of 24 tokens; the chain of 1011, and what follows a step too far."""
    machine = machine_of("increment", 1, 2, 0)
    known = StepTokens(machine, cells=6)
    program = step_program(machine, cells=6, longest=24)
    compiled = capax.compile(program, alphabet=known.alphabet, max_length=24, words=20, causal=True)
    assert compiled.certified_length == 24
    prompt = known.named.prompt("1011")
    generated = compiled.model.generate(prompt, 12, stop=known.named.halt)
    assert generated[-1] == known.named.halt
    assert len(generated) == run(machine, "1011", 100).steps + 1
    assert prompt + generated == chain_of(known, tuple("1011"), 60)
    assert compiled.model.generate([*prompt, known.named.far], 2) == [known.named.far] * 2
