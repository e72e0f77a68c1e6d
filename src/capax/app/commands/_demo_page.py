"""The demo as one HTML file that needs nothing else: no network, no scripts."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from capax.app.commands._demo_steps import DemoPicture, DemoStep
from capax.app.commands._printed import PrintedCommand

STYLE = """
:root{color-scheme:light dark;--page:#ffffff;--ink:#22272e;--quiet:#5c6670;--line:#d9d6cf;--code:#f5f4f0;--mark:#8a4b08}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--ink:#dfe3e8;--quiet:#98a2ad;--line:#343a42;--code:#1e2329;
--mark:#e0a458}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:17px/1.6 Georgia,'Noto Serif',serif}
main{max-width:56rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2.1rem;margin:0 0 .3rem}
h2{font-size:1.35rem;margin:3rem 0 .4rem;padding-top:1.2rem;border-top:1px solid var(--line)}
h2 .number{color:var(--mark);margin-right:.6rem}
p{max-width:44rem;margin:.5rem 0 1rem}
.lead{color:var(--quiet);font-size:1.1rem}
code,pre{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.82em}
code{background:var(--code);padding:.1em .3em;border-radius:3px}
.result{border-left:3px solid var(--mark);padding-left:.8rem;font-weight:bold}
pre{background:var(--code);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;line-height:1.45;margin:.5rem 0}
.prompt{color:var(--mark);font-weight:bold}
details{margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere;font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.82em}
figure{margin:1rem 0;overflow-x:auto}
figure img{max-width:100%;height:auto}
figcaption{color:var(--quiet);font-size:.85rem}
ol.summary{padding-left:1.3rem;color:var(--quiet)}
ol.summary a{color:var(--ink)}
"""

LONG = 14
"""Outputs with more lines are folded."""


def page(steps: Sequence[DemoStep]) -> str:
    """The page of the demo."""
    listed = "".join(
        f'<li><a href="#step-{n}">{escape(s.title)}</a>: {_words(s.line)}</li>' for n, s in enumerate(steps, 1)
    )
    body = "".join(_step(n, s) for n, s in enumerate(steps, 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>capax: a demonstration</title><style>{STYLE}</style></head><body><main>"
        "<h1>capax</h1>"
        '<p class="lead">What can a transformer compute, and what can it not? Everything below was computed on this '
        "machine just now, by the commands shown.</p>"
        f'{_picture(steps[0].pictures[0])}<ol class="summary">{listed}</ol>{body}'
        "<h2>Next</h2><p><code>capax serve --open</code> is the playground, <code>capax repl</code> the prompt; "
        "<code>capax list</code> shows the library, <code>capax --help</code> all commands.</p></main></body></html>\n"
    )


def _step(number: int, step: DemoStep) -> str:
    parts = [f'<h2 id="step-{number}"><span class="number">{number}</span>{escape(step.title)}</h2>']
    parts.append(f"<p>{_words(step.words)}</p>")
    parts.append(f'<p class="lead">Why it matters: {_words(step.why)}.</p>')
    if step.text:
        parts.append(f"<pre>{escape(step.text.rstrip())}</pre>")
    parts.append(f'<p class="result">{_words(step.line)}</p>')
    parts += [_command(c) for c in step.commands]
    parts += [_picture(p) for p in step.pictures if number > 1]
    return "".join(parts)


def _command(printed: PrintedCommand) -> str:
    command = f'<span class="prompt">$</span> {escape(printed.command)}'
    output = escape(printed.output.rstrip())
    if output.count("\n") < LONG:
        return f"<pre>{command}\n{output}</pre>"
    return f"<details><summary>{command}</summary><pre>{output}</pre></details>"


def _picture(picture: DemoPicture) -> str:
    data = b64encode(picture.svg.encode()).decode()
    caption = escape(picture.caption)
    image = f'<img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _words(text: str) -> str:
    """Words with names between backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if number % 2 else p for number, p in enumerate(parts))
