"""The playground in a real browser: type, see, break, compile, download, share, solve; light, dark and narrow."""

import json
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.browser.axe import axe_script
from tests.browser.chromium import browser
from tests.browser.playground import Eyes, looking, serving, until

pytest.importorskip("uvicorn", reason="the playground needs the extra `web`")
pytestmark = pytest.mark.xdist_group("playground")  # one server and one browser, with `--dist loadgroup`

PAGES = {
    "": "svg.grid",
    "build": ".compiled-details summary",
    "learn": ".puzzle",
    "tour?step=3": "svg.grid",
    "puzzle?name=reverse": ".verdict p",
    "explore": ".card",
    "languages?form=regex&lang=a": ".verdicts li",
    "can": ".shelf a",
    "can?name=majority": ".checks li",
    "cannot": ".shelf a",
    "cannot?name=composition": ".stamp",
    "machines": ".stream svg",
    "audit?length=4": ".headline",
    "experiments": ".report",
    "class": ".board .bars",
    "help": "kbd",
}


@pytest.fixture(scope="module")
def eyes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyes]:
    """One server and one window for all tests of a process; without a browser they are skipped."""
    browser()
    folder = tmp_path_factory.mktemp("downloads")
    report = folder / "report.html"
    report.write_text(
        "<!doctype html><title>r</title><main><h1>What was learned <span class=result>5 of 9</span></h1>"
        "<h2>Reversing <b>as predicted</b></h2><p>by two layers</p></main>"
    )
    with (
        serving("--report", str(report), "--class", "--host", "127.0.0.1") as address,
        looking(address, folder) as found,
    ):
        yield found
        found.complaints()
        assert [one for one in found.heard if "Content Security Policy" in one or "Error:" in one] == []


def test_type_break_and_repair(eyes: Eyes) -> None:
    """Values, cost and picture follow what is typed; a mistake waits for a pause, and the last result stays."""
    eyes.open("build", "svg.grid")
    eyes.write("same = select(tokens, tokens, ==);\nhist = selector_width(same)")
    assert "hist" in eyes.text(".answer", has="hist")
    assert "1 layer" in eyes.text(".costs", has="1 layer")
    assert eyes.count(".copy .value") == 2
    assert eyes.count(".copy .rk") >= 3
    area = eyes.find(".code textarea")
    area.send_keys(";\nbad = agregate(same, tokens);")
    assert eyes.count(".problem") == 0, "it is not shown while one types"
    assert "agregate" in eyes.text(".problems", has="not defined")
    assert eyes.text(".under.error") == "agregate"
    assert "hist" in eyes.text(".answer")
    eyes.write("again = indices;")
    eyes.text(".answer", has="again")
    until(lambda: not eyes.count(".under.error") and not eyes.count(".problem"))


def test_heads_lines_and_rounds(eyes: Eyes) -> None:
    """A head lights its line, and a line its head; a loop has a bar of its rounds, whose values move."""
    eyes.open("build", "svg.grid")
    eyes.text(".verdict-line", has="certified")  # the picture is not drawn anew after that
    eyes.run("document.querySelector('figcaption button').click()")
    assert "flip =" in eyes.text(".line.lit", has="flip")
    eyes.find(".code textarea").send_keys("\ue009\ue010")  # to the end: the line of reverse
    until(lambda: eyes.count(".head.lit"))
    assert eyes.count(".line.lit") == 0
    eyes.write("repeat length { state a = indices; a = aggregate(select(indices, a - 1, ==), a, 0); }")
    assert eyes.text(".rounds", has="before the loop")
    assert "length layers" in eyes.text(".costs", has="length layers")
    eyes.run("const r=document.querySelector('.rounds input');r.value=2;r.dispatchEvent(new Event('input'))")
    assert "round 2 of 5" in eyes.text(".rounds", has="round 2")
    assert eyes.count(".stage svg.grid") == 1


