"""A link below each RASP program of the documentation that opens it in the playground.

The playground is one HTML file beside the pages, `playground.html`, so that the links work on a web server and from
the disk. `make docs` writes it into build/; where it is missing, the pages have no links.
"""

import base64
import re
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PLAYGROUND = Path(__file__).parents[2] / "build" / "playground.html"
BLOCK = re.compile(r"^```rasp\b([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPEN = (
    '<a class="md-button md-button--primary" target="capax-playground" href="playground.html">Open the playground</a>'
)
WORD = re.compile(r'\bword="([^"]*)"')
EXAMPLE = re.compile(r'^set example "([^"]*)"\n', re.MULTILINE)
APPLIED = re.compile(r'[\w)]\((?:"([^"]*)"|\[([^\]]*)\])\)')
"""A program on an input: a word, or a list."""
VALUE = re.compile(r"^(?!load )[^\s#={}][^\n#={}]*(?:==[^\n#={}]+)?;$", re.MULTILINE)
"""A line that is an expression without a name."""
NAMED = re.compile(r"^(\w+) = ", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page with its links; called by mkdocs for each page, before the marks of the fences are taken away."""
    if not PLAYGROUND.exists():
        return markdown
    root = "../" * page.url.count("/")
    if page.url == "index.html":
        page.meta["title"] = "Start"  # in the navigation, beneath the name of the site
        first, picture, rest = markdown.partition("pictures/hero.svg)\n")
        markdown = f"{first}{picture}\n{OPEN}\n{rest}"

    def linked(block: re.Match[str]) -> str:
        address = run_address(block[2], block[1])
        run = (
            f'<a class="run" target="capax-playground" href="{root}playground.html{address}">Run in the playground</a>'
        )
        return f"{block[0]}\n\n{run}" if address else block[0]

    return BLOCK.sub(linked, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Puts the playground beside the pages, and tells it so: it links back to them."""
    if PLAYGROUND.exists():
        page = beside_docs(PLAYGROUND.read_text(encoding="utf-8"))
        (Path(config["site_dir"]) / PLAYGROUND.name).write_text(page, encoding="utf-8")


def beside_docs(page: str) -> str:
    """The playground with links to the pages beside it."""
    mark = '<meta name="capax" content="{'
    return page.replace(mark, f"{mark}&quot;docs&quot;: &quot;./&quot;, ", 1)


def run_address(text: str, marks: str = "") -> str:
    """What the address of the playground ends with to show a program; empty where a block defines none.

    >>> run_address('len("abc");')
    ''
    """
    found = runnable(text, marks)
    if found is None:
        return ""
    program, state = found
    code = base64.urlsafe_b64encode(zlib.compress(program.encode(), 9)).decode().rstrip("=")
    return "#/build?" + urlencode(state | {"code": code}).replace("&", "&amp;")


def runnable(text: str, marks: str = "") -> tuple[str, dict[str, str]] | None:
    """The program of a block, and the input that it is shown on; nothing where it only applies what is known.

    >>> runnable('set example "abc"\\nindices * 2;\\n(indices * 2)("four");\\n')
    ('value1 = indices * 2;', {'word': 'abc'})
    >>> runnable('same = tokens_int == 1;\\nsame([1, 6]) == [True, False];\\n')
    ('same = tokens_int == 1;', {'word': '1 6', 'split': 'ints'})
    """
    chosen = WORD.search(marks) or EXAMPLE.search(text)
    first = APPLIED.search(text)
    lines = _defining(EXAMPLE.sub("", text).rstrip().split("\n"))
    count = iter(range(1, len(lines) + 1))
    program = VALUE.sub(lambda line: f"value{next(count)} = {line[0]}", "\n".join(lines))
    program = re.sub(r"\n{3,}", "\n\n", program).strip()
    if not NAMED.search(program):
        return None
    if chosen:
        return program, {"word": chosen[1]}
    if first and first[1] is not None:
        return program, {"word": first[1]}
    if first and re.fullmatch(r"[\d, -]+", first[2]):
        return program, {"word": first[2].replace(",", ""), "split": "ints"}
    return program, {"word": "hello"}


def _defining(lines: list[str]) -> list[str]:
    """The lines without those that apply a program to an input, or use what such a line has named."""
    kept, results = [], set()
    for line in lines:
        if APPLIED.search(line) or results & set(re.findall(r"\w+", line)):
            results |= {named[1] for named in [NAMED.match(line)] if named}
        else:
            kept.append(line)
    return kept
