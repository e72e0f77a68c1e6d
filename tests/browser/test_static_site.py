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

from capax.app.site import answers
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
        driver.set_script_timeout(120)  # Python starts in the page, on a busy machine
        driver.get(address)
        wait(lambda: driver.execute_script("return document.body.dataset.ready"))
        yield driver
    finally:
        driver.quit()


SLOWER = 8
"""How much slower than a free one a machine may be that runs the tests."""
EDIT = """
const done = arguments[0], area = document.querySelector('.code textarea'), answer = document.querySelector('.answer');
const start = performance.now();
new MutationObserver(() => done((performance.now() - start) / 1000)).observe(answer, { childList: true });
area.value = 'small = indices + 1;'; area.dispatchEvent(new Event('input'));
"""
"""Seconds from an edit to its answer."""
SLIDE = "const s = document.querySelector('#p-heads'); s.value = 3; s.dispatchEvent(new Event('input'))"


def text(driver: Any, selector: str) -> str:
    """What an element says; nothing while there is none."""
    script = "return document.querySelector(arguments[0])?.innerText ?? ''"
    return str(driver.execute_script(script, selector))


def wait(done: Any, seconds: float = 120.0) -> Any:
    """What is true in the end."""
    end = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    """Changes that last as long as the tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch_module: pytest.MonkeyPatch) -> Path:
    """A folder with the site, and the same as one file; skipped where npm cannot fetch Pyodide."""
    browser()
    path = tmp_path_factory.mktemp("site")
    few = [one for one in answers.requests() if one[0] == "evaluate" or one[1].get("name") == "majority"]
    monkeypatch_module.setattr(answers, "requests", lambda: iter(few))
    try:
        write_site(str(path / "files"))
        write_site(str(path / "one.html"), single_file=True)
    except CapaxError as error:
        if "npm" not in error.what:
            raise
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
    with opened(f"{address}/index.html#/build") as driver:
        assert wait(lambda: text(driver, ".answer")).split()[:2] == ["reverse", "="]
        assert driver.find_elements("css selector", "svg.grid path")
        wait(lambda: "certified" in text(driver, ".verdict-line"))
        area = driver.find_element("css selector", ".code textarea")
        area.clear()
        area.send_keys("big = indices + 10;")
        wait(lambda: text(driver, ".answer").split() == ["big", "=", "10", "11", "12", "13", "14"])
        area.send_keys("(")
        wait(lambda: "line 1" in text(driver, ".problems"))
        assert text(driver, ".answer").startswith("big"), "the last good result stays"
        took = driver.execute_async_script(EDIT)
        assert took < 0.5 * SLOWER, took
        area.clear()
        area.send_keys("repeat 2 { state a = indices; a = a + 1; }")
        wait(lambda: text(driver, ".answer").split() == ["a", "=", "2", "3", "4", "5", "6"])
        asked = driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert asked
        assert all(name.startswith((address, "data:")) for name in asked)
        driver.get(f"{address}/index.html#/puzzle?name=vowels")
        area = wait(lambda: driver.find_elements("css selector", ".code textarea"))[0]
        area.clear()
        area.send_keys('answer = indicator(tokens in ["a", "e", "i", "o", "u"]);')
        wait(lambda: "Solved" in text(driver, ".verdict"))
        driver.get(f"{address}/index.html#/learn")
        driver.refresh()
        wait(lambda: "vowels" in text(driver, ".puzzle.solved"))


TYPE = """
const word = document.querySelector('.input-row input');
word.value = arguments[0]; word.dispatchEvent(new Event('input'));
"""


def test_compiled_models_run_in_the_page(address: str) -> None:
    """A word of the reader goes through the weights, by onnxruntime-web; other letters and lengths are refused."""
    with opened(f"{address}/index.html#/build") as driver:
        wait(lambda: "onnxruntime-web" in text(driver, ".compiled-details"))
        for word, answer in (("zebra", "arbez"), ("q", "q")):
            driver.execute_script(TYPE, word)
            wait(lambda answer=answer: text(driver, ".compared .answer").split() == list(answer))
            assert "as the interpreter does" in text(driver, ".compared")
        driver.execute_script("document.querySelector('.segments [data-key=weights]').click()")
        driver.execute_script(TYPE, "stone")
        wait(lambda: text(driver, ".compared .answer").split() == list("enots"))
        drawn = driver.execute_script(
            "return [...document.querySelectorAll('svg.grid .token')].map(t => t.textContent)"
        )
        assert drawn[:5] == list("stone")
        driver.execute_script(TYPE, "no!")
        wait(lambda: "capax serve" in text(driver, ".compiled-details"))
        wait(lambda: "is not among them" in text(driver, ".verdict-line"))
        asked = driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert any("onnxruntime" in name for name in asked)
        assert all(name.startswith((address, "data:", "blob:")) for name in asked)


def test_calculators_without_a_server(address: str) -> None:
    """A limit moves with its slider; a theorem has its first sizes, and says where the others are."""
    with opened(f"{address}/index.html#/cannot?name=composition") as driver:
        first = wait(lambda: text(driver, ".verdict-text"))
        driver.execute_script(SLIDE)
        wait(lambda: text(driver, ".verdict-text") not in ("", first))
        driver.get(f"{address}/index.html#/can?name=majority")
        wait(lambda: "It holds" in text(driver, ".headline") and driver.find_elements("css selector", "svg.grid"))
        assert not driver.find_elements("css selector", "section[aria-label=Sizes] input"), (
            "nothing that would need a server"
        )
        driver.execute_script("[...document.querySelectorAll('main button')].at(-1).click()")
        wait(lambda: "it breaks" in text(driver, "main"))
        driver.get(f"{address}/index.html#/class")
        wait(lambda: "capax serve --class" in text(driver, "main"))
        driver.get(f"{address}/index.html#/languages?form=regex&lang=(ab)*ab&word=")
        wait(lambda: "capax serve" in text(driver, ".problem"))


def test_one_file_from_the_disk(folder: Path) -> None:
    """At most 12 MB; it opens by its path alone, and a link carries a program."""
    page = folder / "one.html"
    assert page.stat().st_size <= 12_000_000
    with opened(f"{page.as_uri()}#/build?text=size%20%3D%20length%3B&word=abcd") as driver:
        wait(lambda: text(driver, ".answer").split() == ["size", "=", "4", "4", "4", "4"])
        driver.get(f"{page.as_uri()}#/build?example=histogram")
        driver.refresh()
        wait(lambda: "certified" in text(driver, ".verdict-line"))
        driver.execute_script(TYPE, "anna")
        wait(lambda: "no room for the runtime" in text(driver, ".compiled-details"))
        asked = driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert [name for name in asked if not name.startswith(("data:", "blob:"))] == []
