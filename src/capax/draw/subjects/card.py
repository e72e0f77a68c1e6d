"""Cards: what a notebook shows of the library, its functions, compiled programs and results, with pictures of them.

The card of a result is the text that its command prints.
"""

from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import Any

from capax.compiler.compiled import Compiled
from capax.draw.ink.html import fragment
from capax.draw.ink.style import card_style
from capax.draw.subjects.model_view import example_word, model_flow
from capax.draw.view.flow import picture_of
from capax.draw.view.view import View
from capax.errors import CapaxError, Source
from capax.rasp import library
from capax.rasp.library import Entry
from capax.rasp.python.program import Program
from capax.rasp.text import syntax as s
from capax.rasp.text.module import program_from_text
from capax.rasp.text.parser import parse_expression

SCOPE = "capax-card"


def library_card(_: object) -> dict[str, str]:
    """The forms of the whole library: for each file its names, what they are, and an example."""
    rows: list[str] = []
    for module, some in groupby(library.entries().values(), key=lambda entry: entry.module):
        rows.append(f'<tr><th colspan="3">{escape(module)}</th></tr>')
        rows += [_row(entry) for entry in some]
    intro = "<p>The library, as <code>capax.library.NAME</code>:</p>"
    return {"text/html": _card(f"{intro}<table>{''.join(rows)}</table>")}


def _row(entry: Entry) -> str:
    example = f"<code>{escape(entry.examples[0])}</code>" if entry.examples else ""
    return f"<tr><td><code>{escape(signature(entry))}</code></td><td>{escape(entry.doc)}</td><td>{example}</td></tr>"


def function_card(function: Callable[..., Any], word: Iterable[Any]) -> dict[str, str]:
    """The forms of a library function: how it is called, what it gives, examples, and one of them on a word."""
    entry = library.entries().get(function.__name__)
    doc = function.__doc__ or ""
    if entry is None:  # a function of a text of the user's own
        name = function.__name__
        return {
            "text/html": _card(f"<p><code>{escape(name)}</code></p><p>{escape(doc)}</p>"),
            "text/plain": doc or name,
        }
    lines = [signature(entry), entry.doc, *entry.examples]
    body = f"<p><code><b>{escape(lines[0])}</b></code></p><p>{escape(entry.doc)}</p>"
    body += "".join(f"<p><code>{escape(example)}</code></p>" for example in entry.examples)
    applied, view = _applied(entry, word)
    if view is not None:
        body += f"<p><code>{escape(applied)}</code> on the running example:</p>{fragment(view)}"
    return {"text/html": _card(body), "text/plain": "\n".join(lines)}


def signature(entry: Entry) -> str:
    """How a name is used: with its parameters if it is a function."""
    return entry.name if entry.params is None else f"{entry.name}({', '.join(entry.params)})"


def _applied(entry: Entry, word: Iterable[Any]) -> tuple[str, View | None]:
    """The program that the first example makes with a function, and its picture on a word if there is one."""
    for text in entry.examples:
        source = Source("example", text)
        match parse_expression(source):
            case s.Binary(op="==", left=s.Call(function=made)):
                applied = text[slice(*made.at)]
                program = _program(entry, applied)
                try:
                    return applied, picture_of(program, word)
                except CapaxError:
                    return applied, None  # it is for other words than this one
    return "", None


def _program(entry: Entry, text: str) -> Program:
    load = "" if entry.module == library.STANDARD else f'load "{entry.module}"; '
    return program_from_text(f"{load}{text};")


def result_card(result: Any) -> dict[str, str]:
    """The forms of a result: its text, as it is printed."""
    return text_card(str(result))


def text_card(text: str) -> dict[str, str]:
    """The forms of a text."""
    return {"text/html": _card(f"<pre>{escape(text)}</pre>"), "text/plain": text}


def compiled_card(compiled: Compiled) -> dict[str, str]:
    """The forms of a compiled program: what is proved, sizes, and its heads on a word of its alphabet."""
    domain, name = compiled.domain, compiled.program.name or "program"
    heading = f"{name}: words of 1 to {domain.max_length:,}; {len(domain.alphabet):,} tokens"
    size = "; ".join(f"{what} {how_much}" for what, how_much in compiled.size.rows())
    body = "".join(f"<p>{line}</p>" for line in (f"<b>{escape(heading)}</b>", escape(compiled.label), escape(size)))
    try:
        body += fragment(model_flow(compiled.model, example_word(compiled.model), title=name))
    except CapaxError:
        body += "<p>The model has no heads that can be drawn on a short word.</p>"
    return {"text/html": _card(body), "text/plain": repr(compiled)}


def _card(body: str) -> str:
    """Words beside pictures, in the style of cards."""
    # The class twice, since the rules of notebooks for tables are as special as those of one class.
    return f'<div class="{SCOPE}"><style>{card_style(scope=f".{SCOPE}.{SCOPE}")}</style>{body}</div>\n'
