"""A headless Chromium: pictures of pages, and pages after their scripts have run."""

import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--force-device-scale-factor=1",
)

Pixel = tuple[int, int, int]
Line = NDArray[np.uint8]


def browser() -> str:
    """The path of the browser; without one the test is skipped, or fails where CAPAX_BROWSER=1 asks for it."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "no chromium on this machine (apt-get install chromium)"
        if os.environ.get("CAPAX_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Window:
    """A window that opens files, in one browser for all tests of a process."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def after(self, page: Path, wide: int = 800, tall: int = 600, *, dark: bool = False) -> str:
        """The page as it stands when its scripts have run, in a window of a size."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        size = {"width": wide, "height": tall, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get(page.resolve().as_uri())
        return str(self.driver.page_source)

    def screenshot(self, page: Path, wide: int, tall: int, *, dark: bool = False) -> list[list[Pixel]]:
        """The pixels of a page in a window of a size, row by row."""
        self.after(page, wide, tall, dark=dark)
        return pixels(self.driver.get_screenshot_as_png())


@contextmanager
def driven(folder: Path, *flags: str) -> Iterator[Any]:
    """A browser that selenium drives; without a driver the test is skipped."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the tests of pages need selenium")
    from selenium.webdriver.chrome.service import Service

    path = shutil.which("chromedriver")
    if path is None:
        pytest.skip("no chromedriver on this machine (apt-get install chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser()
    for flag in (*FLAGS, *flags, f"--user-data-dir={tempfile.mkdtemp(dir=folder)}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(path))
    try:
        yield driver
    finally:
        driver.quit()


def pixels(png: bytes) -> list[list[Pixel]]:
    """The pixels of a PNG of 8-bit colour."""
    wide, tall, bits, kind = struct.unpack(">IIBB", png[16:26])
    assert (bits, kind in (2, 6)) == (8, True)
    size = 3 if kind == 2 else 4
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    raw, line, rows = zlib.decompress(data), np.zeros((wide, size), np.uint8), []
    for y in range(tall):
        start = y * (wide * size + 1)
        coded = np.frombuffer(raw, np.uint8, wide * size, start + 1).reshape(wide, size)
        line = _unfiltered(raw[start], coded, line)
        rows.append(list(zip(*line.T[:3].tolist(), strict=True)))
    return rows


def _unfiltered(kind: int, coded: Line, above: Line) -> Line:
    """One line of a PNG from its differences: to nothing, to the left, above, to their mean, or to the nearest."""
    match kind:
        case 0:
            return coded
        case 1:
            return np.add.accumulate(coded, axis=0, dtype=np.uint8)
        case 2:
            return coded + above
    if kind == 4 and not coded.any():
        return above
    line, size = bytearray(coded.tobytes()), coded.shape[1]
    higher = above.tobytes()
    for x, b in enumerate(higher):
        a, c = (line[x - size], higher[x - size]) if x >= size else (0, 0)
        if kind == 3:
            guess = (a + b) // 2
        else:
            left, up, corner = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            guess = (a if left <= corner else c) if left <= up else (b if up <= corner else c)
        line[x] = (line[x] + guess) & 255
    return np.frombuffer(line, np.uint8).reshape(above.shape)
