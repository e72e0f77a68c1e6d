"""The playground in a real browser: type, see, break, compile, download, share, solve; light, dark and narrow."""

import json
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.chromium import browser
from tests.browser.playground import Eyes, looking, serving, until

pytest.importorskip("nicegui", reason="the playground needs the extra `web`")
pytestmark = pytest.mark.xdist_group("playground")  # one server and one browser, with `--dist loadgroup`

PAGES = {
    "/": ".cx-results",
    "/puzzles": ".cx-verdict .cx-chips",
    "/recognise": ".cx-recognised",
    "/theorems": ".cx-built .cx-chips",
    "/limits": ".cx-said .cx-chips",
    "/audit": ".cx-summary .cx-chips",
    "/machine": ".cx-step",
    "/atlas": ".cx-lattice svg",
    "/lab": "iframe",
}


@pytest.fixture(scope="module")
def eyes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyes]:
    """One server and one window for all tests of a process; without a browser they are skipped."""
    browser()
    folder = tmp_path_factory.mktemp("downloads")
    report = folder / "report.html"
    report.write_text("<!doctype html><title>r</title><h1>What was learned</h1>")
    with serving("--report", str(report)) as address, looking(address, folder) as found:
        yield found
        found.complaints()
        assert [one for one in found.heard if "Content Security Policy" in one or "Error:" in one] == []


def test_type_break_and_repair(eyes: Eyes) -> None:
    """A program that is typed shows its values, cost and picture; a broken one is underlined, and the rest stays."""
    eyes.open("/", ".cx-results")
    eyes.write("same = select(tokens, tokens, ==);\nhist = selector_width(same);")
    assert "hist" in eyes.text(".cx-results", has="hist")
    assert "1 layer" in eyes.text(".cx-costs", has="counts")
    until(lambda: eyes.run("return document.querySelector('.cx-flow svg title').textContent") == "hist")
    assert eyes.count(".cx-flow .capax-view svg rect") > 5
    assert eyes.count(".cx-editor .rk") >= 3
    eyes.find(".cm-content").send_keys("\nbad = agregate(same, tokens);")
    assert "agregate" in eyes.text(".cx-findings", has="not defined")
    assert eyes.text(".rasp-error") == "agregate"
    assert eyes.count(".cx-results.cx-old") == 1
    eyes.write("again = indices;")
    eyes.text(".cx-results", has="again")
    until(lambda: not eyes.count(".rasp-error") and not eyes.count(".cx-old"))


def test_answers_do_not_undo_what_is_typed(eyes: Eyes) -> None:
    """Answers that come while somebody types leave the text alone."""
    eyes.open("/", ".cx-results")
    eyes.write("")
    words = [f"name_{i} = indices + {i}; " for i in range(12)]
    for word in words:
        eyes.find(".cm-content").send_keys(word)
        time.sleep(0.15 + 0.03 * (len(word) % 5))
    eyes.text(".cx-results", has="name_11")
    assert eyes.run("return document.querySelector('.cm-content').innerText.trim()") == "".join(words).strip()


def test_completion(eyes: Eyes) -> None:
    """Names are completed, with what they mean."""
    eyes.open("/", ".cx-results")
    eyes.write("w = selector_wi")
    assert "selector_width" in eyes.text(".cm-tooltip-autocomplete", has="selector_width")
    eyes.find(".cm-content").send_keys("\ue00c")  # Escape


def test_compile_and_download(eyes: Eyes) -> None:
    """Weights with a certificate, drawn, and as a file that capax reads."""
    from capax import load_model

    eyes.open("/", ".cx-results")
    eyes.find(".cx-compile").click()
    assert "certified" in eyes.text(".cx-compiled", has="certified")
    assert "Attention of the weights" in eyes.text(".cx-weights", has="layer 2")
    eyes.find(".cx-download").click()
    file = eyes.downloads / "model.safetensors"
    until(file.exists)
    assert load_model(file)("hello") == list("olleh")


