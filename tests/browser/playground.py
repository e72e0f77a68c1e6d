"""A running playground, and a browser that looks at it."""

import base64
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.chromium import Pixel, driven, pixels

WAIT = 25.0
"""Seconds until something that should appear must have appeared, on a busy machine."""


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of a server that runs as long as this lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "capax", "serve", "--port", str(port), *options]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=tempfile.gettempdir())
        try:
            address = f"http://127.0.0.1:{port}"
            until(lambda: _answers(address) or process.poll() is not None)
            assert process.poll() is None
            yield address
        finally:
            process.terminate()
            process.wait(20)
            log.seek(0)
            text = log.read()
        assert "Traceback" not in text, text


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/api", timeout=5):
            return True
    except OSError:
        return False


def until(true: Callable[[], Any], seconds: float = WAIT, what: str = "it") -> Any:
    """Waits until something is true, and gives it."""
    end = time.monotonic() + seconds
    while True:
        found = true()
        if found or time.monotonic() > end:
            assert found, f"{what} did not happen in time"
            return found
        time.sleep(0.05)


class Eyes:
    """A browser, with the few things that the tests do."""

    def __init__(self, driver: Any, address: str, downloads: Path) -> None:
        self.driver, self.address, self.downloads = driver, address, downloads
        self.heard: list[str] = []

    def open(self, path: str, wait_for: str) -> None:
        """Opens a page afresh and waits until something is on it."""
        self.driver.get("about:blank")
        self.driver.get(path if path.startswith("http") else f"{self.address}/#/{path}")
        until(lambda: self.count(wait_for), what=f"{wait_for} on {path}")

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        """The element that a selector finds, as soon as there is one."""
        return until(lambda: next(iter(self.driver.find_elements("css selector", selector)), None))

    def text(self, selector: str, has: str = "", hasnt: str = "\0") -> str:
        """The text of an element, once it has some, with one thing in it and without another."""

        def now() -> str:
            found = self.run("const e=document.querySelector(arguments[0]);return e?e.innerText.trim():''", selector)
            return found if has in found and hasnt not in found else ""

        return str(until(now))

    def is_pressed(self, selector: str, key: str) -> bool:
        """Presses a key at an element; not where it is just being drawn anew."""
        from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException

        try:
            self.find(selector).send_keys(key)
        except (ElementNotInteractableException, StaleElementReferenceException):
            return False
        return True

    def count(self, selector: str) -> int:
        """How many elements a selector finds."""
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def write(self, text: str, selector: str = ".code textarea") -> None:
        """Types a text into an editor, in place of what is there."""
        part = self.find(selector)
        self.run("arguments[0].focus()", part)  # a click may land on the value of a line
        part.send_keys("\ue009", "a")  # Control
        part.send_keys("\ue017")  # Delete
        part.send_keys(text)

    def picture(self, scale: float) -> list[list[Pixel]]:
        """The pixels of the window, so many times as large."""
        width, height = self.run("return [window.innerWidth,window.innerHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
        return pixels(base64.b64decode(shot["data"]))

    def wide(self) -> tuple[int, int]:
        """The width of the page and of the window."""
        page, window = self.run("return [document.documentElement.scrollWidth,window.innerWidth]")
        return int(page), int(window)

    def requested(self) -> list[str]:
        """The addresses that the browser asked for since the last time."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        sockets = [event["params"]["url"] for event in events if event["method"] == "Network.webSocketCreated"]
        return [one["request"]["url"] for one in sent] + sockets

    def complaints(self) -> list[str]:
        """What the browser's console has as errors since the last time; `heard` has all of them."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.heard += found
        return found


@contextmanager
def looking(address: str, folder: Path, *, dark: bool = False) -> Iterator[Eyes]:
    """A browser window."""
    flags = ("--window-size=1280,1000", f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    with driven(folder, *flags) as driver:
        yield Eyes(driver, address, folder)
