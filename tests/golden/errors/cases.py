"""For each error code the texts, commands and lines of Python that produce it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.golden.errors import texts


@dataclass(frozen=True)
class Text:
    """A text that is run as a file; `files` stand beside it."""

    text: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    steps: float = math.inf


@dataclass(frozen=True)
class Command:
    """A command line; `files` stand in the working directory."""

    args: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Python:
    """Lines of Python with the names of capax imported, the last of which raises the error."""

    code: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)


Case = Text | Command | Python


def _command(*args: str, **files: str | bytes) -> Command:
    return Command(args, {f"{name}.rasp": content for name, content in files.items()})


_ENDLESS = 'def f(x) { return f(x); }\nf("a");'
_LOOP = "for x in range(1000000) { y = x; }"

_SMALL = ("--alphabet", "ab", "--max-length", "4")
_TWO_LOOPS = "repeat 2 { state a = indices % 2; a = 1 - a; } repeat 3 { state b = a; b = 1 - b; }"
_GROWS = "repeat length { state n = 0; n = n + 1; }"
_KIND = "repeat length { state m = indices % 2; m = aggregate(select(indices, indices, <=), m); }"

_FILES: dict[str, list[Case]] = {
    "bad-pads": [Python("pad(indices, length + 1)"), Python("pad(indices, 2, None)")],
    "bad-rounds": [Python("repeat(lambda a: a, [indices], -1)")],
    "no-states": [Python("repeat(lambda: [], [], length)")],
    "state-outside": [Python("kept = []\nrepeat(lambda a: kept.append(a) or a, [indices], 2)\nkept[0]('ab')")],
    "several-loops": [_command("compile", "two.rasp:b", *_SMALL, two=_TWO_LOOPS)],
    "state-grows": [_command("compile", "grows.rasp:n", *_SMALL, grows=_GROWS)],
    "state-kind": [_command("compile", "kind.rasp:m", *_SMALL, kind=_KIND)],
    "has-loop": [Python("import capax\ncapax.schedule(capax.library.rule_110)")],
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


def _data(row: str, after: str = "") -> Python:
    """Reading a program of two nodes, the positions and another."""
    nodes = f'[{{"node": "Indices"}}, {row}]'
    return Python(f'Program.from_json({{"format": "capax-program", "version": 1, "nodes": {nodes}}}){after}')


_PYTHON: dict[str, list[Case]] = {
    "bad-pattern": [Python("pattern([[1, 0], [1]])"), Command(("pattern", "10/011"))],
    "truth-value": [
        Python('if tokens == "a": pass'),
        Python("(indices > 0) and (indices < 3)"),
        Python("0 < indices < 3"),
        Python('tokens in ["a", "b"]'),
        Python('"a" in tokens'),
        Python("list(tokens)"),
        Python('before = select(indices, indices, "<")\nnot before'),
        Python("for row in full_s: pass"),
    ],
    "bad-program": [
        Python("Program.from_json({})"),
        Python('Program.from_json({"format": "capax-program", "version": 9})'),
        Python('Program.from_json({"format": "capax-program", "version": 1, "nodes": []})'),
        _data('{"node": "Mapp"}'),
        _data('{"node": "Width", "selector": 0}'),
        _data('{"node": "Map", "op": "+", "args": [0]}'),
        _data('{"node": "Map", "op": "neg", "args": [7]}'),
    ],
    "not-expressible": [_data('{"node": "Table", "kind": "string", "entries": [[0, "ab"]], "arg": 0}', ".to_text()")],
    "bad-option": [
        Python("tokens.map(str.upper)"),
        Python('select(tokens, tokens, "=")'),
        Python("key(tokens) == tokens"),
        Python('indices.named("my place")'),
        Python('indices.batch(["a"], errors="skip")'),
    ],
    "bad-token": [Python('tokens_int.batch(["12", "1a"])')],
    "not-a-program": [Python('Program.from_text("x = 3;")')],
}


_MEAN = "import capax\nmean = aggregate(full_s, tokens_asis)\n"
_PLUS = "import capax\ncount = selector_width(select(tokens, '+', '=='))\n"
_EXAMPLE = "from examples.previous_token import build\nmodel = build()\n"
_VERIFY = (
    "model.save('m.safetensors')\nimport capax.app.commands.verify as v\nv.verify('m.safetensors', words=9, seed=0)"
)

_SAVED = f"""{_EXAMPLE}model.save('model.safetensors')
from pathlib import Path
data = Path('model.safetensors').read_bytes()
"""
_HARDMAX = "Path('other.safetensors').write_bytes(data.replace(b'softmax', b'hardmax'))\n"
_UNCHECKED = "load_model('other.safetensors', unchecked=True)"
_MODELS: dict[str, list[Case]] = {
    "bad-model": [
        Python(
            "from dataclasses import replace\n"
            "from capax.model.parts import OracleMap\n"
            f"{_EXAMPLE}replace(model, input_mlp=OracleMap(abs, 'abs')).save('model.safetensors')"
        ),
        Python(
            f"from dataclasses import replace\n{_EXAMPLE}replace(model, numbers='float32').save('model.safetensors')"
        ),
        Python(
            f"from dataclasses import replace\nfrom capax.model.provenance import Provenance\n"
            f"{_EXAMPLE}replace(model, provenance=Provenance(extra={{'when': {{1}}}})).save('m.safetensors')"
        ),
        Python("from capax.model.positions import position_function\nposition_function('log(i)')"),
    ],
    "bad-model-file": [
        Command(("apply", "text.safetensors", "abc"), {"text.safetensors": "This is a text and no model."}),
        Command(("size", "empty.safetensors"), {"empty.safetensors": b""}),
        Command(("explain", "foreign.safetensors"), {"foreign.safetensors": b"\2\0\0\0\0\0\0\0{}"}),
        Command(
            ("draw", "newer.safetensors", "abc"),
            {"newer.safetensors": b'A\0\0\0\0\0\0\0{"__metadata__":{"format":"capax-model","version":"3","more":""}}'},
        ),
        Python(f"{_SAVED}Path('cut.safetensors').write_bytes(data[:-8])\nload_model('cut.safetensors')"),
        Python(f"{_SAVED}{_HARDMAX}load_model('other.safetensors')"),
        Python(f"{_SAVED}{_HARDMAX}import warnings\nwarnings.simplefilter('ignore')\n{_UNCHECKED}"),
    ],
    "number-system": [
        Python(f"{_EXAMPLE}model.to('float128')"),
        Python(f"{_EXAMPLE}model.to('fixed:40.8')"),
        Python(f"from dataclasses import replace\n{_EXAMPLE}replace(model, numbers='fixed:16.8')('abc')"),
        Python(f"{_EXAMPLE}model.to('fixed:30.8')"),
    ],
    "not-generative": [
        Python(f"{_EXAMPLE}model.generate('ab', 3)"),
        Python(
            f"from dataclasses import replace\nfrom capax.model.vocabulary import Classes\n{_EXAMPLE}"
            "head = replace(model.blocks[0].heads[0], mask='none')\n"
            "block = replace(model.blocks[0], heads=(head,))\n"
            "replace(model, blocks=(block,), decoding=Classes(('a', 'b', 'c', 'a '))).generate('ab', 3, stop='a ')"
        ),
    ],
    "unfit-spec": [Python(f"import capax\n{_EXAMPLE}capax.audit(model, 'regex:(xy)*', alphabet='xy')")],
    "unknown-token": [Python(f"{_EXAMPLE}model('abx')"), Python(f"{_EXAMPLE}model([1, 'a'])")],
    "word-length": [
        Python(f"{_EXAMPLE}model('')"),
        Python(f"from dataclasses import replace\n{_EXAMPLE}replace(model, max_length=3)('abca')"),
        Python('select([2, 0, 0], [0, 1, 2], "==")("hello")'),
        Python("(indices + [1])('ab')"),
    ],
    "file-not-found": [Python("load_model('none.safetensors')")],
    "file-unreadable": [Python("load_model('.')"), Python(f"{_EXAMPLE}model.save('no/such/folder/m.safetensors')")],
}

_COUNT = 'import capax\ncount = selector_width(select(tokens, tokens, "=="))\n'

_COMPILING: dict[str, list[Case]] = {
    "bad-alphabet": [
        Python(f"{_COUNT}capax.compile(count, alphabet='aba', max_length=5)"),
        Python(f"{_COUNT}capax.compile(count, alphabet=7, max_length=5)"),
        Python(f"{_COUNT}capax.compile(count, alphabet=['a', None], max_length=5)"),
        Python(f"{_COUNT}capax.compile(count, alphabet='', max_length=5)"),
        Command(
            ("compile", "reverse", "--alphabet-file", "tokens.txt", "--max-length", "5"), {"tokens.txt": "one\n\ntwo\n"}
        ),
        Command(("compile", "reverse", "--alphabet-file", "tokens.json", "--max-length", "5"), {"tokens.json": "{}"}),
    ],
    "bad-option": [
        Python(f"{_COUNT}capax.compile(count, alphabet='ab', max_length=0)"),
        Python(f"{_COUNT}capax.compile(count, alphabet='ab', max_length=5, dtype='float16')"),
        _command("compile", "reverse", "--max-length", "5"),
        _command("compile", "reverse", "--alphabet", "ab", "--max-length", "5", "-o", "model.pt"),
    ],
    "too-many-values": [
        Python(
            'import capax\nbefore = select(indices, indices, "<=")\nmean = aggregate(before, tokens_int)\n'
            "capax.compile(aggregate(before, mean), alphabet='0123456789', max_length=40)"
        ),
        _command("compile", "1 / aggregate(full_s, tokens_int)", "--alphabet", "0123456789", "--max-length", "400"),
    ],
    "always-fails": [
        _command("compile", "tokens_int + 1", "--alphabet", "ab", "--max-length", "5"),
        _command("compile", "1 / (indices - indices)", "--alphabet", "ab", "--max-length", "5"),
    ],
    "not-compilable": [
        Python("import capax\ncapax.compile(full_s, alphabet='ab', max_length=5)"),
        Python("import capax\ncapax.compile(len, alphabet='ab', max_length=5)"),
    ],
    "rests-on-rounding": [
        Python(f"{_MEAN}capax.compile(mean == 0.1, alphabet=[0.1, 2], max_length=3)"),
        Python(f"{_MEAN}capax.compile(round(mean * 5), alphabet=[0.1, 0.3], max_length=12)"),
    ],
    "broken-assumption": [Python(f"{_PLUS}capax.compile(count, alphabet='1+', max_length=3, assume=count == 1)('11')")],
    "compiled-wrong": [
        Python(
            "from unittest.mock import patch\n"
            "import capax\n"
            "from capax.compiler import compile_program\n"
            "build = compile_program.build\n"
            "with patch.object(compile_program, 'build', lambda node, *rest: build(indices.node, *rest)):\n"
            "    capax.compile(indices + 1, alphabet='ab', max_length=5)"
        )
    ],
    "bad-circuit": [Python(f"{_COUNT}capax.compile(count, alphabet='a', max_length=3).interchange('a', 'a', 'm9')")],
    "bad-suite": [_command("suite", "list", "nowhere")],
    "not-certified": [
        Python(
            "import capax\n"
            "below = select(tokens_int, tokens_int, '<')\n"
            "rank = aggregate(select(selector_width(below), indices, '=='), tokens_int, 0)\n"
            "capax.compile(rank, alphabet=[0, 1, 2, 3], max_length=40, dtype='bfloat16', certify='require', words=20)"
        )
    ],
    "not-in-coq": [Python(f"{_EXAMPLE}from capax.certify.coq import coq_certificate\ncoq_certificate(model)")],
    "no-program": [Python(f"{_EXAMPLE}{_VERIFY}")],
}

_THEOREMS: dict[str, list[Case]] = {
    "unknown-theorem": [
        _command("theorem", "ngram-head"),
        _command("limit", "compositon"),
    ],
    "unknown-task": [Python("from capax import tasks\ntasks.task('next-tokn')")],
    "unknown-source": [_command("sources", "01"), _command("sources", "003-99")],
    "bad-ngram": [
        _command("ngram", "fit", "empty.rasp", "-n", "3", "-o", "lm.safetensors", empty=""),
        _command("ngram", "fit", "p.rasp", "-n", "1", "-o", "lm.safetensors", p="a b"),
        Python(
            "from capax.formal.ngram.fit import from_table\n"
            "from_table(2, 'ab', {(None,): {'a': 0.5, 'b': 0.4}}, rest={None: 1.0})"
        ),
        Python("from capax.formal.ngram.fit import from_table\nfrom_table(2, 'ab', {(None,): {'a': 1.0}})"),
        Python(
            f"{_EXAMPLE}model.save('previous.safetensors')\n"
            "from capax.app.commands.ngram import score\nscore('previous.safetensors', ['a'])"
        ),
    ],
    "bad-option": [
        _command("theorem", "ngram-heads", "--order"),
        _command("theorem", "ngram-heads", "--ordr", "3"),
        _command("theorem", "ngram-heads", "--order", "three"),
    ],
}

_FORMAL: dict[str, list[Case]] = {
    "bad-regex": [
        _command("recognise", "(ab"),
        _command("recognise", "a)"),
        _command("recognise", "a|*b"),
        _command("recognise", "a{3,2}"),
        _command("recognise", "[ab"),
        _command("recognise", "()"),
    ],
    "bad-formula": [
        _command("recognise", "--ltl", "a & "),
        _command("recognise", "--ltl", "a S S b"),
        _command("recognise", "--ltl", "A"),
        _command("recognise", "--ltl", "true"),
    ],
    "bad-automaton": [
        Command(("recognise", "--dfa", "one.json"), {"one.json": "{}"}),
        Command(("recognise", "--dfa", "one.json"), {"one.json": "states"}),
        Command(("recognise", "--circuit", "one.json"), {"one.json": '{"inputs": 1, "gates": [], "output": 3}'}),
        Python("from capax.formal.automata.dfa import Dfa\nDfa(('a',), ((1,),), 0, frozenset())"),
    ],
    "bad-question": [
        _command("atlas", "softmax", "log-precison", ":", "S5"),
        _command("atlas", "softmax", "log", ":", "S5"),
        _command("atlas", "softmax", "PARITY"),
        _command("atlas", "softmax", "average-hard", ":", "PARITY"),
        _command("atlas", "softmax", ":", "NC2"),
        _command("atlas", "--attention", "softmx", "--language", "PARITY"),
        _command("atlas", "--mask", "strict", "--language", "PARITY"),
        _command("atlas", "--what-if", "AC0 = TC0"),
        _command("atlas", "--what-if", "TC0 is NC1"),
    ],
    "unknown-language": [
        _command("recognise", "--language", "parrity"),
        _command("recognise", "--language", "dyck"),
        _command("recognise", "--language", "word-problem-s9"),
    ],
    "unknown-token": [
        _command("recognise", "(ab)*", "abc"),
        _command("recognise", "abc", "--alphabet", "ab"),
    ],
    "too-large": [_command("recognise", "(a|b)*a(a|b){30}")],
    "bad-option": [
        _command("recognise"),
        _command("recognise", "--ltl", "a", "--language", "parity"),
        _command("recognise", "(ab)*", "--draw", "one.png"),
        _command("recognise", "(ab)*", "--route", "dyck"),
    ],
}

_EXPORTING: dict[str, list[Case]] = {
    "missing-extra": [Python("from capax.model.export.target import need\nneed('torch', ('no_such_package',))")],
    "not-exportable": [
        Python(f"{_EXAMPLE}model.to('fixed:16.8').to_torch()"),
        Python(f"{_EXAMPLE}export_model(model.to('bfloat16'), 'out', to='onnx')"),
    ],
    "export-differs": [
        Python(
            f"{_EXAMPLE}from dataclasses import replace\n"
            "from capax.app.files.exports import export\n"
            "from capax.model.export.torch.target import TARGET, run_module\n"
            "wrong = model.to_torch()\n"
            "wrong.readout.map.weight.data *= -1\n"
            "export(model, 'out', replace(TARGET, load=lambda folder: lambda words: run_module(wrong, words)))"
        )
    ],
    "bad-option": [Python(f"{_EXAMPLE}export_model(model, 'out', to='pytorch')")],
}

_OTHER = '{"model_type": "mamba"}'
_EMPTY = b"\x02" + bytes(7) + b"{}"
_IMPORTING: dict[str, list[Case]] = {
    "not-importable": [Command(("import-model", "."), {"config.json": _OTHER, "model.safetensors": _EMPTY})],
    "file-not-found": [
        _command("import-model", "nowhere"),
        Command(("import-model", "."), {"config.json": _OTHER}),
    ],
    "bad-model-file": [Command(("import-model", "."), {"config.json": "{}", "model.safetensors": _EMPTY})],
}

_MACHINES: dict[str, list[Case]] = {
    "bad-machine": [
        Python(
            "from capax.errors import Source\nfrom capax.formal.turing.read_machine import read_machine\n"
            f"read_machine(Source('m.tm', {text!r}))"
        )
        for text in (
            "# nothing",
            "go 0 -> 1 R go\ngo on",
            "go 0 -> 1 R",
            "go 0 -> 1 X go",
            "go 0 -> 1 R go\ngo 0 -> 0 R go",
            "go 0 -> 1 R go : 1/2\ngo 0 -> 0 R go : 1/3",
        )
    ]
}

_WITNESS = '{"format": "capax-witness", "version": 7}'
_LIMITS: dict[str, list[Case]] = {
    "bad-witness": [
        Python(f"from capax.limits.witnesses.check.read_witness import read_witness\nread_witness({text!r}, 'w.json')")
        for text in ("[]", _WITNESS)
    ],
    "no-layout": [
        Python(
            "from dataclasses import replace\nfrom capax.limits.witnesses.claimed_task import claim_of\n"
            "from capax.limits.witnesses.models.triangle_graph import solving\n"
            "from capax.model.provenance import Provenance\n"
            f"claim_of(replace(solving(3), provenance=Provenance(layout={layout})), {task!r}, {given})"
        )
        for layout, task, given in (
            (None, "composition", {}),
            (None, "match3", {"n": 3, "modulus": "many"}),
            ({"task": "composition", "n": 3}, "parity", {"n": 3}),
            ({"task": "composition", "n": 3}, "composition", {"n": 4}),
        )
    ],
    "not-splittable": [
        Python(
            "from capax.limits.witnesses.models.composition import solving\n"
            "from capax.limits.protocols.composition import PROTOCOL\nPROTOCOL.play(solving(3), {'n': 3}, {}, 0)"
        )
    ],
    "protocol-differs": [
        Python(
            "import numpy as np\nfrom capax.limits.protocols.play.outcome import require_equal\n"
            "require_equal(np.array([1, 2]), np.array([1, 3]), 'logits')"
        )
    ],
    "number-system": [
        Python(
            "from capax.limits.witnesses.claimed_task import quantised\n"
            "from capax.limits.witnesses.models.composition import solving\n"
            f"quantised(solving(3){change}, {numbers!r})"
        )
        for change, numbers in ((".to('float64')", None), ("", "integer:20,4,6"))
    ],
}

_PLAYGROUND: dict[str, list[Case]] = {
    "stopped": [
        Python(f"from capax.app.web.sandbox.request_budget import QUICK, {name}\nraise {call}")
        for name, call in (
            ("out_of_time", "out_of_time(QUICK)"),
            ("out_of_memory", "out_of_memory(QUICK)"),
            ("busy", "busy()"),
        )
    ],
}


_SPEC = 'name = "x"\nquestion = "?"\nprediction = "!"\n'
_LAB: dict[str, list[Case]] = {
    "bad-settings": [
        Command(("train", "reverse", "--layer", "2")),
        Command(("train", "reverse", "--norm", "middle")),
        Command(("train", "reverse", "--heads", "3")),
        Command(("train", "reverse", "--steps", "many")),
        Command(("train", "match2", "--supervision", "10")),
        Command(("train", "reverse", "--start", "compiled", "--marks", "bos")),
        Command(("train", "q-sparse-averaging")),
    ],
    "bad-spec": [
        Command(("sweep", "one.toml"), {"one.toml": text})
        for text in (
            "name =",
            'name = "x"',
            _SPEC + 'settings = {task = "reverse"}\npreset = 1',
            _SPEC + 'settings = {task = "reverse"}\ngrid = {layers = 2}',
            _SPEC + 'settings = {task = "reverse"}\n[[verdict.rules]]\nmeasure = "token_accuracy"',
        )
    ],
    "bad-checkpoint": [
        Command(("train", "reverse", "--checkpoint", "run.pt"), {"run.pt": b"not a checkpoint"}),
    ],
    "unknown-task": [Command(("train", "revers"))],
    "bad-model": [Command(("train", "reverse", "--net", "lstm", "-o", "net.safetensors"))],
    "bad-examples": [
        Command(("search", "pairs.tsv"), {"pairs.tsv": "abc\tcba\nab\n"}),
        Command(("search", "pairs.tsv"), {"pairs.tsv": "abc\tc b\n"}),
        Command(("search", "pairs.tsv"), {"pairs.tsv": "ab\tba\nab\tab\n"}),
        Command(("search", "pairs.tsv"), {"pairs.tsv": "ab\tba\nabc\tcb\n"}),
    ],
    "bad-state": [Command(("search", "reverse", "--state", "state.npz"), {"state.npz": b"PK\x03\x04"})],
}


def cases() -> dict[str, list[Case]]:
    """The cases of every code, texts first."""
    found: dict[str, list[Case]] = {code: [Text(text) for text in group] for code, group in texts.TEXTS.items()}
    first = (_FILES, _INPUTS, _PYTHON, _MODELS, _COMPILING, _THEOREMS, _FORMAL)
    for more in (*first, _EXPORTING, _IMPORTING, _MACHINES, _LIMITS, _LAB, _PLAYGROUND):
        for code, group in more.items():
            found[code] = found.get(code, []) + group
    return found
