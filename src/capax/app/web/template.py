"""The toolkit's template of a page, with its scripts marked as the server's."""

from collections.abc import Callable

from jinja2 import BaseLoader, Environment
from nicegui import client

from capax.app.web.middleware import NONCE

MARKED = f'<script nonce="{{{{ request.scope["{NONCE}"] }}}}"'


class Marked(BaseLoader):
    """Templates with a mark on the scripts that stand in their own text; what is put into them later gets none."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The text of a template, its file, and whether that is still as it was."""
        text, file, current = self._inner.get_source(environment, template)
        return text.replace("<script", MARKED), file, current


def mark_scripts() -> None:
    """Has all pages made with marked scripts."""
    environment = client.templates.env
    if environment.loader is not None and not isinstance(environment.loader, Marked):
        environment.loader = Marked(environment.loader)
