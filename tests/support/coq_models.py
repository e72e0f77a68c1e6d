"""Programs and compiled models from the text of one s-op."""

import capax
from capax import Model
from capax.rasp.python.program import Program
from capax.rasp.text.module import stored_program

REVERSE = "aggregate(select(indices, length - indices - 1, ==), tokens)"
HISTOGRAM = "selector_width(select(tokens, tokens, ==))"


def program(text: str) -> Program:
    """The s-op of a text, whose strings may have single quotes."""
    return stored_program(f"answer = {text};\n".replace("'", '"'))


def compiled(text: str, alphabet: str = "abc", length: int = 4) -> Model:
    """Its model; few words are tried, as the proofs are about all."""
    return capax.compile(program(text), alphabet=alphabet, max_length=length, words=5).model
