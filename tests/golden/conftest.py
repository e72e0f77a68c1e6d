"""`pytest tests/golden --update-golden` writes the expected files anew; look at the difference before keeping it."""

from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the switch that writes instead of comparing."""
    parser.addoption("--update-golden", action="store_true", help="write the expected output instead of comparing")


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Golden:
    """Holds a text to the one in a file, or writes that file when asked to."""

    def hold(path: Path, text: str) -> None:
        if pytestconfig.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == expected, f"{path.name} differs; pytest tests/golden --update-golden accepts the new text"

    return hold
