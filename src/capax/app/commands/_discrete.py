"""`capax train --discrete`: a network that is a program, its text, and the compiled model with its certificate."""

import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from capax.app.options import ENDING, count
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.compiler.compiled import Compiled
    from capax.lab.discrete.agreement import NetworkAgreement
    from capax.lab.discrete.discrete_settings import DiscreteSettings
    from capax.lab.discrete.learn import LearnedNetwork

PROGRAM_ENDING: Final = ".rasp"
RANDOM_WORDS: Final = 500
FEW_HELD_OUT: Final = 50
"""With fewer words held out their accuracy says little."""


@dataclass(frozen=True, slots=True)
class DiscreteResult:
    """What readable training gave: the network, its program, how they compare, and the compiled model."""

    settings: "DiscreteSettings"
    learned: "LearnedNetwork"
    program: str
    nodes: int
    agreement: "NetworkAgreement"
    compiled: "Compiled | None"
    not_compiled: str | None
    cpu_seconds: float
    file: str | None
    model_file: str | None

    @property
    def yes(self) -> bool:
        """Whether every held-out word is right, and the model certified at the greatest length."""
        return self.right and self.agreement.equal and self.certified_length >= self.settings.max_length

    @property
    def right(self) -> bool:
        """Whether the task is learned: every held-out word is answered right."""
        return self.learned.accuracy == 1.0

    @property
    def certified_length(self) -> int:
        """The greatest length that the compiled model is certified for; 0 without one."""
        return 0 if self.compiled is None else self.compiled.certified_length or 0

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        learned, agreement, size = self.learned, self.agreement, None if self.compiled is None else self.compiled.size
        return {
            "task": self.settings.task,
            "settings": self.settings.to_json(),
            "rounds": learned.rounds,
            "steps": learned.steps,
            "cpu_seconds": self.cpu_seconds,
            "trained_accuracy": learned.trained_accuracy,
            "training_accuracy": learned.training_accuracy,
            "network_accuracy": learned.accuracy,
            "program_accuracy": agreement.program_accuracy,
            "learned": self.right,
            "held_out_words": len(learned.held_out.tokens),
            "equal": agreement.equal,
            "compared_words": agreement.words,
            "all_words_up_to": agreement.short_length,
            "first_difference": None if agreement.equal else list(agreement.first_difference or ()),
            "program": self.program,
            "nodes": self.nodes,
            "size": None if size is None else size.to_json(),
            "label": None if self.compiled is None else self.compiled.label,
            "certified_length": self.certified_length,
            "not_compiled": self.not_compiled,
            "file": self.file,
            "model_file": self.model_file,
        }

    def render(self) -> str:
        """The report as text, with the program."""
        learned, agreement = self.learned, self.agreement
        effort = f"{count(learned.rounds, 'round')}, {count(learned.steps, 'step')}, {self.cpu_seconds:.0f} CPU s"
        lines = [
            f"{self._title()}: words of up to {self.settings.max_length} tokens; {effort}",
            f"network accuracy    {learned.accuracy:.4f} on {self._tested()}",
            f"program accuracy    {agreement.program_accuracy:.4f} on the same words",
            *self._warnings(),
            f"the same function   {self._same()}",
            f"before refinement   {learned.trained_accuracy:.4f} on words learned from",
            *self._size(),
        ]
        return "\n".join([*lines, "", self.program.rstrip()])

    def _title(self) -> str:
        """The task with its parameters, those that were not given among them."""
        parameters = "".join(f" --{name.replace('_', '-')} {x}" for name, x in self.settings.parameters.items())
        return f"{self.settings.task}{parameters}"

    def _tested(self) -> str:
        held_out = len(self.learned.held_out.tokens)
        return count(held_out, "held-out word") if held_out else "the words learned from"

    def _warnings(self) -> list[str]:
        """What the figures do not say: few words were held out, or the task is not learned."""
        lines = []
        held_out = len(self.learned.held_out.tokens)
        if held_out < FEW_HELD_OUT:
            words = "no word was" if not held_out else f"only {count(held_out, 'word')} {_were(held_out)}"
            lines.append(f"warning             {words} left to hold out: the accuracy says little about other words")
        if not self.right:
            lines.append("learned             no: what follows is about this program, which is not the task")
        return lines

    def _same(self) -> str:
        agreement = self.agreement
        compared = f"{count(agreement.words, 'word')}, all up to length {agreement.short_length} among them"
        if agreement.first_difference is None:
            return f"yes, on {compared}"
        return f"no, of {compared}: {' '.join(map(str, agreement.first_difference))}"

    def _size(self) -> list[str]:
        if self.compiled is None:
            return [f"program             {count(self.nodes, 'node')}", f"not compiled        {self.not_compiled}"]
        size = self.compiled.size
        heads = f", heads per layer {', '.join(map(str, size.heads))}" if size.heads else ""
        return [
            f"program             {count(self.nodes, 'node')}, {count(size.attention_layers, 'layer')}{heads}",
            f"compiled            {self.compiled.label}" + ("" if self.right else " (the program, not the task)"),
        ]


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def train_discrete(
    task: str, options: dict[str, str], output: str | None, model: str | None, minutes: float
) -> DiscreteResult:
    """What readable training gave; the program goes to the file `output`, the compiled model to `model`, if named."""
    from capax.app.files.models import save_model
    from capax.app.process.output import say
    from capax.lab.discrete.agreement import compare
    from capax.lab.discrete.learn import DiscreteProgress, learn
    from capax.lab.discrete.to_rasp import ANSWER, to_rasp
    from capax.lab.training_run import warm_up
    from capax.model.io.atomic import check_writable, write_bytes
    from capax.rasp.ir.graph import topological
    from capax.rasp.python.program import SOp
    from capax.rasp.text.module import program_from_text

    _check_files(output, model, minutes)
    settings = read_discrete_settings(task, options)
    for name in filter(None, (output, model)):
        check_writable(Path(name))
    warm_up()
    began = time.process_time()

    def watch(progress: DiscreteProgress) -> None:
        say(f"{task}  round {progress.round}, {progress.what}: accuracy {progress.accuracy:.4f}")

    learned = learn(settings, watch=watch, stop=lambda: time.process_time() - began > 60 * minutes)
    text = to_rasp(learned.network, learned.lexicon)
    program = program_from_text(text, ANSWER)
    assert isinstance(program, SOp)
    agreement = compare(
        learned.network, program, learned.lexicon, learned.held_out, others=RANDOM_WORDS, seed=settings.seed
    )
    text = _heading(settings, learned) + text
    if output is not None:
        write_bytes(Path(output), text.encode())
    compiled, why = _compiled(program, learned)
    if model is not None and compiled is not None:
        save_model(compiled.model, model)
    return DiscreteResult(
        settings,
        learned,
        text,
        len(topological(program.node)),
        agreement,
        compiled,
        why,
        time.process_time() - began,
        output,
        model if compiled is not None else None,
    )


