"""`load "name";` in a text: the file is found, a circle refused, and the text run in a scope of its own."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from capax.app.files.text_files import find_rasp
from capax.errors import CapaxError, Source, Span
from capax.rasp.text.scope import Scope

Finder: TypeAlias = Callable[[str, Source, Span | None], tuple[Source, str]]
"""Gives the text that `load "name";` means, and a key that identifies it."""


class FileLoader:
    """Loads files into scopes; `run` runs a text in a scope, `loading` are the keys of files that are being loaded."""

    def __init__(
        self, run: Callable[[Source, Scope], None], find: Finder = find_rasp, loading: Iterable[str] = ()
    ) -> None:
        self._run, self._find = run, find
        self._loading = list(loading)

    @property
    def depth(self) -> int:
        """How many files are being loaded."""
        return len(self._loading)

    def load(self, name: str, loading: Source, scope: Scope, where: Span | None) -> None:
        """Carries out `load "name";` in a text that is being run in a scope."""
        source, key = self._find(name, loading, where)
        self.load_source(source, scope, key, name, where)

    def load_source(
        self, source: Source, into: Scope, key: str, name: str | None = None, where: Span | None = None
    ) -> Scope:
        """The scope of a text that was run beside `into`, which gets its public names."""
        if key in self._loading:
            chain = " -> ".join(_short(k) for k in [*self._loading[self._loading.index(key) :], key])
            what = f"files load each other in a circle: {chain}"
            raise CapaxError("cyclic-load", what, where, "break the circle", path=key)
        inside = Scope(name or source.name.removesuffix(".rasp"), _around(into), export_to=into, top_level=True)
        self._loading.append(key)
        try:
            self._run(source, inside)
        finally:
            self._loading.pop()
        return inside


def _around(scope: Scope) -> Scope:
    """The scope around the top level that a scope is in."""
    while not scope.top_level and scope.parent is not None:
        scope = scope.parent
    assert scope.parent is not None
    return scope.parent


def _short(key: str) -> str:
    return key.rsplit("/", 1)[-1].removeprefix("library:")
