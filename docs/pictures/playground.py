"""The playground as the README shows it: `python -m docs.pictures.playground` writes docs/pictures/playground.png.

The page Build of a running `capax serve`, in headless Chromium, once the weights are compiled.
"""

import base64
import tempfile
from pathlib import Path

from tests.browser.playground import looking, serving, until

ARROW_UP, ARROW_RIGHT, ARROW_DOWN = "\ue013", "\ue014", "\ue015"
WIDE, TALL = 1440, 800


def picture(folder: Path) -> bytes:
    """The page as a PNG."""
    with serving() as address, looking(address, folder) as eyes:
        eyes.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": WIDE, "height": TALL, "deviceScaleFactor": 1, "mobile": False},
        )
        eyes.open("build", ".compiled-details summary")
        eyes.run("[...document.querySelectorAll('.segments button')].find(b => b.textContent === 'Both').click()")
        until(lambda: eyes.count("svg.grid") >= 2)
        eyes.find("svg.grid").send_keys(ARROW_UP, ARROW_DOWN, *[ARROW_RIGHT] * 3)  # to a cell, whose readout it shows
        shot = eyes.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        return base64.b64decode(shot["data"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        (Path(__file__).parent / "playground.png").write_bytes(picture(Path(temporary)))