@pytest.mark.parametrize(("target", "package"), [("torch", "torch"), ("onnx", "onnxruntime")])
def test_download_for_another_tool(eyes: Eyes, target: str, package: str) -> None:
    """The archive of an export comes through the page, and the tool reads what is in it."""
    pytest.importorskip(package)
    eyes.open("/", ".cx-results")
    eyes.find(".cx-compile").click()
    eyes.find(f".cx-download-{target}").click()
    file = eyes.downloads / f"model-{target}.zip"
    until(file.exists, 90)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert all(name.startswith(f"model-{target}/") for name in names)
    assert any(name.endswith({"torch": ".safetensors", "onnx": ".onnx"}[target]) for name in names), names


def test_a_recogniser_to_take_away(eyes: Eyes) -> None:
    """The model of a language, as a file that capax reads; a language without one offers none."""
    from capax import load_model

    eyes.open("/recognise?form=regex&lang=(ab)*&word=abab", ".cx-recognised h1")
    (eyes.downloads / "model.safetensors").unlink(missing_ok=True)
    eyes.find(".cx-download").click()
    file = eyes.downloads / "model.safetensors"
    until(file.exists)
    assert load_model(file).size.attention_layers > 0
    eyes.open("/recognise?form=language&lang=palindrome", ".cx-recognised h1")
    assert eyes.count(".cx-download") == 0


def test_a_limit_that_measures(eyes: Eyes, tmp_path: Path) -> None:
    """PARITY's sensitivity, on the model of a theorem and on a file."""
    import capax
    from capax import aggregate, full_s, tokens

    eyes.open("/limits?name=parity-sensitivity&longest=32", ".cx-said .cx-chips")
    assert "as the bound says" in eyes.text(".cx-said", has="slope of the logarithms")
    eyes.open("/limits?name=parity-sensitivity&longest=16&model=majority", ".cx-said .cx-chips")
    eyes.text(".cx-said", has="n^-1.00")
    ones = aggregate(full_s, capax.indicator(tokens == "1")) > 0.5
    capax.compile(ones, alphabet="01", max_length=16).model.save(tmp_path / "ones.safetensors")
    eyes.choose(".cx-measured", "a file of yours")
    eyes.find(".cx-upload input[type=file]").send_keys(str(tmp_path / "ones.safetensors"))
    eyes.text(".cx-said", has="does not fall with n")


def test_an_audit(eyes: Eyes, tmp_path: Path) -> None:
    """A trained model with the word that it gets wrong; files of one's own; a pickle is refused."""
    from capax.app.web.examples import EXAMPLES

    eyes.open("/audit?model=contains-11&against=regex:.*11.*&length=6", ".cx-summary h1")
    assert "wrong at 00110" in eyes.text(".cx-summary h1")
    assert "the model answers False" in eyes.text(".cx-wrong")
    assert eyes.count(".cx-attention .capax-view svg rect") > 5
    widths = "return [...document.querySelectorAll('.cx-wide svg, .cx-narrow svg')].map(e => e.clientWidth)"
    assert eyes.run(widths)[1] == 0 < eyes.run(widths)[0]  # the plot for telephones is not shown here
    eyes.choose(".cx-checkpoint", "files of yours")
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
    eyes.find(".cx-upload input[type=file]").send_keys(str(tmp_path / "pytorch_model.bin"))
    assert "save_pretrained" in eyes.text(".cx-error", has="is a pickle")
    eyes.find(".cx-upload input[type=file]").send_keys(str(EXAMPLES["majority"].path))
    eyes.text(".cx-brought", has="majority.safetensors")
    eyes.find(".cx-audit").click()
    assert "wrong" in eyes.text(".cx-summary", has="majority.safetensors")


def test_a_shared_link(eyes: Eyes) -> None:
    """The link in the address bar brings the program and the input back."""
    eyes.open("/", ".cx-results")
    eyes.write("shared_name = indices + 40;")
    eyes.text(".cx-results", has="shared_name")
    until(lambda: "code=" in eyes.driver.current_url)
    link = until(lambda: eyes.driver.current_url)
    eyes.open("/recognise", ".cx-recognised")
    eyes.open(link, ".cx-results")
    assert "44" in eyes.text(".cx-results", has="shared_name")