def test_a_link_keeps_its_alphabet(eyes: Eyes) -> None:
    """What was written for the compiler is there again."""
    eyes.open("build?text=a%20%3D%20tokens%3B&word=ab&alphabet=abcde", "svg.grid, .elementwise")
    until(lambda: eyes.count(".costs .chip"))
    assert eyes.run("return document.querySelector('.weights-row input.mono').value") == "abcde"


def test_what_was_chosen_stays(eyes: Eyes) -> None:
    """A new line does not move what is shown; the empty program says what to do, without a word about files."""
    eyes.open("build", "svg.grid")
    eyes.write("a = indices;\nb = a + 1;")
    eyes.text(".which [aria-pressed=true]", has="b")
    eyes.run("[...document.querySelectorAll('.which .pick')].find(b=>b.textContent==='a').click()")
    eyes.text(".which [aria-pressed=true]", has="a")
    eyes.find(".code textarea").send_keys("\nc = a * 2;")
    eyes.text(".which", has="c")
    assert eyes.text(".which [aria-pressed=true]") == "a"
    eyes.write("# nothing yet")
    told = eyes.text(".problems", has="empty")
    assert "program.rasp" not in told


def test_the_picture_fits_and_says_what_is_under_the_pointer(eyes: Eyes) -> None:
    """Arrow keys move over the cells; the readout is beside them, and the grid is inside its pane."""
    eyes.open("build", "svg.grid")
    eyes.text(".verdict-line", has="certified")
    until(lambda: eyes.is_pressed("svg.grid", "\ue015"))  # ArrowDown
    assert "query 0" in eyes.text(".readout", has="query 0")
    grid, pane, told = (
        eyes.run(
            "const r=document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [r.left,r.right,r.bottom,r.top]",
            one,
        )
        for one in ("svg.grid", ".stage", ".readout")
    )
    assert pane[0] <= grid[0] <= grid[1] <= pane[1]
    assert grid[2] <= told[3]
    assert eyes.count(".cross rect") == 3


BAR = "const b=document.querySelector(arguments[0]).getBoundingClientRect();return [b.x+b.width/2,b.y+b.height/2]"
WIDTH = "return document.querySelector('.code-pane').getBoundingClientRect().width/innerWidth"


def test_panes_are_sized(eyes: Eyes) -> None:
    """By the keyboard, the mouse and a finger; the browser keeps the sizes, and Enter sets them back."""
    eyes.open("build", "svg.grid")
    eyes.text(".verdict-line", has="certified")
    first = eyes.run(WIDTH)
    bar = eyes.find(".pane-bar.across")
    bar.send_keys("\ue012\ue012")  # ArrowLeft
    assert eyes.run(WIDTH) == pytest.approx(first - 0.04, abs=0.01)
    for kind in ("mouse", "touch"):
        x, y = eyes.run(BAR, ".pane-bar.across")
        point = {"button": "left", "clickCount": 1} if kind == "mouse" else {}
        for event, at in (("Pressed", x), ("Moved", x + 40), ("Moved", x + 120), ("Released", x + 120)):
            if kind == "mouse":
                eyes.driver.execute_cdp_cmd(
                    "Input.dispatchMouseEvent", {"type": f"mouse{event}", "x": at, "y": y, "buttons": 1, **point}
                )
                continue
            named = {"Pressed": "Start", "Moved": "Move", "Released": "End"}[event]
            points = [] if named == "End" else [{"x": at, "y": y}]
            eyes.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": f"touch{named}", "touchPoints": points})
        assert eyes.run(BAR, ".pane-bar.across")[0] == pytest.approx(x + 120, abs=3), kind
    wide = eyes.run(WIDTH)
    lower = eyes.find(".pane-bar.down")
    lower.send_keys("\ue010")  # End
    assert eyes.run("return document.querySelector('.weights-bar').offsetHeight") > 0.6 * eyes.run(
        "return document.querySelector('.picture-pane').offsetHeight"
    )
    lower.send_keys("\ue007")
    eyes.open("puzzle?name=vowels", ".pane-bar")
    assert eyes.run(WIDTH) == pytest.approx(wide, abs=0.01), "it is kept"
    eyes.find(".pane-bar").send_keys("\ue007")
    assert eyes.run(WIDTH) == pytest.approx(first, abs=0.01)


