"""The playground as files, in a browser: from the disk as one file, and from a plain file server."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from capax.app.site.build import write_site
from capax.errors import CapaxError
from tests.browser.chromium import FLAGS, browser

pytestmark = pytest.mark.xdist_group("playground")  # one browser at a time


@contextmanager
def opened(address: str) -> Iterator[Any]:
    """A browser at an address, once the page has said that it is ready."""
    webdriver = pytest.importorskip("selenium.webdriver")
    driver_path = shutil.which("chromedriver")
    if driver_path is None:
        pytest.skip("no chromedriver on this machine (apt-get install chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
    try:
        driver.get(address)
        wait(lambda: driver.execute_script("return document.body.dataset.ready"))
        yield driver
    finally:
        driver.quit()


def wait(done: Any, seconds: float = 120.0) -> None:
    """Until something is true."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site, and the same as one file; skipped where npm cannot fetch Pyodide."""
    browser()
    path = tmp_path_factory.mktemp("site")
    try:
        write_site(str(path / "files"))
        write_site(str(path / "one.html"), single_file=True)
    except CapaxError as error:
        pytest.skip(error.what)
    return path


class Quiet(SimpleHTTPRequestHandler):
    """A file server that says nothing."""

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A plain file server on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder / "files")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_folder_on_a_file_server(address: str) -> None:
    """A program is typed and its value shown; a puzzle is solved, and stays solved; no other host is asked."""
    with opened(f"{address}/index.html") as driver:
        text = driver.find_element("id", "text")
        assert driver.find_element("id", "answer").text == "reverse = o l l e h"
        assert driver.find_elements("css selector", "#picture svg rect")
        text.clear()
        text.send_keys("big = indices + 10;")
        wait(lambda: driver.find_element("id", "answer").text == "big = 10 11 12 13 14")
        text.send_keys("(")
        wait(lambda: "error" in driver.find_element("id", "problem").text)
        assert driver.find_element("id", "answer").text == "big = 10 11 12 13 14", "the last good result stays"
        driver.find_element("id", "tab-puzzles").click()
        text.clear()
        text.send_keys('answer = indicator(tokens in ["a", "e", "i", "o", "u"]);')
        driver.find_element("id", "mark").click()
        wait(lambda: driver.find_element("id", "verdict").text.startswith("Solved"))
        asked = driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert asked
        assert all(name.startswith(address) for name in asked)
        driver.refresh()
        wait(lambda: driver.execute_script("return document.body.dataset.ready"))
        assert driver.find_element("id", "solved").text.startswith("1/")


def test_one_file_from_the_disk(folder: Path) -> None:
    """At most 12 MB; it opens by its path alone, and a link carries a program."""
    page = folder / "one.html"
    assert page.stat().st_size <= 12_000_000
    with opened(f"{page.as_uri()}#text=size%20%3D%20length%3B&word=abcd") as driver:
        assert driver.find_element("id", "answer").text == "size = 4 4 4 4"
        assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
