"""A headless Chromium: pictures of pages, and pages after their scripts have run."""

import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--force-device-scale-factor=1",
)

Pixel = tuple[int, int, int]


def browser() -> str:
    """The path of the browser; without one the test is skipped, or fails where CAPAX_BROWSER=1 asks for it."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "no chromium on this machine (apt-get install chromium)"
        if os.environ.get("CAPAX_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def run(page: Path, *options: str) -> str:
    """What the browser prints when it opens a page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser(), *FLAGS, f"--user-data-dir={profile}", *options, page.resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, timeout=120, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def screenshot(page: Path, wide: int, tall: int, *, dark: bool = False) -> list[list[Pixel]]:
    """The pixels of a page in a window of a size, row by row."""
    target = page.with_suffix(".png")
    options = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    run(page, f"--window-size={wide},{tall}", f"--screenshot={target}", *options)
    return pixels(target.read_bytes())


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
    raw, line, rows = zlib.decompress(data), bytearray(wide * size), []
    for y in range(tall):
        start = y * (wide * size + 1)
        line = _unfiltered(raw[start], raw[start + 1 : start + 1 + wide * size], line, size)
        rows.append([(line[x], line[x + 1], line[x + 2]) for x in range(0, wide * size, size)])
    return rows


def _unfiltered(kind: int, coded: bytes, above: bytearray, size: int) -> bytearray:
    """One line of a PNG from its differences."""
    line = bytearray(coded)
    for x in range(len(line)):
        a = line[x - size] if x >= size else 0
        b = above[x]
        c = above[x - size] if x >= size else 0
        match kind:
            case 1:
                guess = a
            case 2:
                guess = b
            case 3:
                guess = (a + b) // 2
            case 4:
                guess = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            case _:
                guess = 0
        line[x] = (line[x] + guess) & 255
    return line
