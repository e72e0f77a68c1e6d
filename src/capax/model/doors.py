"""What a model can do only with the help of the rooms above it: be written to a file or for another
tool, be shown in a notebook.

`capax/__init__.py` sets these, so that no room imports from one above it, and none is loaded before it is needed.
"""

from collections.abc import Callable
from typing import Any

save: Callable[[Any, Any], None] | None = None
"""Writes a model to a path."""
export: Callable[..., Any] | None = None
"""Writes a model to a directory for another tool, checks it, and gives the report."""
show: Callable[[Any], dict[str, str]] | None = None
"""The forms of a model that a notebook can choose from, by media type."""