def test_causal_weights(eyes: Eyes) -> None:
    """Later positions are hidden: the certificate says so, and where that changes the program."""
    eyes.open("build?example=histogram&word=banana", ".compared")
    assert "as the interpreter does" in eyes.text(".compared", has="interpreter")
    eyes.find(".settings [type=checkbox]").click()
    assert "later positions hidden" in eyes.text(".verdict-line", has="hidden")
    told = eyes.text(".compiled-details", has="No position sees a later one")
    assert "the weights give 1 2" in told
    assert "as the interpreter does, of the program with later positions hidden" in told
    assert eyes.text(".compared .answer").split() == list("111223")
    until(lambda: "causal=1" in eyes.driver.current_url)


def test_completion(eyes: Eyes) -> None:
    """Names are completed, with what they mean."""
    eyes.open("build", "svg.grid")
    eyes.write("w = selector_wi")
    assert "selector_width" in eyes.text(".popup", has="selector_width")
    eyes.find(".code textarea").send_keys("\ue004")  # Tab
    assert eyes.run("return document.querySelector('.code textarea').value") == "w = selector_width"


def test_compile_and_download(eyes: Eyes) -> None:
    """The alphabet follows the input; weights with a certificate, drawn, and as a file that capax reads."""
    from capax import load_model

    eyes.open("build?word=banana", "svg.grid")
    assert "certified" in eyes.text(".verdict-line", has="certified")
    assert eyes.run("return document.querySelector('.weights-row input').value") == "abn"
    eyes.find(".segments [data-key=both]").click()
    until(lambda: eyes.count("svg.grid") == 2)
    eyes.find(".downloads button").click()
    file = eyes.downloads / "model.safetensors"
    until(file.exists)
    assert load_model(file)("banana") == list("ananab")


@pytest.mark.parametrize(("target", "package", "at"), [("torch", "torch", 2), ("onnx", "onnxruntime", 3)])
def test_download_for_another_tool(eyes: Eyes, target: str, package: str, at: int) -> None:
    """The archive of an export comes through the page, and the tool reads what is in it."""
    pytest.importorskip(package)
    eyes.open("build", ".downloads")
    eyes.find(f".downloads button:nth-of-type({at})").click()
    file = eyes.downloads / f"model-{target}.zip"
    until(file.exists, 90)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert all(name.startswith(f"model-{target}/") for name in names)
    assert any(name.endswith({"torch": ".safetensors", "onnx": ".onnx"}[target]) for name in names), names


def test_a_recogniser_to_take_away(eyes: Eyes) -> None:
    """The model of a language, as a file that capax reads."""
    from capax import load_model

    (eyes.downloads / "model.safetensors").unlink(missing_ok=True)
    eyes.open("languages?form=regex&lang=(ab)*&word=abab", ".verdicts li")
    until(
        lambda: eyes.run(
            "const b=[...document.querySelectorAll('main button')].find(b=>b.textContent.startsWith('Download'));"
            "b?.click();return !!b"
        )
    )
    file = eyes.downloads / "model.safetensors"
    until(file.exists)
    assert load_model(file)


def test_a_link_holds_the_page(eyes: Eyes) -> None:
    """The address has the program and the input; opened again, it shows the same."""
    eyes.open("build", "svg.grid")
    eyes.write("shared_name = indices + 40;")
    eyes.text(".answer", has="shared_name")
    until(lambda: "code=" in eyes.driver.current_url)
    link = until(lambda: eyes.run("return location.hash.includes('shared_name') && location.href"))
    eyes.open("help", "kbd")
    eyes.open(link, ".answer")
    assert "44" in eyes.text(".answer", has="shared_name")
    eyes.find(".share").click()
    until(lambda: eyes.count("dialog .qr svg"))
    assert eyes.count("dialog input") == 1


