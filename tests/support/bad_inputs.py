# ruff: noqa: E501, SIM905
"""Seeded bad inputs for the command line: programs, streams, models, witnesses, results, sweeps, files, options."""

import json
import os
import random
import sqlite3
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.forked import Case

# what is bad

WORDS = 'indices length tokens tokens_int full_s select aggregate selector_width round reverse sort best def for in return if else not and or load set example draw zip range len indicator True False x y f 1 0 -1 0.5 1e308 10^400 2^70 1e-320 == < > <= >= != + - * / % ^ ( ) [ ] { } , ; : = " "a" \'é\' # \n \t \\ @ $ \u2028 😀 _ .5 5. 1e 0x1 //'.split(
    " "
)
PROGRAMS = (
    "reverse",
    "aggregate(select(indices, length - 1 - indices, ==), tokens)",
    "selector_width(select(tokens, tokens, ==))",
    "x = indices + 1;\ny = x * 2 if x > 2 else 0;\n",
    "def f(a, b) { c = a + b; return c * 2; }\nz = f(indices, length);\n",
    'load "reverse";\nset example "abc"\n',
    "dyck1_ptf",
    "sort(tokens, tokens)",
    "(indices * 1e308) / (length ^ 3)",
    "for i in range(3) { q = indices % (i + 1); }\n",
)
NUMBERS = (
    "-1",
    "0",
    "1",
    "2",
    "1e999",
    "nan",
    "-inf",
    "99999999999999999999",
    "10",
    "",
    "x",
    "0x10",
    "1_0",
    " 3",
    "٣",
    "2.5",
)
NAMES = (
    "",
    ".",
    "..",
    "/",
    "nowhere",
    "none.rasp",
    "folder",
    "pipe.rasp",
    "loop.rasp",
    "a" * 300,
    "b/" * 200,
    "ü\u0301",
    "a\nb",
    "~",
    "-",
    "*",
)
TEXTS = (
    "",
    "abc",
    "é€😀",
    "a b c",
    "1 2 3",
    "[1, 2.5, true]",
    '["\\ud800"]',
    "[null]",
    "{}",
    "[[1]]",
    "1e400",
    "nan",
    "\x00",
    "\u202e",
    "a" * 3000,
    "(()",
    "-",
)


def mutated(r: random.Random, text: str) -> str:
    """A text with a few changes."""
    for _ in range(r.randint(0, 4)):
        at = r.randint(0, len(text))
        text = r.choice(
            (
                text[:at] + r.choice(WORDS) + text[at:],
                text[:at] + text[at + r.randint(1, 5) :],
                text[:at] + text[max(0, at - 6) :],
                text[:at] + chr(r.choice((0, 7, 0xFEFF, 0x301, 0x1F600, r.randint(32, 0x2FFF)))) + text[at:],
            )
        )
    return text


def soup(r: random.Random) -> str:
    """Words of the language in no order, or a program with changes, or one that is too deep or too long."""
    kind = r.random()
    if kind < 0.3:
        return " ".join(r.choice(WORDS) for _ in range(r.randint(0, 25)))
    if kind < 0.9:
        return mutated(r, r.choice(PROGRAMS))
    deep, long = r.choice((50, 2000)), r.choice((100, 20_000))
    return r.choice(
        (
            "(" * deep + "1" + ")" * deep,
            "x" * long + " = 1;",
            "not " * deep + "1",
            '"' + "a" * long + '"',
            "1+" * deep + "1",
        )
    )


def broken(r: random.Random, data: bytes) -> bytes:
    """Bytes with some changed, cut or added."""
    kind, at = r.random(), r.randint(0, max(0, len(data) - 1))
    if kind < 0.4:
        return data[:at] + bytes([r.randint(0, 255)]) + data[at + 1 :]
    if kind < 0.6:
        return data[:at]
    if kind < 0.8:
        return data[:at] + r.randbytes(r.randint(1, 20)) + data[at:]
    return r.choice(
        (b"", b"\xff\xfe", b"{}", b"[]", b"\x00" * 100, r.randbytes(200), b"SQLite format 3\x00" + b"\x00" * 100)
    )


VALUES = (None, True, -1, 0, 10**30, 10**400, 1.5, "", "x", "1", [], [1], [[]], {}, {"a": 1}, "a" * 500, 1e308)


def changed(r: random.Random, value: object) -> object:
    """JSON with one part changed."""
    if isinstance(value, dict) and value and r.random() < 0.85:
        key = r.choice(sorted(value))
        if r.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: changed(r, value[key])}
    if isinstance(value, list) and value and r.random() < 0.8:
        at = r.randrange(len(value))
        return [*value[:at], changed(r, value[at]), *value[at + 1 :]]
    return r.choice(VALUES)


