"""The one exception root of capax, and the locations in a text that it points at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WIDEST_LINE = 100
"""A longer source line is shown as a window around the caret."""
_LONG = re.compile(rf"[^\s`'\"]{{{3 * WIDEST_LINE},}}")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A named text: a file, or what was typed at a prompt."""

    name: str
    text: str
    first_line: int = 1
    """The number of the first line, where the text is a part of a longer one."""

    def line_of(self, offset: int) -> int:
        """The line number (from `first_line`) that holds a character offset."""
        return self.text.count("\n", 0, offset) + self.first_line


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """A stretch of a source, as half-open character offsets."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line number of the start, from 1."""
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        """The column of the start, from 1."""
        return self.start - self._line_start() + 1

    @property
    def text(self) -> str:
        """The characters the span covers."""
        return self.source.text[self.start : self.end]

    @property
    def location(self) -> str:
        """The location as `file:line:column`."""
        return f"{self.source.name}:{self.line}:{self.column}"

    def to(self, other: "Span") -> "Span":
        """The span from this one's start to the other's end."""
        return Span(self.source, self.start, max(self.end, other.end))

    def _line_start(self) -> int:
        return self.source.text.rfind("\n", 0, self.start) + 1

    def excerpt(self) -> tuple[str, str]:
        """The source line (a window of it when long) and the caret line below it."""
        begin = self._line_start()
        stop = self.source.text.find("\n", self.start)
        stop = len(self.source.text) if stop < 0 else stop
        left = max(begin, self.start - WIDEST_LINE // 2)
        right = min(stop, left + WIDEST_LINE)
        head, tail = ("..." if left > begin else ""), ("..." if right < stop else "")
        line = head + self.source.text[left:right] + tail
        pad = "".join("\t" if c == "\t" else " " for c in line[: len(head) + self.start - left])
        return line, pad + "^" * max(1, min(self.end, right) - self.start)


def _render(kind: str, code: str, what: str, where: Span | None, hint: str | None) -> str:
    """The printed form shared by errors and notices: what, where with a caret, hint; very long names are cut."""
    lines = [_cut(f"{kind}[{code}]: {what}")]
    if where is not None:
        source_line, caret = where.excerpt()
        number = str(where.line)
        gap = " " * len(number)
        lines += [_cut(f"{gap}--> {where.location}"), f"{number} | {source_line}", f"{gap} | {caret}"]
    if hint:
        lines.append(_cut(f"hint: {hint}"))
    return "\n".join(lines)


def _cut(text: str) -> str:
    """The text, with at most the start of a word that is longer than a line is wide several times over."""
    return _LONG.sub(lambda word: f"{word[0][: 2 * WIDEST_LINE]}... ({len(word[0]):,} characters)", text)


def _error_json(code: str, what: str, where: Span | None, hint: str | None) -> dict[str, Any]:
    """The plain-data form shared by errors and notices."""
    data: dict[str, Any] = {"code": code, "what": what, "hint": hint}
    if where is not None:
        data |= {"file": where.source.name, "line": where.line, "column": where.column}
    return data


class CapaxError(Exception):
    """What went wrong in the user's terms: a code, what, where, and one hint.

    `data` holds the facts behind the message (names, counts, values), so that another
    surface can word it in its own way.
    """

    def __init__(self, code: str, what: str, where: Span | None = None, hint: str | None = None, **data: Any) -> None:
        assert code in CODES, f"unlisted error code {code}"
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where
        self.hint = hint
        self.data: Mapping[str, Any] = data

    def at(self, where: Span | None) -> "CapaxError":
        """The same error; its location is set if it had none."""
        if self.where is None:
            self.where = where
        return self

    def render(self) -> str:
        """The message with its source line, caret and hint."""
        return _render("error", self.code, self.what, self.where, self.hint)

    def to_json(self) -> dict[str, Any]:
        """The error as plain data."""
        return _error_json(self.code, self.what, self.where, self.hint)


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning about text that is legal but may not mean what it seems to."""

    code: str
    what: str
    where: Span | None = None
    hint: str | None = field(default=None)

    def render(self) -> str:
        """The message with its source line, caret and hint."""
        return _render("warning", self.code, self.what, self.where, self.hint)

    def to_json(self) -> dict[str, Any]:
        """The notice as plain data."""
        return _error_json(self.code, self.what, self.where, self.hint)


def nearest(name: str, known: "list[str]") -> str | None:
    """The known name most like `name`, or None when none is close."""
    from difflib import get_close_matches  # only needed once something is wrong

    near = get_close_matches(name, known, n=1, cutoff=0.6)
    return near[0] if near else None


CODES: dict[str, str] = {
    # the text
    "syntax": "The text is not a statement of the language.",
    "missing-semicolon": "A statement is not ended by `;`.",
    "unclosed": "A bracket, block, string or statement is still open at the end of the text.",
    "bad-character": "A character that the language does not use.",
    "keyword": "A word of the language used as a name.",
    "surprising-grouping": "A warning: the operators group in a way that readers may not expect.",
    # loops and pads
    "bad-pads": "Pause tokens whose number is not a function of the length, or that are not declared last.",
    "bad-rounds": "A loop whose number of rounds is neither a constant nor a function of the length.",
    "no-states": "A loop without a state.",
    "state-twice": "A state that is declared twice, or set twice in one round.",
    "state-outside": "A state that is read outside its loop.",
    "nested-loop": "A loop in the body of another, with a number of rounds that depends on the length.",
    "several-loops": "A program with several loops where one is expected.",
    "state-grows": "A state to which every round adds values, so that no fixed block can hold it.",
    "state-kind": "A state that may change its type from round to round.",
    "has-loop": "A program or model with a loop, used where loops are not supported.",
    # names
    "undefined-name": "A name that has no value here.",
    "reserved-name": "An assignment to a name that the language or its library owns.",
    "shadowed-name": "A warning: a name of the language, such as `tokens`, now means something else.",
    "argument-count": "A function, or an s-op applied to a word, got the wrong number of arguments.",
    "not-callable": "A value that is not a function, s-op or selector was called.",
    "call-depth": "Function calls are nested too deeply.",
    "too-many-steps": "The program ran longer than the given budget allows.",
    # files
    "file-not-found": "A file that was to be loaded or read does not exist.",
    "file-unreadable": "A file exists but cannot be read as text.",
    "cyclic-load": "A file loads itself, directly or through others.",
    "unknown-program": "No library entry, file or name for the program asked for.",
    "bad-program": "Data that does not describe a program.",
    "not-expressible": "A program that cannot be written in the text language.",
    "not-a-program": "The name stands for something that is not an s-op or selector.",
    # values while a program is built
    "bad-sum-test": "The test of a select3 is not one comparison of the sum with an integer.",
    "sum-of-non-integers": "A select3 adds values that are not integers.",
    "expected-selector": "Something else stands where a selector is needed.",
    "expected-sop": "Something else stands where an s-op is needed.",
    "expected-atom": "Something else stands where a string, number or boolean is needed.",
    "bad-pattern": "A matrix that is not an attention pattern: not square, too large, or not of 0 and 1.",
    "truth-value": "A program used where Python wants one truth value, or iterated.",
    "selector-operator": "An operator that selectors do not have.",
    "mixed-selector": "`and`/`or` between a selector and something else.",
    "unpack": "The number of names and the number of values differ.",
    "not-iterable": "A loop, comprehension or example over something that has no elements.",
    "index-range": "An index outside a list or string.",
    "index-type": "An index of the wrong kind.",
    "not-indexable": "A value that cannot be indexed.",
    "missing-key": "A key that a dictionary does not have.",
    "dict-key": "A dictionary key that is not a string, number or boolean.",
    "range-arguments": "`range` with the wrong number or kind of arguments.",
    "zip-arguments": "`zip` of things that are not lists of one length.",
    "length-of": "`len` of something that is not a list.",
    "contains": "`in` between values that it is not defined for.",
    # values while a program runs
    "empty-input": "A word with no tokens.",
    "bad-input": "An input that is not a word of tokens.",
    "bad-token": "A token that cannot be read as the type the program asks for.",
    "mixed-types": "An s-op whose values have different types at different positions.",
    "illegal-value": "An s-op value that is not a string, number or boolean.",
    "average-of-non-numbers": "Several selected values that cannot be averaged.",
    "type-mismatch": "An operator applied to types that it does not combine.",
    "division-by-zero": "Division or remainder by zero.",
    "number-too-large": "A number beyond what the operation or this program's limits can hold.",
    "too-large": "A list, string or range beyond the limits.",
    # models
    "bad-circuit": "A node or edge that a model does not have, or a model whose circuit its weights do not determine.",
    "bad-suite": "A folder that is not a suite of ground truth, or a program, level or method that it does not have.",
    "bad-model": "A transformer whose parts do not fit together, or that cannot be kept in a file.",
    "bad-model-file": "A file that is not a model of capax, or is damaged, or is of another version of the format.",
    "number-system": "No such number system, sizes that do not fit, or a model that cannot be run in it.",
    "not-generative": "A model that cannot be asked for the next token, or for probabilities.",
    "unknown-token": "A word with a token that a model does not know.",
    "word-length": "A word that is too short or too long for a model, or of another length than a list in a program.",
    "unfit-spec": "A specification whose letters or answers a model does not have, or that cannot be read.",
    # theorems
    "unknown-theorem": "No theorem or limit of the name asked for.",
    "unknown-task": "No task of the name asked for, or none that can be trained.",
    "unknown-source": "No source, or no statement of it, of the number asked for.",
    "bad-ngram": "Counts, a table or sizes that do not define an n-gram model, or a model that was not made from one.",
    # limits
    "no-layout": "A model that does not declare where the parts of a task's input stand, or that declares another task "
    "or other sizes.",
    "not-splittable": "A model that the reduction does not cover, or that players cannot share.",
    "protocol-differs": "The players of a protocol computed something else than the whole model.",
    "bad-witness": "A file that is not a witness, or one that is for another model.",
    # the lab
    "bad-settings": "Unknown or incompatible training settings.",
    "bad-spec": "A sweep that cannot be read, or that does not say what it must.",
    "bad-checkpoint": "A checkpoint that is damaged, or that is of another run.",
    # formal languages
    "bad-regex": "A text that is not a regular expression.",
    "bad-formula": "A text that is not a formula.",
    "bad-automaton": "Data that does not describe an automaton or a circuit.",
    "bad-machine": "A text or data that does not describe a Turing machine.",
    "bad-question": "A question that the atlas cannot read, or a value, class or assumption that it does not have.",
    "unknown-language": "No language or group of the name asked for.",
    # options
    "bad-examples": "A file of examples that is empty, or has a line that is not an example.",
    "bad-state": "A file that is not the state of a search, or is that of another search.",
    "bad-option": "A command-line option or argument that makes no sense here.",
    # the playground
    "stopped": "A request to the playground that needed more time or memory than it may have, or had to wait too long.",
    # compiling
    "bad-alphabet": "The tokens that a model is to be made for are not a list of distinct tokens.",
    "too-many-values": "A part of the program has more values, or needs a larger table, than the budget allows.",
    "always-fails": "A part of the program fails on every word of the domain.",
    "not-compilable": "The program cannot be compiled on this domain.",
    "rests-on-rounding": "An answer depends on how the interpreter rounds floats; no weights can follow it there.",
    "broken-assumption": "A word breaks the promise that a model was compiled for.",
    "compiled-wrong": "The compiled weights do not give the program's answers; nothing was written.",
    "not-certified": "A model cannot be proved right at the length and in the precision that were asked for.",
    "not-in-coq": "A model or program that the proofs in Coq do not cover.",
    "no-program": "A model that does not say which program it was made from: there is nothing to compare it with.",
    # exporting
    "missing-extra": "A package that an extra of capax installs is missing.",
    "not-exportable": "The target format cannot represent this model.",
    "export-differs": "The exported model does not give the model's answers; nothing was written.",
    # importing
    "not-importable": "A model of another library that capax cannot represent.",
}
"""Every error and warning code, with the sentence that the reference page shows."""