def test_a_puzzle_that_wants_numbers(eyes: Eyes) -> None:
    """True and false in their place are no riddle."""
    eyes.open("puzzle?name=vowels", ".verdict .chip")
    eyes.write('answer = tokens in ["a", "e", "i", "o", "u"]')
    assert "indicator" in eyes.text(".verdict", has="true and false")


def test_a_puzzle(eyes: Eyes) -> None:
    """A wrong answer shows where it is wrong, the right one within par solves it; the class counts it."""
    eyes.open("puzzle?name=reverse", ".verdict .chip")
    assert "not yet" in eyes.text(".verdict", has="not yet")
    eyes.write("answer = aggregate(select(indices, length - 1 - indices, ==), tokens);")
    assert "Right on" in eyes.text(".verdict", has="Solved")
    assert "Next: " in eyes.text(".marks", has="Next")
    eyes.open("learn", ".puzzle")
    assert "Backwards" in eyes.text(".puzzle.solved"), "the browser keeps it"
    with urllib.request.urlopen(f"{eyes.address}/class.json", timeout=30) as reply:
        found = json.load(reply)
    assert (found["people"], found["solved"]["reverse"]) == (1, 1)


def test_search(eyes: Eyes) -> None:
    """A slash and a few letters lead to a theorem."""
    eyes.open("help", "kbd")
    eyes.find("body").send_keys("/")
    box = eyes.find("dialog input")
    box.send_keys("majority by one")
    eyes.text(".found", has="MAJORITY by one uniform head")
    box.send_keys("\ue007")
    until(lambda: "can?name=majority" in eyes.driver.current_url)
    assert eyes.count("dialog") == 0


