"""What the tests read after the language of a code block (`exit=1`, `skip`) is not for readers: it is taken away."""

import re
from typing import Any

FENCE = re.compile(r'^(\s*```[a-z]+)((?: (?!title=)[a-z-]+(?:="?[^"\s]*"?)?)+)', re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page with plain code fences; called by mkdocs for each page."""
    return FENCE.sub(r"\1", markdown)