def test_a_puzzle(eyes: Eyes) -> None:
    """A wrong answer shows where it is wrong, and the right one within the budget solves it."""
    eyes.open("/puzzles?puzzle=reverse", ".cx-verdict .cx-chips")
    assert "not yet" in eyes.text(".cx-verdict", has="not yet")
    eyes.write("answer = aggregate(select(indices, length - 1 - indices, ==), tokens);")
    assert "right on" in eyes.text(".cx-verdict", has="solved")
    assert "Next: " in eyes.text(".cx-verdict", has="Next")
    eyes.open("/puzzles?puzzle=even", ".cx-verdict .cx-chips")
    assert eyes.find(".cx-solved").get_attribute("data-puzzle") == "reverse", "the browser keeps it"


def test_the_other_tabs(eyes: Eyes) -> None:
    """Each tab works: verdicts, sliders, prompts that fool, steps, classes."""
    eyes.open("/recognise?form=language&lang=parity&word=101", ".cx-recognised")
    assert "two layers of softmax" in eyes.text(".cx-recognised", has="two layers of softmax")
    eyes.open("/theorems?name=majority&length=30", ".cx-built .cx-chips")
    assert "holds" in eyes.text(".cx-built", has="holds")
    eyes.open("/limits?n=50000", ".cx-said .cx-chips")
    assert "wrong" in eyes.text(".cx-said", has="100,001 tokens")
    eyes.find(".cx-fool").click()
    assert "right is" in eyes.text(".cx-fooled", has="the model says")
    eyes.open("/machine", ".cx-step")
    eyes.find(".cx-on").click()
    assert "step 2" in eyes.text(".cx-step", has="step 2")
    eyes.open("/atlas?language=PARITY&attention=leftmost-hard", ".cx-answer")
    assert "PARITY: no" in eyes.text(".cx-answer", has="no")
    eyes.find(".cx-lattice svg")
    eyes.run("[...document.querySelectorAll('.cx-lattice text.name')].find(t=>t.textContent==='TC0')"
             ".dispatchEvent(new MouseEvent('click',{bubbles:true}))")  # fmt: skip
    assert "recognise all of it" in eyes.text(".cx-class", has="TC0")


def test_every_page_stays_at_home(eyes: Eyes) -> None:
    """No page asks for anything elsewhere, complains in the console, or is wider than a phone, nor is a table on it."""
    eyes.requested()
    eyes.complaints()
    wider = "return [...document.querySelectorAll('.cx-plain')].filter(t=>t.scrollWidth>t.parentElement.clientWidth)"
    phone = {"width": 375, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    eyes.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    for path, part in PAGES.items():
        eyes.driver.get(eyes.address + path)
        eyes.find(part)
        page, window = eyes.wide()
        assert page <= window, path
        assert eyes.run(f"{wider}.length") == 0, path
    eyes.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    asked = eyes.requested()
    assert len(asked) > 20
    home = urlsplit(eyes.address).netloc
    assert [url for url in asked if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != home] == []
    assert eyes.complaints() == []


def test_no_text_becomes_code(eyes: Eyes) -> None:
    """A script that got into a page would not run: neither one that is made there, nor an attribute, nor a text."""
    eyes.open("/", ".cx-results")
    eyes.run(
        "const s=document.createElement('script');s.textContent='window.ran=1';document.body.append(s);"
        "const b=document.createElement('button');b.setAttribute('onclick','window.ran=2');b.click();"
        "setTimeout('window.ran=3');"
        "setTimeout(()=>{try{(0,eval)('window.ran=4')}catch(e){window.refused=e.name}})"  # the driver itself may
    )
    assert until(lambda: eyes.run("return window.refused||window.ran")) == "EvalError"
    assert eyes.run("return window.ran") is None
    refused = [entry["message"] for entry in eyes.driver.get_log("browser")]
    assert sum("Content Security Policy" in one for one in refused) >= 3, refused


def test_the_keyboard_and_the_colours(eyes: Eyes) -> None:
    """Alt and a number goes to a tab; the switch makes the page dark, and it stays dark."""
    eyes.open("/", ".cx-results")
    eyes.run("document.dispatchEvent(new KeyboardEvent('keydown',{key:'5',altKey:true,bubbles:true}))")
    until(lambda: urlsplit(eyes.driver.current_url).path == "/limits")
    eyes.text(".cx-said .cx-chips")
    for shown in ("light", "dark"):
        eyes.find(".cx-theme").click()
        eyes.text(".cx-theme", has=shown)
    eyes.open("/lab", "header")
    until(lambda: eyes.run("return getComputedStyle(document.querySelector('iframe')).colorScheme") == "dark")
    eyes.open("/", ".cx-results")
    assert eyes.run("return document.documentElement.classList.contains('cx-night')")
    until(lambda: eyes.run("return document.body.classList.contains('body--dark')"))
    until(lambda: eyes.count(".cx-flow svg"))
    seen = [pixel for row in eyes.picture(scale=0.25) for pixel in row]
    assert sum(max(pixel) < 80 for pixel in seen) > 0.8 * len(seen)
    eyes.find(".cx-theme").click()
    eyes.text(".cx-theme", has="auto")


def _post(address: str, data: bytes, kind: str = "application/json") -> tuple[int, dict[str, object]]:
    try:
        request = urllib.request.Request(address, data, {"content-type": kind})
        with urllib.request.urlopen(request, timeout=30) as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}") if error.code != 413 else {}


