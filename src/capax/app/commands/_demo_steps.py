"""What the demo shows: each step is some commands of capax, run as they are written, with what they print."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from capax.app.commands._printed import PrintedCommand
from capax.errors import CapaxError

REVERSE = """\
flip = select(indices, length - 1 - indices, ==);
reverse = aggregate(flip, tokens);
"""


@dataclass(frozen=True, slots=True)
class DemoPicture:
    """A picture as SVG, and its caption."""

    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class DemoStep:
    """A part of the demo: what it is about, the commands, the pictures, and one line that sums it up."""

    title: str
    words: str
    commands: tuple[PrintedCommand, ...]
    pictures: tuple[DemoPicture, ...]
    line: str
    why: str
    """Why it matters, in one line."""
    text: str = ""


Run = Callable[[str], PrintedCommand]
Part = Callable[[Run, Path], DemoStep]


def _first_line(printed: PrintedCommand, *starts: str) -> str:
    """The first line of the output that starts in one of some ways, with single blanks."""
    for line in printed.output.splitlines():
        if line.startswith(starts):
            return " ".join(line.split())
    return printed.output.splitlines()[0] if printed.output else ""


def _program(run: Run, folder: Path) -> DemoStep:
    (folder / "reverse.rasp").write_text(REVERSE, encoding="utf-8")
    ran = run("capax run reverse.rasp hello")
    cost = run("capax layers reverse.rasp")
    run("capax draw reverse.rasp hello -o flow.svg")
    return DemoStep(
        "A program",
        "In RASP a `select` says where each position looks, and an `aggregate` fetches what is there: attention "
        "without learning. Two lines reverse a word, and capax shows what they cost as a transformer.",
        (ran, cost),
        (DemoPicture(_svg(folder / "flow.svg"), "The flow of reverse on hello, layer by layer"),),
        f"{_first_line(ran, 'reverse')}; {_first_line(cost, 'reverse')}",
        "two lines of RASP say where each position looks; that is all an attention layer does",
        REVERSE,
    )


def _weights(run: Run, folder: Path) -> DemoStep:
    compiled = run("capax compile reverse.rasp --alphabet ehlo --max-length 20 -o reverse.safetensors")
    applied = run("capax apply reverse.safetensors hello")
    run("capax draw reverse.safetensors hello -o model.svg")
    return DemoStep(
        "Its weights",
        "The compiler turns the program into transformer weights. Nothing was trained; the attention of the second "
        "layer is the selector of the program.",
        (compiled, applied),
        (DemoPicture(_svg(folder / "model.svg"), "The attention of the compiled model on hello"),),
        f"{_first_line(compiled, 'parameters')}; {_first_line(applied, 'reverse')}",
        "a real transformer, and nothing was trained: every weight has a reason, every head a name",
    )


def _certificate(run: Run, folder: Path) -> DemoStep:
    checked = run("capax verify --certificate reverse.safetensors")
    return DemoStep(
        "Its certificate",
        "The model's file carries a proof that every answer is right, up to a length and in a number system, under a "
        "stated model of floating point. It is checked here from the weights and the program's text, by code that "
        "imports no module of the compiler; the rewriting of programs is shared.",
        (checked,),
        (),
        _first_line(checked, "reverse.safetensors", "yes", "no"),
        "not `right on a test set` but right on every word up to this length, proved from the weights",
    )


def _export(run: Run, folder: Path) -> DemoStep:
    done = run("capax export reverse.safetensors --to onnx -o onnx")
    line = "not tried: the extra `onnx` is not installed"
    if done.exit_code == 0:
        line = f"{_first_line(done, 'yes').removeprefix('yes ')}; {_first_line(done, 'largest')}"
    return DemoStep(
        "Export to ONNX",
        "The export is loaded back by onnxruntime and compared with the model, word by word; if an answer differed, "
        "nothing would be written. PyTorch, Hugging Face and TransformerLens work the same way.",
        (done,),
        (),
        line,
        "use it where you work: PyTorch, TransformerLens, Hugging Face, Llama, ONNX",
    )


def _theorem(run: Run, folder: Path) -> DemoStep:
    built = run("capax theorem parity")
    return DemoStep(
        "A theorem: what two layers can compute",
        "A positive theorem is code that builds a model and tests it: two layers of softmax attention decide whether a "
        "word has an odd number of ones (PARITY), with a margin that shrinks as words grow.",
        (built,),
        (),
        _first_line(built, "yes", "no"),
        "a theorem of a paper is code here: it builds the model and tests it at your sizes",
    )


def _fooled(line: str) -> str:
    """The line of `capax fool` for a reader who has not met transcripts."""
    bits = re.search(r"equal transcripts \((.+ bits) as written\)", line)
    return f"two prompts for which the heads pass on the same {bits[1]}, with different right answers" if bits else line


def _limit(run: Run, folder: Path) -> DemoStep:
    bound = run("capax limit composition --heads 1 --dim 2 --bits 8 --n 16")
    run("capax make-model composition --n 16 --heads 1 --dim 2 -o layer.safetensors")
    fooled = run("capax fool layer.safetensors --task composition -o witness.json")
    checked = run("capax check-witness witness.json layer.safetensors")
    run("capax protocol composition layer.safetensors --draw protocol.svg")
    return DemoStep(
        "A limit: what one layer cannot compute",
        "A negative theorem is a number, a conversation and a pair of inputs. One attention layer cannot compose "
        "functions on 16 values: its heads pass on too few bits. So there are two prompts that this layer cannot "
        "tell apart although their answers differ; here they are, checked by independent code.",
        (bound, fooled, checked),
        (DemoPicture(_svg(folder / "protocol.svg"), "The layer as a conversation of Alice, Bob and a referee"),),
        f"{_fooled(_first_line(fooled, 'two inputs', 'no witness'))}; {_first_line(checked, 'yes', 'no')}",
        "an impossibility in your hand: two prompts with different answers that look the same to the layer",
    )


def _atlas(run: Run, folder: Path) -> DemoStep:
    hard = run("capax atlas --attention leftmost-hard --language PARITY")
    soft = run("capax atlas --attention softmax --language PARITY")
    run("capax atlas --draw classes.svg")
    answers = [_answer(s) for s in (hard, soft)]
    return DemoStep(
        "What is known",
        "Can transformers recognise PARITY? It depends on the attention. The atlas derives each answer from published "
        "claims and shows the chain.",
        (hard, soft),
        (DemoPicture(_svg(folder / "classes.svg"), "Classes of languages, with the models placed in them"),),
        f"PARITY: leftmost-hard attention {answers[0]}, softmax attention {answers[1]}",
        "what is known, with the chain of papers behind each answer",
    )


def _answer(printed: PrintedCommand) -> str:
    words = ("yes", "no", "unknown", "conditional")
    return next((line for line in printed.output.splitlines() if line.startswith(words)), "no answer")


def _svg(path: Path) -> str:
    if not path.exists():
        raise CapaxError("bad-option", f"the demo could not draw {path.name}", hint="run `capax draw reverse hello`")
    return path.read_text(encoding="utf-8")


PARTS: tuple[tuple[str, Part], ...] = (
    ("a program", _program),
    ("its weights", _weights),
    ("its certificate", _certificate),
    ("an export", _export),
    ("a theorem", _theorem),
    ("a limit", _limit),
    ("the atlas", _atlas),
)
"""The steps, each with the word for it while it runs."""


def steps(run: Run, folder: Path, begin: Callable[[str], None]) -> Iterator[DemoStep]:
    """The steps of the demo, one after the other; `begin` is told what comes."""
    for name, part in PARTS:
        begin(name)
        yield part(run, folder)
