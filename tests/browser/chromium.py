"""A headless Chromium: pictures of pages, and pages after their scripts have run."""

import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

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
