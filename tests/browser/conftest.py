"""One browser for the tests that open files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Window, driven


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """A window of a browser that stays open until the last test is done."""
    with driven(Path(tmp_path_factory.mktemp("browser"))) as driver:
        yield Window(driver)