def test_explore(eyes: Eyes) -> None:
    """Verdicts, sliders, prompts that fool, steps, classes."""
    eyes.open("can?name=majority&length=30", ".checks li")
    assert "It holds" in eyes.text(".headline", has="It holds")
    eyes.run("[...document.querySelectorAll('main button')].find(b=>b.textContent==='Break it').click()")
    told = eyes.text("main", has="the model answers")
    assert "{'word'" not in told
    eyes.open("cannot?name=composition&n=50000", ".stamp")
    assert eyes.text(".stamp") == "Impossible"
    until(lambda: eyes.count(".point circle") > 1)
    eyes.run("document.querySelector('.fool-box').open=true")
    eyes.find(".fool").click()
    assert "correct" in eyes.text(".fool-box", has="model output")
    eyes.open("machines", ".stream svg")
    eyes.find(".icon.on").click()
    assert "step 2" in eyes.text(".tape", has="step 2")
    eyes.open("languages?language=PARITY&attention=leftmost-hard&lang=a", ".atlas-answer")
    assert "do not recognise PARITY" in eyes.text(".atlas-answer .headline")
    assert "theorem parity" not in eyes.text(".atlas-answer")
    eyes.find(".lattice [data-class=TC0]").send_keys("\ue007")
    assert "all of it" in eyes.text(".class-answer", has="TC0")


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_finds_nothing(eyes: Eyes, look: str) -> None:
    """On all pages: no rule of axe-core is broken, in light and in dark; each has one main, an h1 and a language."""
    script, found = axe_script(), {}
    media = [{"name": "prefers-color-scheme", "value": look}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    eyes.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    for page, part in PAGES.items():
        eyes.open(page, part)
        until(lambda: not eyes.count(".old,[aria-busy=true]"))
        assert (eyes.count("main"), eyes.count("main h1"), eyes.count("html[lang]")) == (1, 1, 1), page
        eyes.driver.execute_script(script)
        result = eyes.driver.execute_async_script("axe.run(document).then(arguments[0])")
        broken = {one["id"]: one["nodes"][0]["html"][:160] for one in result["violations"]}
        found |= {page: broken} if broken else {}
    eyes.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert found == {}


def test_every_page_stays_at_home_and_on_a_phone(eyes: Eyes) -> None:
    """No page asks for anything elsewhere, complains in the console, or is wider than a phone."""
    eyes.requested()
    eyes.complaints()
    phone = {"width": 375, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    eyes.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    for page, part in PAGES.items():
        eyes.open(page, part)
        assert eyes.run("return document.documentElement.scrollWidth") <= 375, page  # a phone's window grows with it
    eyes.open("build", "svg.grid")
    left, right = eyes.run("const r=document.querySelector('svg.grid').getBoundingClientRect();return [r.left,r.right]")
    assert 0 <= left < right <= 375
    eyes.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    asked = eyes.requested()
    assert len(asked) > 20
    home = urlsplit(eyes.address).netloc
    assert [
        url for url in asked if urlsplit(url).scheme not in ("data", "blob", "about") and urlsplit(url).netloc != home
    ] == []
    assert eyes.complaints() == []


def test_no_text_becomes_code(eyes: Eyes) -> None:
    """A script that got into a page would not run: neither one that is made there, nor an attribute, nor a text."""
    eyes.open("help", "kbd")
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
    """Alt and a number goes to a page; the switch makes it dark, and it stays dark."""
    eyes.open("help", "kbd")
    eyes.run("document.dispatchEvent(new KeyboardEvent('keydown',{key:'3',altKey:true,bubbles:true}))")
    until(lambda: "#/explore" in eyes.driver.current_url)
    for shown in ("light", "dark"):
        eyes.find("#theme").click()
        until(lambda shown=shown: shown in (eyes.find("#theme").get_attribute("aria-label") or ""))
    eyes.open("build", "svg.grid")
    assert eyes.run("return document.documentElement.dataset.theme") == "dark"
    seen = [pixel for row in eyes.picture(scale=0.25) for pixel in row]
    assert sum(max(pixel) < 80 for pixel in seen) > 0.8 * len(seen)
    eyes.find("#theme").click()


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
    assert _post(f"{eyes.address}/api/run", b"{}")[0] == 422
    assert _post(f"{eyes.address}/api/run", b" " * 400_000)[0] == 413
    status, found = _post(f"{eyes.address}/api/run", b'{"text": "a = indices;", "input": "abc"}')
    assert (status, "text, name, word, split" in found["error"]["hint"]) == (422, True)  # type: ignore[index]
    with urllib.request.urlopen(f"{eyes.address}/api", timeout=30) as known:
        told = json.load(known)
    assert told["keys"]["theorem"] == ["name", "given"]
    assert list(told["keys"]) == told["jobs"]


def test_addresses_without_a_page_and_old_ones(eyes: Eyes) -> None:
    """They have a way on, and nothing of the machinery."""
    eyes.driver.get(f"{eyes.address}/nothing")
    assert "Page not found" in eyes.text("h1")
    assert eyes.count("a[href='/']") == 1
    eyes.complaints()
    eyes.driver.get(f"{eyes.address}/theorems")
    until(lambda: eyes.driver.current_url.endswith("/#/can"))
    eyes.open("no-such-page", "h1")
    assert "Page not found" in eyes.text("h1")


def test_a_report_of_the_lab(eyes: Eyes) -> None:
    """It is part of the page, and sealed where it is opened by itself."""
    with urllib.request.urlopen(f"{eyes.address}/lab/report.html") as found:
        assert "What was learned" in found.read().decode()
        assert "sandbox" in found.headers["content-security-policy"]
    eyes.open("experiments", ".report")
    assert "by two layers" in eyes.run("return document.querySelector('.report').shadowRoot.textContent")
    assert eyes.text("h1") == "Experiments: 5 of 9"
    assert eyes.count("iframe") == 0
