"""The picture of what must be believed, and the figures of its page, against the files themselves."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "explanation" / "trust.md").read_text(encoding="utf-8")
DRAWN = (ROOT / "docs" / "pictures" / "trust.svg").read_text(encoding="utf-8")
MODULE = runpy.run_path(str(ROOT / "docs" / "site" / "trusted_base.py"))


@pytest.mark.parametrize("number", range(4), ids=["test", "certificate", "outside checker", "Coq"])
def test_the_trusted_base_is_as_large_as_its_page_says(number: int) -> None:
    """Within a tenth; the picture names each kind of evidence with what it assumes."""
    kind = MODULE["KINDS"][number]
    name = kind.name.split(":")[0]
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {name}: ")]
    said = [int(figure.replace(",", "")) for figure in re.findall(r"\b(\d[\d,]*)(?= lines)", row)]
    counted = [part.lines for part in kind.parts[:2]] if name == "Coq" else [kind.lines]
    assert len(said) == len(counted)
    for figure, lines in zip(said, counted, strict=True):
        assert abs(figure - lines) <= lines / 10, (figure, lines)
    assert kind.name in DRAWN
    assert f"assumed: {kind.assumes}".replace("'", "&#x27;") in DRAWN


def test_parts_of_the_trusted_base_are_counted_once() -> None:
    """A part is all of its files but those that are left out, and a picture has a box for each."""
    part = MODULE["TrustedPart"]
    checker = part("one file", ("checker/*.py", "checker/capax_check.py"))
    assert checker.lines == len((ROOT / "checker" / "capax_check.py").read_text(encoding="utf-8").splitlines())
    coq = "src/capax/certify/coq"
    whole, rest = (part("", ("src/capax/certify/**/*.py",), left).lines for left in ((), (coq,)))
    assert whole - rest == part("", (f"{coq}/*.py",)).lines
    boxes = sum(len(kind.parts) for kind in MODULE["KINDS"])
    assert MODULE["picture"]().count('<rect class="layer') == boxes
