"""What a program itself answers on words: what every model of the suite is held against."""

from collections.abc import Sequence

import numpy as np

from capax.errors import CapaxError
from capax.model.circuit.lens_model import LensModel, tokens_of
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Token, token_key
from capax.rasp.meaning.fast import evaluate_batch
from capax.suite.programs.suite_program import CompiledCase


def program_answers(case: CompiledCase, lens: LensModel, words: Sequence[Array]) -> list[Array]:
    """The program's own answers, as numbers of the model's answers; -1 for a value that the model does not have."""
    assert isinstance(lens.decoding, Classes)
    known = {token_key(value): code for code, value in enumerate(lens.decoding.values)}
    node = case.compiled.passes.spec.value
    results = []
    for rows in words:
        outcomes = evaluate_batch(node, [tokens_of(lens, row) for row in rows])
        codes = [
            [-1] if isinstance(o, CapaxError) else [known.get(token_key(_token(v)), -1) for v in o] for o in outcomes
        ]
        results.append(np.array(codes))
    return results


def _token(value: object) -> Token:
    assert isinstance(value, str | int | float)
    return value
