"""A page for each theorem and each limit, cut from the two pages of the reference when the site is built."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

CUT = {"theorems": "reference/theorems.md", "limits": "reference/limits.md"}
"""The folder of the pictures and of the small pages -> the page that has a section for each."""
SECTION = re.compile(r"^## ([a-z0-9-]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(```.*?```|`[^`\n]*`|\]\([^)]*\))", re.DOTALL)
SIGNS = ((r"<=", "≤"), (r">=", "≥"), (r"\bsqrt\(", "√("), (r"\blog2\b", "log<sub>2</sub>"), (r" \* ", " · "))
TITLE = re.compile(r"\A\*\*(.+?)\.\*\* ", re.DOTALL)


def on_files(files: Files, *, config: Any) -> Files:
    """Adds the small pages; called by mkdocs."""
    for folder, source in CUT.items():
        text = (Path(config["docs_dir"]) / source).read_text(encoding="utf-8")
        for name, body in SECTION.findall(text):
            picture = Path(config["docs_dir"]) / "pictures" / folder / f"{name}.svg"
            page = File.generated(
                config, f"reference/{folder}/{name}.md", content=small_page(folder, name, body, picture)
            )
            page.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(page)
    return files


def small_page(folder: str, name: str, body: str, picture: Path) -> str:
    """The page of one result: its title, its statement, the picture if there is one, and the rest of its section."""
    title = TITLE.match(body)
    assert title is not None, f"the section of {name} begins with its title"
    statement, _, rest = body[title.end() :].partition("\n\n")
    command = "theorem" if folder == "theorems" else "limit"
    lines = [
        f"# {title[1]}",
        "",
        f'!!! quote "{"Theorem" if folder == "theorems" else "Lower bound"}"',
        "    " + typeset(statement),
    ]
    lines += ["", f"```sh\ncapax {command} {name}\n```", ""]
    if picture.exists():
        what = (
            "The attention of the model, built at a small size" if folder == "theorems" else "The bound at the defaults"
        )
        lines += [f"![{what}](../../pictures/{folder}/{name}.svg)", "", f"*{what}.*", ""]
    rest = typeset(rest).replace("](../", "](../../").replace("](theorem-labels.md", "](../theorem-labels.md")
    lines += [rest, "", f"[All {folder}](../{folder}.md)", ""]
    return "\n".join(lines)


def typeset(text: str) -> str:
    """A text whose powers, roots, logarithms and comparisons are written as in a book; code between backticks stays.

    >>> typeset("n^2 <= 2^(d - 1), log2 n, sqrt(q), `n^2`")
    'n<sup>2</sup> ≤ 2<sup>d - 1</sup>, log<sub>2</sub> n, √(q), `n^2`'
    """
    parts = CODE.split(text)
    return "".join(part if number % 2 else _mathematics(part) for number, part in enumerate(parts))


def _mathematics(text: str) -> str:
    for plain, sign in SIGNS:
        text = re.sub(plain, sign, text)
    out, rest = "", text
    while match := re.search(r"(?<=[\w)])\^", rest):
        out, after = out + rest[: match.start()], rest[match.end() :]
        length = _exponent(after)
        inside = after[:length]
        bare = inside[1:-1] if inside.startswith("(") else inside
        out += f"<sup>{_mathematics(bare)}</sup>" if bare else "^"
        rest = after[length:]
    return out + rest


def _exponent(text: str) -> int:
    """How many characters of a text are an exponent: balanced brackets, or a sign and a word."""
    if not text.startswith("("):
        match = re.match(r"[+-]?\w+(\.\d+)?'?", text)
        return match.end() if match else 0
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place + 1
    return 0


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The two long pages with links to the small ones in place of their sections; called by mkdocs for each page."""
    uri = page.file.src_uri
    for folder, source in CUT.items():
        if uri == source:
            names = [name for name, _ in SECTION.findall(markdown)]
            markdown = SECTION.sub("", markdown)
            for name in names:
                markdown = markdown.replace(f"](#{name})", f"]({folder}/{name}.md)")
        else:
            markdown = re.sub(rf"{folder}\.md#([a-z0-9-]+)\)", rf"{folder}/\1.md)", markdown)
    return markdown