def test_the_interface(eyes: Eyes) -> None:
    """Programs ask the same jobs; what makes no sense is refused."""
    asked = json.dumps({"text": "a = indices;", "word": "abc"}).encode()
    status, found = _post(f"{eyes.address}/api/run", asked)
    assert (status, found["result"]["values"]) == (200, [0, 1, 2])  # type: ignore[index]
    assert _post(f"{eyes.address}/api/run", asked, "Application/JSON; charset=utf-8")[0] == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""):
        assert _post(f"{eyes.address}/api/run", asked, kind)[0] == 415
    assert _post(f"{eyes.address}/api/run", b"{")[0] == 400
    assert _post(f"{eyes.address}/api/run", b"[" * 100_000)[0] == 400
    assert _post(f"{eyes.address}/api/export", b"{}")[0] == 404
    assert _post(f"{eyes.address}/api/run", b"{}")[0] == 422
    assert _post(f"{eyes.address}/api/run", b" " * 400_000)[0] == 413
    status, found = _post(f"{eyes.address}/api/run", b'{"text": "a = indices;", "input": "abc"}')
    assert (status, "text, name, word, split" in found["error"]["hint"]) == (422, True)  # type: ignore[index]
    with urllib.request.urlopen(f"{eyes.address}/api", timeout=30) as known:
        told = json.load(known)
    assert told["keys"]["theorem"] == ["name", "given"]
    assert list(told["keys"]) == told["jobs"]


def test_an_address_without_a_page(eyes: Eyes) -> None:
    """It has the tabs and a way on, and nothing of the machinery."""
    eyes.open("/nothing", ".cx-card")
    assert "no page" in eyes.text(".cx-card")
    assert eyes.count(".cx-tabs a") == 9
    assert "HTTPException" not in eyes.text("body")
    eyes.complaints()


def test_a_report_of_the_lab(eyes: Eyes) -> None:
    """The tab Lab shows the file that the server was given, shut off from the page."""
    with urllib.request.urlopen(f"{eyes.address}/lab/report.html") as found:
        assert "What was learned" in found.read().decode()
        assert "sandbox" in found.headers["content-security-policy"]
    eyes.driver.get(f"{eyes.address}/lab")
    eyes.driver.switch_to.frame(eyes.find("iframe"))
    assert eyes.text("h1") == "What was learned"
    eyes.driver.switch_to.default_content()