def bad_model(r: random.Random, data: bytes) -> bytes:
    """A model file with a change in its bytes, or in its header alone."""
    if r.random() < 0.5 or len(data) < 8:
        return broken(r, data)
    (size,) = struct.unpack("<Q", data[:8])
    try:
        header = json.loads(data[8 : 8 + size])
    except ValueError:
        return broken(r, data)
    told = header.get("__metadata__", {})
    if told and r.random() < 0.8:
        key = r.choice(sorted(told))
        try:
            header["__metadata__"] = {**told, key: json.dumps(changed(r, json.loads(told[key])))}
        except ValueError:
            header["__metadata__"] = {**told, key: mutated(r, told[key])}
    else:
        header = changed(r, header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


def bad_results(r: random.Random, data: bytes, folder: Path) -> bytes:
    """A file of results with a value that should not be there, or damaged."""
    if r.random() < 0.4:
        return broken(r, data)
    path = folder / f"changing-{os.getpid()}.sqlite"
    path.write_bytes(data)
    db = sqlite3.connect(path)
    try:
        table = r.choice(("runs", "members", "experiments"))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column = r.choice(columns)
        (old,) = db.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone() or (None,)
        value: object = r.choice((None, "text", b"bytes", -1, 2**62, 1e308, "", '{"a": 1}', "[]", '{"kl": "x"}'))
        if isinstance(old, str) and old[:1] in "{[" and r.random() < 0.8:
            value = json.dumps(changed(r, json.loads(old)))
        elif isinstance(old, str) and r.random() < 0.7:
            value = mutated(r, old)
        db.execute(f"UPDATE {table} SET {column} = ?", (value,))
        db.commit()
    except (sqlite3.Error, UnicodeError, OverflowError):
        pass
    finally:
        db.close()
    found = path.read_bytes()
    path.unlink()
    return found


# cases


@dataclass(frozen=True)
class Base:
    """Good files, from which bad ones are made."""

    model: bytes
    ngram: bytes
    results: bytes
    layer: bytes
    witness: bytes
    spec: bytes


Maker = Callable[[random.Random, Base, Path], Case]


def _program(r: random.Random, base: Base, folder: Path) -> Case:
    text = soup(r)
    stdin = r.choice(TEXTS).encode("utf-8", "surrogatepass")
    if r.random() < 0.5:
        files, name = {"p.rasp": text.encode("utf-8", "surrogatepass")}, r.choice(("p.rasp", "p.rasp", "p.rasp:x"))
    else:
        files, name = {}, text.replace("\x00", "")
    word = r.choice(TEXTS).replace("\x00", "")
    split = r.choice(("chars", "words", "ints", "floats", "json", "bytes"))
    match r.randrange(8):
        case 0 | 1:
            return Case(["run", name, "--as", split, "--", word], stdin, files)
        case 2:
            return Case(["check", name if files else "-"], text.encode("utf-8", "surrogatepass"), files)
        case 3:
            return Case(["fmt", "-", *r.choice(([], ["--check"], ["--json"]))], text.encode("utf-8", "surrogatepass"))
        case 4:
            return Case(["layers", name, *r.choice(([], ["--json"]))], stdin, files)
        case 5:
            output = r.choice((None, "o.svg", "o.html", "o.txt", "o.xyz", "folder/o.svg", "nowhere/o.svg"))
            more = [] if output is None else ["-o", output]
            return Case(["draw", name, *more, "--as", split, "--", word or "a"], stdin, files, output)
        case 6:
            more = [
                "--alphabet",
                r.choice(("ab", "", "aa", "a b", "é", "[1,1.0]")),
                "--max-length",
                r.choice(("3", "1", *NUMBERS)),
            ]
            return Case(["compile", name, *more, "--as", split, "-o", "o.safetensors"], stdin, files, "o.safetensors")
        case _:
            return Case(["repl", *r.choice(([], ["--classic"]))], text.encode("utf-8", "surrogatepass"))


def _stream(r: random.Random, base: Base, folder: Path) -> Case:
    data = broken(r, (soup(r) * 3).encode("utf-8", "surrogatepass"))
    if r.random() < 0.4:
        lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        return Case(["run", r.choice(("reverse", "tokens_int + 1")), "--batch", "-", "--json"], data, lines=lines)
    command = r.choice(
        (
            ["run", "reverse", "-"],
            ["layers", "reverse", "-"],
            ["draw", "reverse", "-"],
            ["check", "-"],
            ["fmt", "-"],
            ["repl"],
            ["repl", "--classic"],
            ["apply", "m.safetensors", "-"],
            ["ngram", "score", "n.safetensors", "-"],
        )
    )
    return Case(command, data, {"m.safetensors": base.model, "n.safetensors": base.ngram})


def _model(r: random.Random, base: Base, folder: Path) -> Case:
    ngram = r.random() < 0.3
    files = {"m.safetensors": bad_model(r, base.ngram if ngram else base.model)}
    commands = [
        ["apply", "m.safetensors", r.choice(("ab", "", "é"))],
        ["size"],
        ["explain"],
        ["verify", "m.safetensors", "--words", "20"],
        ["verify", "m.safetensors", "--certificate"],
        ["draw"],
    ]
    commands += [
        ["ngram", "sample", "m.safetensors", "--count", "1", "--max-length", "20"],
        ["ngram", "score", "m.safetensors", "abab"],
    ]
    command = r.choice(commands[-2:] if ngram and r.random() < 0.6 else commands)
    return Case([*command, *([] if "m.safetensors" in command else ["m.safetensors"])], b"ab", files)


def _witness(r: random.Random, base: Base, folder: Path) -> Case:
    if r.random() < 0.6:
        data = json.dumps(changed(r, json.loads(base.witness))).encode()
    else:
        data = broken(r, base.witness)
    return Case(["check-witness", "w.json", "m.safetensors"], b"", {"w.json": data, "m.safetensors": base.layer})


def _results(r: random.Random, base: Base, folder: Path) -> Case:
    files = {"r.sqlite": bad_results(r, base.results, folder)}
    words = ["results", "--results", "r.sqlite", *r.choice(([], ["--json"]))]
    if r.random() < 0.4:
        return Case(["report", "--results", "r.sqlite", "-o", "o.html"], b"", files, "o.html")
    return Case(words, b"", files)


def _spec(r: random.Random, base: Base, folder: Path) -> Case:
    text = mutated(r, base.spec.decode()).replace("task =", "task = 7 #", 1)
    data = text.encode("utf-8", "surrogatepass") if r.random() < 0.6 else broken(r, b"7" + base.spec)
    return Case(["sweep", "s.toml", "--results", "o.sqlite"], b"", {"s.toml": data})


def _file(r: random.Random, base: Base, folder: Path) -> Case:
    name = r.choice(NAMES)
    data = {"none.rasp": broken(r, soup(r).encode("utf-8", "surrogatepass")), "g.rasp": f'load "{name}";'.encode()}
    if r.random() < 0.2:
        return Case([r.choice(("check", "layers")), "g.rasp"], b"", data)
    commands = (
        ["check"], ["fmt", "--check"], ["run"], ["layers"], ["size"], ["explain"], ["verify"], ["import-model"], ["tm"], ["sweep"],
        ["results", "--results"], ["recognise", "--dfa"], ["recognise", "--circuit"], ["run", "reverse", "--batch"], ["repl"],
        ["compile", "reverse", "--max-length", "2", "--alphabet-file"], ["ngram", "fit", "-o", "o.safetensors"], ["check-witness", "m.safetensors"],
        ["draw", "reverse", "ab", "-o"], ["compile", "reverse", "--alphabet", "ab", "--max-length", "2", "-o"], ["report", "-o"],
    )  # fmt: skip
    return Case([*r.choice(commands), "--" if name.startswith("-") and len(name) > 1 else name], b"x", data)


OPTIONS = "--json --as --max-length --alphabet --budget --dtype --causal --words --seed --certify --target --layer --head --all -o --trace --plan --batch --stop --count --temperature --order --smooth --attention --results --length --route --ltl --language --draw --read --steps --read --help --version".split(
    " "
)
COMMANDS = "run check fmt layers draw apply size explain compile export verify import-model theorems theorem limits limit protocol check-witness make-model tasks task tm recognise atlas results report list nothing".split(
    " "
)


def _options(r: random.Random, base: Base, folder: Path) -> Case:
    words = [r.choice(COMMANDS)]
    for _ in range(r.randint(0, 5)):
        words.append(
            r.choice(
                (
                    r.choice(OPTIONS),
                    r.choice(NUMBERS),
                    r.choice(("reverse", "ab", "composition", "parity", "dyck-2", "m.safetensors")),
                    r.choice(NAMES),
                )
            )
        )
    return Case([word.replace("\x00", "") for word in words], b"ab\n", {"m.safetensors": base.model})


def _language(r: random.Random, base: Base, folder: Path) -> Case:
    text = mutated(
        r, r.choice(("(ab)*", "a|b", "a{2,3}b", "~(a*b)", "[^a]b", "(a|b)*a(a|b)", "", "((((a))))"))
    ).replace("\x00", "")
    words = r.choice(
        (
            ["recognise", "--", text],
            ["recognise", "--ltl", mutated(r, "Y a & (b S a)").replace("\x00", "")],
            ["recognise", "--dfa", "d.json"],
            ["atlas", "--", text],
        )
    )
    dfa = {"alphabet": ["a", "b"], "states": 2, "start": 0, "accepting": [0], "delta": [[0, 1], [1, 0]]}
    return Case(words, b"", {"d.json": json.dumps(changed(r, dfa)).encode()})


MAKERS: tuple[tuple[Maker, int], ...] = (
    (_program, 30), (_stream, 10), (_model, 20), (_witness, 6), (_results, 8), (_spec, 3), (_file, 10), (_options, 10), (_language, 6),
)  # fmt: skip


def case(seed: int, number: int, base: Base, folder: Path) -> Case:
    """The case of a number."""
    r = random.Random(f"{seed}:{number}")
    maker = r.choices([m for m, _ in MAKERS], [weight for _, weight in MAKERS])[0]
    return maker(r, base, folder)