def _check_files(output: str | None, model: str | None, minutes: float) -> None:
    if output is not None and not output.endswith(PROGRAM_ENDING):
        what = f"with --discrete a program is written, to a {PROGRAM_ENDING} file, not to {output}"
        raise CapaxError("bad-option", what, hint=f"-o NAME{PROGRAM_ENDING}; --compile NAME{ENDING} for the model")
    if model is not None and not model.endswith(ENDING):
        raise CapaxError(
            "bad-option", f"a model is kept in a {ENDING} file, not in {model}", hint=f"--compile NAME{ENDING}"
        )
    if not 0 < minutes < 1e6:
        raise CapaxError("bad-option", f"--minutes cannot be {minutes:g}", hint="a number above 0")


def _heading(settings: "DiscreteSettings", learned: "LearnedNetwork") -> str:
    """Comments that say where the program comes from."""
    own = ("task", "parameters", "seed")
    changed = {
        item.name.replace("_", "-"): getattr(settings, item.name)
        for item in fields(settings)
        if item.name not in own and getattr(settings, item.name) != item.default
    }
    options = "".join(f" --{name} {value}" for name, value in (changed | dict(settings.parameters)).items())
    return (
        f"# Learned from examples: capax train {settings.task} --discrete{options} --seed {settings.seed}\n"
        f"# Words of up to {settings.max_length} of the tokens {' '.join(map(str, learned.lexicon.tokens))}; "
        f"accuracy {learned.accuracy:.4f} on {count(len(learned.held_out.tokens), 'held-out word')}"
        f"{'' if learned.accuracy == 1.0 else ': not learned'}.\n"
    )


def _compiled(program: Any, learned: "LearnedNetwork") -> "tuple[Compiled | None, str | None]":
    """The program as a model, or why it is not compiled."""
    from capax.compiler.compile import compile

    try:
        tokens, longest = learned.lexicon.tokens, learned.lexicon.max_length
        return compile(program, alphabet=tokens, max_length=longest), None
    except CapaxError as error:
        return None, f"{error.code}: {error.what}"


def read_discrete_settings(task: str, options: dict[str, str]) -> "DiscreteSettings":
    """The settings of a command line; an option that is not a setting is a parameter of the task."""
    from capax import tasks
    from capax.lab.discrete.discrete_settings import DiscreteSettings, discrete_settings_of

    own = {p.name for p in tasks.training(task).parameters}
    known = {item.name: item for item in fields(DiscreteSettings) if item.name not in ("task", "parameters")}
    plain: dict[str, object] = {"task": task}
    parameters: dict[str, str] = {}
    for option, text in options.items():
        name = option.removeprefix("setting_")
        if name in known and (option != name or name not in own):
            plain[name] = _number(name, text, known[name].type)
        elif option in own:
            parameters[option] = text
        else:
            plain[option] = text  # refused with the names that there are
    return discrete_settings_of(plain | {"parameters": parameters})


def _number(name: str, text: str, kind: Any) -> int | float:
    try:
        number: int | float = kind(text)
    except ValueError:
        hint = "a whole number" if kind is int else "a number"
        raise CapaxError("bad-settings", f"--{name.replace('_', '-')} cannot be {text!r:.60}", hint=hint) from None
    return number
