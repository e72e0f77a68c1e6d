"""For each error code the texts and commands that produce it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.golden.errors import texts


@dataclass(frozen=True)
class Text:
    """A text that is run as a file; `files` stand beside it."""

    text: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    steps: int | None = None


@dataclass(frozen=True)
class Command:
    """A command line; `files` stand in the working directory."""

    args: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)


Case = Text | Command


def _command(*args: str, **files: str | bytes) -> Command:
    return Command(args, {f"{name}.rasp": content for name, content in files.items()})


_ENDLESS = 'def f(x) { return f(x); }\nf("a");'
_LOOP = "for x in range(1000000) { y = x; }"

_FILES: dict[str, list[Case]] = {
    "call-depth": [Text(_ENDLESS)],
    "too-many-steps": [Text(_LOOP, steps=50_000)],
    "file-not-found": [
        Text('load "nowhere";'),
        Text('load "part";', {"part.rasp": 'load "nowhere";'}),
        _command("check", "nowhere.rasp"),
        _command("run", "nowhere.rasp", "abc"),
    ],
    "file-unreadable": [
        Text('load "latin";', {"latin.rasp": b'x = "\xe9";'}),
        _command("check", "latin.rasp", latin=b'x = "\xe9";'),
        _command("fmt", "."),
    ],
    "cyclic-load": [
        Text('load "one";', {"one.rasp": 'load "two";', "two.rasp": 'x = 1;\nload "one";'}),
        Text('load "self";', {"self.rasp": 'load "self";'}),
    ],
    "unknown-program": [
        _command("run", "revrse", "abc"),
        _command("run", "qqqq", "abc"),
        _command("run", "p.rasp:doble", "abc", p="double = indices * 2;"),
        _command("run", "p.rasp:zzz", "abc", p="double = indices * 2; half = indices / 2;"),
    ],
    "not-a-program": [
        _command("run", "p.rasp:f", "abc", p="def f(a, b) { return a + b; }"),
        _command("run", "p.rasp", "abc", p="x = 3;"),
        _command("run", "p.rasp:x", "abc", p="x = 3;"),
        _command("run", "1 + 2", "abc"),
    ],
    "bad-option": [_command("run", "reverse", "abc", "--as", "bytes")],
}

_INPUTS: dict[str, list[Case]] = {
    "bad-input": [
        _command("run", "reverse", "1 two 3", "--as", "ints"),
        _command("run", "reverse", "1.5 x", "--as", "floats"),
        _command("run", "reverse", "[1, 2", "--as", "json"),
        _command("run", "reverse", "3", "--as", "json"),
        _command("run", "reverse", "[[1], [2]]", "--as", "json"),
    ],
    "empty-input": [_command("run", "reverse", "")],
    "syntax": [_command("run", "a = 1; b = 2", "abc")],
    "unclosed": [_command("run", "reverse(", "abc")],
    "undefined-name": [_command("run", "tokns + 1", "abc")],
    "mixed-types": [_command("run", "p.rasp", "abc", p="x = shift(indices, 1, 0);\ny = tokens if x > 0 else x;")],
    "division-by-zero": [_command("run", "1 / indices", "abc")],
}


def cases() -> dict[str, list[Case]]:
    """The cases of every code, texts first."""
    found: dict[str, list[Case]] = {code: [Text(text) for text in group] for code, group in texts.TEXTS.items()}
    for more in (_FILES, _INPUTS):
        for code, group in more.items():
            found[code] = found.get(code, []) + group
    return found
