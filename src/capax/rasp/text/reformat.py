"""The formatter: the canonical form of a text, with its comments and single blank lines."""

import re
from dataclasses import dataclass

from capax.rasp.text import syntax as s
from capax.rasp.text.parser import Parsed, tokenize
from capax.rasp.text.syntax_to_text import INDENT, print_head, print_return, refuse_deep_blocks


@dataclass(frozen=True, slots=True)
class _Comment:
    text: str
    start: int
    own_line: bool


def format_text(parsed: Parsed) -> str:
    """The canonical form of a parsed text; comments stay with the statement they stood by."""
    text = parsed.source.text
    lines = _Layout(text, _comments(text)).block(parsed.statements, 0, len(text), "")
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n" if lines else ""


def _comments(text: str) -> list[_Comment]:
    """The comments of a text: what starts with # between tokens."""
    comments: list[_Comment] = []
    end = 0
    for start, stop in [
        *((t.start_pos or 0, t.end_pos or 0) for t in tokenize(text)),
        (len(text), len(text)),
    ]:
        for match in re.finditer(r"#[^\n]*", text[end:start]):
            at = end + match.start()
            before = text[text.rfind("\n", 0, at) + 1 : at]
            comments.append(_Comment(match[0].rstrip(), at, not before.strip()))
        end = stop
    return comments


class _Layout:
    """Lays out blocks of statements with the comments between and inside them."""

    def __init__(self, text: str, comments: list[_Comment]) -> None:
        self.text = text
        self.comments = comments

    def block(self, statements: list[s.Statement], start: int, end: int, indent: str) -> list[str]:
        """The lines of the statements that fill a stretch of the text."""
        refuse_deep_blocks(indent)
        lines: list[str] = []
        at = start
        for statement in statements:
            begin, stop = statement.at
            lines += self._gap(at, begin, indent, first=not lines)
            lines += self._statement(statement, indent)
            at = self._trailing(lines, stop)
        lines += self._gap(at, end, indent, first=not lines)
        return lines

    def _between(self, start: int, end: int) -> list[_Comment]:
        return [c for c in self.comments if start <= c.start < end]

    def _gap(self, start: int, end: int, indent: str, *, first: bool) -> list[str]:
        """The comments and at most one blank line at a time between two statements."""
        lines: list[str] = []
        at = start
        for comment in self._between(start, end):
            if self._blank(at, comment.start) and not (first and not lines):
                lines.append("")
            lines.append(indent + comment.text)
            at = comment.start + len(comment.text)
        if self._blank(at, end) and not (first and not lines) and end < len(self.text):
            lines.append("")
        return lines

    def _blank(self, start: int, end: int) -> bool:
        return self.text.count("\n", start, end) > 1

    def _trailing(self, lines: list[str], stop: int) -> int:
        """Puts a comment on the rest of the line behind the statement; gives where the next gap starts."""
        line_end = self.text.find("\n", stop)
        line_end = len(self.text) if line_end < 0 else line_end
        for comment in self._between(stop, line_end):
            if not self.text[stop : comment.start].strip(" \t;"):
                lines[-1] += f"  {comment.text}"
                return comment.start + len(comment.text)
        return stop

    def _statement(self, statement: s.Statement, indent: str) -> list[str]:
        if not isinstance(statement, (s.Def, s.For, s.RepeatOf)):
            hoisted = [indent + c.text for c in self._between(*statement.at)]
            return [*hoisted, indent + print_head(statement)]
        inner = indent + INDENT
        begin, stop = statement.at
        body_start = self._body_start(statement)
        lines = [indent + c.text for c in self._between(begin, body_start)]
        lines.append(indent + print_head(statement))
        at = self._trailing(lines, body_start)
        body = list(statement.body)
        if isinstance(statement, s.RepeatOf):
            body = [*statement.states, *body]
        if isinstance(statement, s.Def):
            return_start = self._return_start(statement, at)
            lines += self.block(body, at, return_start, inner)
            lines.append(inner + print_return(statement))
            semicolon = self._find(";", statement.returns[-1].at[1])
            for comment in self._between(return_start, semicolon):
                lines.insert(-1, inner + comment.text)
            at = self._trailing(lines, semicolon + 1)
            lines += self._gap(at, stop - 1, inner, first=False)
        else:
            lines += self.block(body, at, stop - 1, inner)
        while not lines[-1]:
            lines.pop()
        lines.append(indent + "}")
        return lines

    def _body_start(self, statement: s.Def | s.For | s.RepeatOf) -> int:
        """Just behind the brace that opens the body."""
        match statement:
            case s.For():
                after = statement.iterable.at[1]
            case s.RepeatOf():
                after = statement.rounds.at[1]
            case _:
                after = statement.at[0]
        return self._find("{", after) + 1

    def _return_start(self, statement: s.Def, at: int) -> int:
        after = statement.body[-1].at[1] if statement.body else at
        return self._find("return", after)

    def _find(self, word: str, start: int) -> int:
        """The next offset of a word outside comments."""
        at = self.text.find(word, start)
        while any(c.start <= at < c.start + len(c.text) for c in self.comments):
            at = self.text.find(word, at + 1)
        return at
