"""`capax.decompile`: from a model back to a program, with the evidence that it is the right one."""

import os
import time
from collections.abc import Callable
from typing import Any, Final

from capax.app.against_specs.audit import LONGEST, MOST_SECONDS, model_of
from capax.app.against_specs.read_spec import SpecContext
from capax.auditor.question import Read
from capax.decompiler.decompile_model import Subject, decompile_model
from capax.decompiler.decompiled import Decompiled
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Token

MOST_FIT: Final = 64


def decompile(
    model: Model | str | os.PathLike[str] | Any,
    *,
    fit: int | None = None,
    max_length: int | None = None,
    seconds: float = 60.0,
    read: Read | None = None,
    alphabet: Any = None,
    end: Token | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.perf_counter,
) -> Decompiled:
    """A program with the answers of a model, or why none was found; what is proved of it, and what each part does.

    A model whose heads attend evenly to some keys, as compiled ones do, is read head by head. One that answers at the
    last letter is otherwise learned from its answers. Words of up to `fit` letters are looked at (8 for heads, 12 for
    answers). The program is run against the model on longer words, then audited up to `max_length` letters.
    All of it takes about `seconds` of the `clock`, which is that on the wall.

    >>> import capax
    >>> model = capax.compile(capax.library.hist_nobos, alphabet="ab", max_length=8).model
    >>> print(capax.decompile(model, max_length=4).program.to_text())
    at_1_1 = select(tokens, tokens, ==);
    answer = selector_width(at_1_1);
    <BLANKLINE>
    """
    loaded = model_of(model)
    if not 0 < seconds <= MOST_SECONDS:
        raise CapaxError("bad-option", f"seconds is a number up to {MOST_SECONDS:,}, not {seconds:g}")
    if fit is not None and not 2 <= fit <= MOST_FIT:
        raise CapaxError("bad-option", f"words of 2 to {MOST_FIT} letters are looked at, not {fit}", hint="--fit 8")
    if max_length is not None and max_length < 1:
        raise CapaxError("word-length", f"there are no words of up to {max_length} letters", hint="--max-length 20")
    if loaded.min_length > 1:
        what = f"short words are looked at, and the model needs at least {loaded.min_length} tokens"
        raise CapaxError("word-length", what, hint="compile or train it for words of any length")
    where = read or _recorded(loaded) or "each"
    marker = end if end is not None else (loaded.provenance.end_marker if where == "end" else None)
    if where == "end" and marker is None:
        raise CapaxError("bad-option", "the answer is read at an end marker, but no marker is named", hint="--end '$'")
    letters = SpecContext(loaded, None if alphabet is None else tuple(alphabet), LONGEST, marker).letters()
    subject = Subject(loaded, letters, where, marker, seed)
    longest = subject.longest
    if max_length is not None and longest is not None and max_length > longest:
        what = f"words of {max_length} letters are too long for the model, which reads at most {longest}"
        raise CapaxError("word-length", what, hint=f"--max-length {longest}")
    started = clock()

    def lengths(fitted: int) -> range:
        most = max_length if max_length is not None else (LONGEST if where != "each" else fitted)
        return range(max(1, loaded.min_length), (most if longest is None else min(most, longest)) + 1)

    return decompile_model(
        subject, fit=fit, lengths=lengths, used=lambda: (clock() - started) / seconds, seconds=seconds
    )


def _recorded(model: Model) -> Read | None:
    recorded = model.provenance.read
    return recorded if recorded in ("last", "end") else None  # type: ignore[return-value]
