"""What mkdocs calls for pages and site: fences without the marks of the tests, a search without a server, and fonts."""

import re
import shutil
from pathlib import Path
from typing import Any

FONTS = Path(__file__).parents[2] / "src" / "capax" / "app" / "web" / "static" / "fonts"
"""The playground's, with their licences."""
MATH = re.compile(r"(?<![\\$`])\$\$(.+?)\$\$|(?<![\\$`\w])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![\w$])", re.DOTALL)
FENCED = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r'^(\s*```[a-z]+)((?: (?!title=)[a-z-]+(?:="?[^"\s]*"?)?)+)', re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page with plain code fences; called by mkdocs for each page."""
    plain = FENCE.sub(r"\1", markdown)
    parts = FENCED.split(plain)  # code and the text around it, in turn
    return "".join(part if number % 2 else typeset(part) for number, part in enumerate(parts))


def typeset(text: str) -> str:
    """A text whose formulas between dollar signs are MathML, which browsers show without any script."""
    return MATH.sub(_mathml, text) if "$" in text else text


def _mathml(match: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    display = match[1] is not None
    return convert((match[1] or match[2]).strip(), display="block" if display else "inline")


def on_post_build(config: Any, **_: Any) -> None:
    """Writes the index of the search as a script too, since pages that are opened as files may not fetch; and fonts."""
    shutil.copytree(FONTS, Path(config["site_dir"]) / "assets" / "fonts", dirs_exist_ok=True)
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index}", encoding="utf-8")
