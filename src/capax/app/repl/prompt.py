"""The interactive prompt: history, completion, highlighting and multi-line editing."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from capax.app.repl.repl import lacks_end
from capax.app.session import Session
from capax.errors import Source
from capax.rasp import library
from capax.rasp.ir.ops import operator_signs
from capax.rasp.text.parser import open_braces, parse
from capax.rasp.text.primitives import BUILTINS
from capax.rasp.text.syntax_errors import KEYWORDS

_WORDS = KEYWORDS | {"select", "help", "True", "False", *BUILTINS}

_PIECES = re.compile(
    r'(?P<comment>#.*)|(?P<string>"(?:\\.|[^"\\])*"?)|(?P<number>\d[\w.]*|\.\d\w*)|(?P<word>s-op|[A-Za-z_]\w*)'
    rf"|(?P<operator>{'|'.join(map(re.escape, operator_signs()))}|[=!])|(?P<other>.)",
    re.DOTALL,
)

_STYLE = Style.from_dict(
    {
        "comment": "ansibrightblack",
        "string": "ansigreen",
        "number": "ansimagenta",
        "keyword": "ansiblue bold",
        "library": "ansicyan",
        "operator": "ansiyellow",
    }
)


class _Highlight(Lexer):
    """Colours the words of the language as they are typed."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The styled pieces of each line."""

        def line(number: int) -> StyleAndTextTuples:
            return [(_style(m), m[0]) for m in _PIECES.finditer(document.lines[number])]

        return line


def _style(match: "re.Match[str]") -> str:
    kind = match.lastgroup or "other"
    if kind == "word":
        kind = "keyword" if match[0] in _WORDS else "library" if match[0] in library.entries() else "other"
    return "" if kind == "other" else f"class:{kind}"


class _NameCompleter(Completer):
    """Completes names that have a value, words of the language, and files of the library."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions of the word before the cursor."""
        before = document.text_before_cursor
        if re.search(r'load\s+"[^"]*$', before):
            typed = before.rsplit('"', 1)[1]
            known: Iterable[str] = library.modules()
        else:
            typed = document.get_word_before_cursor(pattern=re.compile(r"[A-Za-z_]\w*"))
            known = {*self._session.console.known(), *_WORDS}
        for name in sorted(known):
            if typed and name.startswith(typed) and name != typed:
                yield Completion(name, start_position=-len(typed))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        text = buffer.document.text
        parsed = parse(Source("console", text))
        depth = max(0, open_braces(text))
        blank_line = not depth and not buffer.document.current_line.strip()
        whole = (parsed.items and not parsed.unfinished) or lacks_end(text)
        if whole or blank_line or text.strip().startswith("help"):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n" + "    " * depth)

    @keys.add("}")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        line = buffer.document.current_line_before_cursor
        if line and not line.strip():
            buffer.delete_before_cursor(min(4, len(line)))
        buffer.insert_text("}")

    return keys


def terminal_reader(session: Session) -> Callable[[str], str]:
    """Reads whole statements from the terminal; Enter on an unfinished one starts a new line."""
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        completer=_NameCompleter(session),
        lexer=_Highlight(),
        style=_STYLE,
        key_bindings=_keys(),
        multiline=True,
        prompt_continuation=lambda width, line, wrapped: ".. ",
        complete_while_typing=False,
    )
    return lambda text: prompt.prompt(text)


def _history() -> History:
    """What was typed before, kept in the user's state folder; only in memory where there is no home to keep it in."""
    try:
        home = Path.home()
        named = os.environ.get("XDG_STATE_HOME")
        if not named and not home.is_dir():
            return InMemoryHistory()
        state = Path(named or home / ".local" / "state") / "capax"
        state.mkdir(parents=True, exist_ok=True)
        (state / "history").open("a").close()
        return FileHistory(str(state / "history"))
    except (OSError, RuntimeError, ValueError):
        return InMemoryHistory()
