"""Catalogues of tasks and theorems."""

import pytest

from capax import CapaxError, tasks, theorems


def test_an_unknown_name_is_refused() -> None:
    """Of a theorem and of a task."""
    for find, code in ((theorems.theorem, "unknown-theorem"), (tasks.task, "unknown-task")):
        with pytest.raises(CapaxError) as raised:
            find("frame")
        assert raised.value.code == code
