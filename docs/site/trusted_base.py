"""The picture of what must be believed: lines of code and assumptions for each kind of evidence.

    python docs/site/trusted_base.py

counts the lines and writes docs/pictures/trust.svg.
"""

from dataclasses import dataclass
from pathlib import Path

from capax.draw.shapes.sketch import Sketch

ROOT = Path(__file__).resolve().parent.parent.parent
WIDE, TALL, ROW = 760.0, 26.0, 118.0
LEAST = 3.0
"""The width of a part that would not be seen otherwise."""

COLOURS = {"check": 0, "one file": 0, "meaning of programs": 1, "definitions": 1, "programs and files": 2}
COLOURS |= {"rewriting, analysis": 3, "translation": 3, "runtime": 4, "models": 4}
"""Parts of one purpose have one colour."""


@dataclass(frozen=True, slots=True)
class TrustedPart:
    """Files of one purpose that a kind of evidence rests on; those under `without` are not counted."""

    name: str
    files: tuple[str, ...]
    without: tuple[str, ...] = ()
    definitions: int = 0
    """Lines that are counted besides: the first definitions of files whose rest is proved."""

    @property
    def lines(self) -> int:
        """The lines of these files."""
        paths = {path for pattern in self.files for path in ROOT.glob(pattern) if path.is_file()}
        left = [p for p in paths if not any(p.is_relative_to(ROOT / other) for other in self.without)]
        assert left, self.files
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in left) + self.definitions


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """A kind of evidence: the command, what it says, the code that must be right, and what is assumed."""

    name: str
    says: str
    parts: tuple[TrustedPart, ...]
    assumes: str

    @property
    def lines(self) -> int:
        """All lines of code."""
        return sum(part.lines for part in self.parts)


READING = ("src/capax/rasp/ir/**/*.py", "src/capax/rasp/text/**/*.py", "src/capax/model/io/**/*.py")
KINDS = (
    TrustedBase(
        "test: capax verify FILE",
        "right on the words that were tried",
        (
            TrustedPart("meaning of programs", ("src/capax/rasp/meaning/**/*.py",)),
            TrustedPart("runtime", ("src/capax/model/run/**/*.py", "src/capax/model/arithmetic/**/*.py")),
            TrustedPart("programs and files", READING),
        ),
        "no axiom; that other words are like those that were tried; numpy, lark",
    ),
    TrustedBase(
        "certificate: capax verify --certificate FILE",
        "right on all words up to N",
        (
            TrustedPart(
                "check",
                ("src/capax/certify/**/*.py",),
                ("src/capax/certify/plan", "src/capax/certify/coq", "src/capax/certify/exported_models"),
            ),
            TrustedPart("rewriting, analysis", ("src/capax/rasp/rewrite/**/*.py", "src/capax/rasp/analysis/**/*.py")),
            TrustedPart("meaning of programs", ("src/capax/rasp/meaning/**/*.py",)),
            TrustedPart("programs and files", READING),
            TrustedPart("models", ("src/capax/model/*.py", "src/capax/model/arithmetic/**/*.py")),
        ),
        "rounding to nearest, in any order; exp within 2 ulp, exp(0) = 1; numpy, lark",
    ),
    TrustedBase(
        "outside checker: python -S capax_check.py FILE",
        "right on all words up to N",
        (TrustedPart("one file", ("checker/capax_check.py",)),),
        "rounding to nearest, in any order; exp(0) = 1, and 0 far below; Python with its integers, json and re",
    ),
    TrustedBase(
        "Coq: capax certificate FILE --coq",
        "right on all words up to N: a theorem",
        (
            TrustedPart("definitions", ("proofs/Network.v", "proofs/Program.v"), definitions=60),
            TrustedPart("translation", ("src/capax/certify/coq/*.py",)),
            TrustedPart("programs and files", (*READING, "src/capax/rasp/rewrite/**/*.py")),
        ),
        "4 axioms of the real numbers; exp(0) = 1 and 0 far below as hypotheses; Coq's kernel, Flocq",
    ),
)


def picture() -> str:
    """The kinds of evidence below each other, with a bar as long as the code that must be right."""
    sketch = Sketch("What you must believe")
    scale = WIDE / max(kind.lines for kind in KINDS)
    sketch.text(0, -30, "What you must believe: lines of code, and assumptions", 15, "title", "start")
    for number, kind in enumerate(KINDS):
        top, x = number * ROW, 0.0
        sketch.text(0, top, kind.name, 13, "name", "start")
        sketch.text(WIDE, top, kind.says, 12, "quiet", "end")
        for part in kind.parts:
            wide = max(LEAST, part.lines * scale)
            style = f"layer{COLOURS[part.name]}"
            sketch.box(x, top + 10, wide, TALL, style, title=f"{part.name}: {part.lines:,} lines")
            x += wide
        told = ", ".join(f"{part.name} {part.lines:,}" for part in kind.parts)
        more = f" = {kind.lines:,} lines" if len(kind.parts) > 1 else " lines"
        sketch.text(0, top + TALL + 27, told + more, 12, "text", "start")
        sketch.text(0, top + TALL + 45, f"assumed: {kind.assumes}", 12, "quiet", "start")
    return sketch.svg()


if __name__ == "__main__":
    (ROOT / "docs" / "pictures" / "trust.svg").write_text(picture(), encoding="utf-8")
    for kind in KINDS:
        print(f"{kind.lines:7,}  {kind.name}: {', '.join(f'{p.name} {p.lines:,}' for p in kind.parts)}")
