"""The picture at the top of the README: `python docs/pictures/hero.py` writes docs/pictures/hero.svg.

Everything in it is computed: the selector by the interpreter, the label and the number of parameters by the compiler,
the second grid by TransformerLens from the compiled weights.
"""

from html import escape
from pathlib import Path

import torch

import capax
from capax import aggregate, indices, length, select, tokens

WORD = "hello"
CODE = ('flip = select(indices, length - 1 - indices, "==")', "reverse = aggregate(flip, tokens)")
CELL, SECONDS, WHOLE = 34, 15, 2.5
"""The size of a cell, the seconds of the loop, and how many of them show the whole picture first."""
STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1b2733}
.small{font-size:12px;fill:#5b6b7a}.good{fill:#0a7d4f;font-weight:600}
.page{fill:#fff;stroke:#d5dde5}.cell{fill:#fff;stroke:#d5dde5}.on{fill:#0072b2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9fb0c0}.good{fill:#4cd29b}
.page,.cell{fill:#0f1720;stroke:#2c3a47}.on{fill:#56b4e9}}
"""


def step(body: str, at: float) -> str:
    """Something that is there first, leaves with all the rest, and comes back in its turn; at rest it is there."""
    gone, shown = 100 * WHOLE / SECONDS, 100 * (WHOLE + 0.4 + at) / SECONDS
    name = f"at{round(1000 * at)}"
    frames = f"0%,{gone:.1f}%{{opacity:1}}{gone + 2:.1f}%,{shown:.1f}%{{opacity:0}}{shown + 2:.1f}%,100%{{opacity:1}}"
    moving = f".{name}{{animation:{name} {SECONDS}s linear infinite}}"
    style = f"@keyframes {name}{{{frames}}}@media (prefers-reduced-motion:no-preference){{{moving}}}"
    return f'<style>{style}</style><g class="{name}">{body}</g>'


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" xml:space="preserve">{escape(words)}</text>'


def grid(x: float, y: float, rows: list[list[float]], start: float, outputs: str = "") -> str:
    """A pattern over the word, row by row: what each position looks at."""
    parts = [text(x + CELL * (j + 0.5) - 4, y - 8, letter) for j, letter in enumerate(WORD)]
    for i, row in enumerate(rows):
        cells = "".join(
            f'<rect x="{x + CELL * j}" y="{y + CELL * i}" width="{CELL}" height="{CELL}" class="cell"/>'
            + (
                f'<rect x="{x + CELL * j + 2}" y="{y + CELL * i + 2}" width="{CELL - 4}" height="{CELL - 4}" '
                f'class="on" fill-opacity="{weight:.3f}"/>'
                if weight > 0.005
                else ""
            )
            for j, weight in enumerate(row)
        )
        line = text(x - 18, y + CELL * (i + 0.65), WORD[i]) + cells
        line += text(x + CELL * len(row) + 10, y + CELL * (i + 0.65), outputs[i : i + 1])
        parts.append(step(line, start + 0.35 * i))
    return "".join(parts)


def picture() -> str:
    """The whole picture."""
    flip = select(indices, length - 1 - indices, "==")
    reverse = aggregate(flip, tokens)
    compiled = capax.compile(reverse, alphabet=sorted(set(WORD)), max_length=20)
    lens = compiled.to_transformer_lens()
    _, cache = lens.run_with_cache(torch.tensor([compiled.model.read(WORD)]))
    pattern = cache["pattern", lens.cfg.n_layers - 1][0, 0].numpy()
    selector = [[float(cell) for cell in row] for row in flip(WORD).rows]
    answer = "".join(map(str, compiled(WORD)))
    size = f"{compiled.size.parameters} parameters, {compiled.size.attention_layers} layers"
    body = [
        text(28, 40, "1  Write it", "small"),
        *(step(text(28, 64 + 22 * i, line), 0.4 + 0.8 * i) for i, line in enumerate(CODE)),
        text(28, 130, "2  See what attends to what", "small"),
        grid(60, 168, selector, 2.2, answer),
        text(430, 130, "3  Compile it to a real transformer", "small"),
        step(text(430, 156, "model = capax.compile(reverse, ...)"), 4.6),
        step(text(430, 180, f"✓ {compiled.label}", "good") + text(430, 202, size, "small"), 5.4),
        text(430, 236, "4  Open it in TransformerLens: the same pattern, from the weights", "small"),
        step(text(430, 260, "model.to_transformer_lens()"), 6.4),
        grid(462, 292, pattern.tolist(), 7.0),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 480" width="960" height="480" role="img" '
        f'aria-label="A two-line program that reverses a word, its attention pattern, and the same pattern in the '
        f'compiled transformer"><style>{STYLE}</style>'
        f'<rect class="page" x="1" y="1" width="958" height="478" rx="10"/>{"".join(body)}</svg>\n'
    )


if __name__ == "__main__":
    (Path(__file__).parent / "hero.svg").write_text(picture(), encoding="utf-8")
