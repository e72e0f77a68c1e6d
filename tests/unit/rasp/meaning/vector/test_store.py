"""The columns of an evaluation are gone when it is."""

import gc
import weakref

import pytest

import capax
from capax.rasp.meaning.fast import FastRun


@pytest.mark.parametrize("word", ["abc", ["a", "b"]])
def test_arrays_are_freed_at_once(word: object) -> None:
    """Without waiting for the garbage collector: on long words they are hundreds of megabytes."""
    gc.disable()
    try:
        run = FastRun([word])  # type: ignore[list-item]
        run.run([capax.library.dyck2_ptf.node], keep=True)
        assert run.store.columns
        gone = weakref.ref(run.store)
        del run
        assert gone() is None
    finally:
        gc.enable()
