"""What mkdocs calls for pages and site: fences without the marks of the tests, and a search that needs no server."""

import re
from pathlib import Path
from typing import Any

FENCE = re.compile(r'^(\s*```[a-z]+)((?: (?!title=)[a-z-]+(?:="?[^"\s]*"?)?)+)', re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page with plain code fences; called by mkdocs for each page."""
    return FENCE.sub(r"\1", markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Writes the index of the search as a script too, since pages that are opened as files may not fetch."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index}", encoding="utf-8")
