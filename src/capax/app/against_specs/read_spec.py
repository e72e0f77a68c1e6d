"""From the text of a specification to the specification: `regex:(ab)*`, a name, a file, an expression."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from capax.auditor.spec import Spec, by_text
from capax.auditor.specs.languages import of_dfa, of_language, of_membership, of_next_letters
from capax.auditor.specs.machine import of_machine
from capax.auditor.specs.programs import of_function, of_model, of_program
from capax.errors import CapaxError, nearest
from capax.formal.automata.dfa_json import dfa_from_json
from capax.formal.automata.regex import letters as regex_letters
from capax.formal.automata.regex import parse_regex, regex_dfa
from capax.formal.languages.catalogue import FAMILIES, language
from capax.model.model import Model
from capax.model.provenance import Provenance
from capax.model.vocabulary import Token, token_key
from capax.tasks.base.task import Task

MOST_LETTERS: Final = 64
"""A vocabulary with more tokens is not taken for an alphabet unless one is named."""
_WORD: Final = re.compile(r"[\w-]+|.*\.safetensors", re.DOTALL)
"""A name, or what is meant for one, and a model's file."""
FORMS: Final = "regex, ltl, fo, foc, ltlc, next, automaton, language, program, task, model"
_MARK: Final = re.compile(
    r"<\|?(pad|unk|s|/s|bos|eos|end|cls|sep|mask|endoftext)\|?>|\[(PAD|UNK|BOS|EOS|CLS|SEP|MASK)\]"
)
"""The names of tokens that are no letters unless --alphabet names them."""


@dataclass(frozen=True, slots=True)
class SpecContext:
    """What a specification is read for: the model, the letters named, the longest words, a task's parameters.

    `usual` are the letters where there is no model, and none are named.
    """

    model: Model | None
    alphabet: tuple[Token, ...] | None
    longest: int
    end: Token | None = None
    parameters: Mapping[str, str] | None = None
    usual: tuple[Token, ...] = ()

    def letters(self) -> tuple[Token, ...]:
        """The letters of words: those that were named, else the model's tokens but for its special ones."""
        if self.alphabet is not None:
            return self.alphabet if self.model is None else by_text(self.alphabet, self.model.vocabulary.tokens)
        if self.model is None:
            return self.usual
        domain = self.model.provenance.domain
        if domain is not None and domain.alphabet is not None:
            return domain.alphabet
        special = {token_key(t) for t in (*self.model.prefix, *(() if self.end is None else (self.end,)))}
        if self.model.provenance.end_marker is not None:
            special.add(token_key(self.model.provenance.end_marker))
        every = self.model.vocabulary.tokens
        tokens = tuple(t for t in every if token_key(t) not in special and not _marks(t))
        if len(tokens) > MOST_LETTERS:
            what = f"the model has {len(tokens):,} tokens, and an audit needs to know which of them words consist of"
            raise CapaxError("unfit-spec", what, hint="name them: --alphabet ab")
        return tokens

    def symbols(self, own: Sequence[str]) -> tuple[str, ...]:
        """The alphabet of a language: the letters above, if they are texts and include the expression's own."""
        if self.alphabet is None and (self.model is None or len(self.model.vocabulary.tokens) > MOST_LETTERS):
            return tuple(own)
        letters = self.letters() if self.alphabet is None else self.alphabet
        if all(isinstance(x, str) for x in letters):
            return tuple(str(x) for x in letters)
        return tuple(own)


def _marks(token: Token) -> bool:
    """Whether a token of a checkpoint is one that tokenizers add, such as `<pad>`, and no letter."""
    return isinstance(token, str) and _MARK.fullmatch(token) is not None


def read_spec(text: str, context: SpecContext) -> Spec:
    """The specification that a text names, as `KIND:TEXT` or, where that is clear, without the kind."""
    _not_empty(text)
    kind, colon, rest = text.partition(":")
    if colon and kind in _READERS:
        return _READERS[kind](rest, context)
    path = Path(text.partition(".rasp:")[0] + ".rasp" if ".rasp:" in text else text)
    if path.suffix == ".rasp":
        return _program(text, context)
    if path.exists() and (path.is_dir() or path.suffix == ".safetensors"):
        return _model(text, context)
    if path.suffix == ".json":
        return _automaton(text, context)
    return _by_name(text, context)


def with_kind(text: str) -> str:
    """A text with its kind where there is no model: a library program, a language or a task, in this order.

    A single word that is none of these, and no expression, is a mistyped name rather than a regular expression.
    """
    from capax import tasks
    from capax.app.resolve import resolve
    from capax.rasp import library

    _not_empty(text)
    if text.partition(":")[0] in _READERS or not _WORD.fullmatch(text) or text == "own":
        return text
    if text.endswith(".safetensors"):
        return f"model:{text}"
    entry = library.entries().get(text)
    if entry is not None and entry.params is None:
        return f"program:{text}"
    if _is_language(text):
        return f"language:{text}"
    if text in tasks.names():
        return f"task:{text}"
    if Path(text).exists():
        return text
    try:
        resolve(text)
    except CapaxError:
        if entry is not None:
            raise
        known = [*library.entries(), *FAMILIES, *tasks.names()]
        near = nearest(text, known)
        hint = f"did you mean `{near}`? " if near else ""
        hint += f"`capax list` shows the library; a regular expression is written regex:{text}"
        raise CapaxError("unknown-program", f"there is no program `{text}`", hint=hint, name=text) from None
    return f"program:{text}"


def _not_empty(text: str) -> None:
    if not text.strip():
        raise CapaxError("unfit-spec", "the specification is empty", hint=f"write KIND:TEXT with one of {FORMS}")


def _is_language(text: str) -> bool:
    try:
        language(text)
    except CapaxError:
        return False
    return True


def read_text_spec(text: str, context: SpecContext) -> Spec:
    """As `read_spec`, for a text that may come from anybody: it names no file, and none is looked for."""
    kind, colon, rest = text.partition(":")
    known = bool(colon) and kind in _READERS
    written = not known or kind not in ("automaton", "dfa") or rest.lstrip().startswith("{")
    if kind == "model" or ".rasp" in text or not written:
        hint = "write it out: regex:TEXT, ltl:TEXT, next:TEXT, automaton:JSON, language:NAME, program:TEXT, task:NAME"
        raise CapaxError("unfit-spec", f"{text!r:.80} names a file, and none is read here", hint=hint)
    return _READERS[kind](rest, context) if known else _by_name(text, context)


def _by_name(text: str, context: SpecContext) -> Spec:
    """A language, a library program, a task, an expression or a regular expression, whichever the text is first."""
    from capax import tasks
    from capax.rasp import library

    if text == "own":
        return _own(context)
    try:
        return of_language(language(text))
    except CapaxError:
        pass
    if text in library.entries():
        return _program(text, context)
    if text in tasks.names():
        return _task(text, context)
    try:
        return _program(text, context)
    except CapaxError as not_program:
        try:
            return _regex(text, context)
        except CapaxError as not_regex:
            what = f"{text!r:.80} is not a known specification"
            hint = f"write KIND:TEXT with one of {FORMS}; read as a regular expression: {not_regex.what}"
            raise CapaxError("unfit-spec", what, hint=hint) from not_program


def _own(context: SpecContext) -> Spec:
    """What the model's file names as what it computes: its program, language, formula or task."""
    if context.model is None:
        what = "`own` is what a model's file says, and there is no model"
        raise CapaxError("unfit-spec", what, hint=f"write KIND:TEXT with one of {FORMS}")
    facts = context.model.provenance
    if facts.program is not None:
        from capax.certify.recheck.recheck import program_in

        program, _ = program_in(context.model)
        return of_program(program, context.letters(), context.longest, name=facts.name)
    if facts.computes is not None:
        letters = context.letters()
        return read_text_spec(facts.computes, replace(context, alphabet=letters))
    if facts.formula is not None:
        return _ltl(facts.formula, context)
    settings = facts.settings
    if settings is not None and isinstance(settings.get("task"), str):
        values = settings.get("parameters")
        known = {k: str(v) for k, v in values.items()} if isinstance(values, Mapping) else {}
        return _task(settings["task"], replace(context, parameters=known))
    raise CapaxError("unfit-spec", "the model's file does not say what it computes", hint=_what_to_name(facts))


def _what_to_name(facts: Provenance) -> str:
    """What a model can be held against whose file does not say what it computes."""
    if facts.ngram is not None:
        return "`capax ngram fit` proves its probabilities; --against OTHER.safetensors compares the likeliest tokens"
    if facts.turing is not None:
        return "`capax tm` compares a decoder with its machine; --against OTHER.safetensors compares single answers"
    return "say what it is to compute: --against 'regex:(ab)*', --against majority, --against FILE.rasp"


def _regex(text: str, context: SpecContext) -> Spec:
    own = sorted(regex_letters(parse_regex(text)))
    dfa = regex_dfa(text, context.symbols(own)).minimal()
    return of_dfa(dfa, text, "regex", _defined(text, dfa.alphabet))


def _next(text: str, context: SpecContext) -> Spec:
    own = sorted(regex_letters(parse_regex(text)))
    end = None if context.end is None else str(context.end)
    symbols = tuple(s for s in context.symbols(own) if s != end)
    dfa = regex_dfa(text, symbols).minimal()
    return of_next_letters(dfa, f"the next letters of {text}", end, _defined(text, dfa.alphabet, end=end))


def _formula(kind: str) -> Callable[[str, SpecContext], Spec]:
    """The reader of a kind of formulas."""

    def read(text: str, context: SpecContext) -> Spec:
        from capax.app.commands._language_options import LanguageOptions, describe

        letters = context.symbols(())
        plain = " ".join(letters) if letters else None
        options = LanguageOptions(**{kind: text}, alphabet=plain, split="words")
        described = describe(options, 20_000)
        if described.dfa is not None:
            return of_dfa(described.dfa, text, kind, _defined(text, described.alphabet))
        definition = _defined(text, described.alphabet)
        return of_membership(text, kind, described.alphabet, described.accepts, definition)

    return read


def _ltl(text: str, context: SpecContext) -> Spec:
    return _formula("ltl")(text, context)


def _automaton(text: str, context: SpecContext) -> Spec:
    from capax.app.files.text_files import read_text

    inline = text.lstrip().startswith("{")
    content = text if inline else read_text(Path(text))
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-automaton", f"{text:.60} is not JSON: {error}") from None
    dfa = dfa_from_json(data)
    return of_dfa(dfa, "the automaton" if inline else Path(text).name, "automaton", json.dumps(data))


def _language(text: str, context: SpecContext) -> Spec:
    return of_language(language(text))


def _program(text: str, context: SpecContext) -> Spec:
    from capax.app.resolve import resolve

    resolved = resolve(text)
    return of_program(resolved.program, context.letters(), context.longest, name=resolved.name)


def _task(text: str, context: SpecContext) -> Spec:
    from capax import tasks

    name, _, given = text.partition("?")
    named = {key: value for key, _, value in (item.partition("=") for item in given.split("&") if item)}
    if name not in tasks.names() and _is_language(name):
        raise CapaxError("unknown-task", f"{name} is a language and no task", hint=f"write language:{name}", name=name)
    task = tasks.task(name)
    values = {**(context.parameters or {}), **named}
    own = task.settle({p.name: values[p.name] for p in task.parameters if p.name in values})
    if name == "regex":
        return _regex(str(own["regex"]), replace(context, alphabet=tuple(str(own["alphabet"]))))
    if name == "language":
        return replace(of_language(language(str(own["name"]))), definition=str(own["name"]))
    settings = ",".join(f"{k}={v}" for k, v in own.items())
    title = f"{name} ({settings})" if settings else name
    definition = json.dumps({"task": name, "parameters": {k: str(v) for k, v in own.items()}})
    letters = _named_of(_task_letters(task, values, context), context.alphabet)
    if task.machine is not None:
        return of_machine(title, "task", letters, task.machine(**own), longest=context.longest, definition=definition)
    every, one = task.every, _gives_one(task, own)
    spec = of_function(
        title,
        letters,
        lambda word: task.reference(word, **own),
        kind="task",
        definition=definition,
        every=None if every is None else lambda n: filter(set(letters).issuperset, every(n, **own)),
        one_answer=one,
    )
    return replace(spec, each=not one)


def _named_of(letters: tuple[Token, ...], named: Sequence[Token] | None) -> tuple[Token, ...]:
    """Those of a task's letters that are named, if all that are named are such letters; else all of them."""
    texts = {str(x) for x in named or ()}
    return tuple(x for x in letters if str(x) in texts) if texts and texts <= set(map(str, letters)) else letters


def _task_letters(task: Task, values: Mapping[str, str], context: SpecContext) -> tuple[Token, ...]:
    """The tokens of a task's words: those that its training has for these parameters, else the model's."""
    training = task.training
    if training is None:
        return context.letters()
    settled = training.settle({p.name: values[p.name] for p in training.parameters if p.name in values})
    return training.vocabularies(settled, context.longest).inputs


def _gives_one(task: Task, own: Mapping[str, Any]) -> bool:
    """Whether a task's reference gives one answer for a whole word, tried on a word."""
    word = task.samples(1, 3, 0, **own)[0]
    result = task.answer(word, **own)
    return not isinstance(result, list | tuple) or len(result) != len(word)


def _model(text: str, context: SpecContext) -> Spec:
    from capax.app.files.checkpoints import any_model

    other = any_model(text)
    letters = None if context.alphabet is None else by_text(context.alphabet, other.vocabulary.tokens)
    return of_model(other, Path(text).name, letters)


def _defined(text: str, alphabet: Sequence[str], **more: Any) -> str:
    """The definition of an expression: its text and alphabet, as JSON."""
    return json.dumps({"text": text, "alphabet": list(alphabet), **more})


_READERS: Final[dict[str, Callable[[str, SpecContext], Spec]]] = {
    "regex": _regex,
    "ltl": _formula("ltl"),
    "fo": _formula("fo"),
    "foc": _formula("foc"),
    "ltlc": _formula("ltlc"),
    "next": _next,
    "automaton": _automaton,
    "dfa": _automaton,
    "language": _language,
    "program": _program,
    "task": _task,
    "model": _model,
}
"""The kinds of specifications, and what reads the text of each."""


def spec_again(kind: str, definition: str, context: SpecContext) -> Spec:
    """The specification of a witness: its kind, and the definition that the specification had."""
    match kind:
        case "program":
            from capax.rasp.python.program import Program

            return of_program(Program.from_text(definition), context.letters(), context.longest)
        case "task":
            data = json.loads(definition)
            return _task(data["task"], replace(context, parameters=data["parameters"]))
        case "regex" | "ltl" | "fo" | "foc" | "ltlc" | "next":
            data = json.loads(definition)
            end = data.get("end", context.end)
            own = replace(context, alphabet=tuple(data["alphabet"]), end=end)
            return _READERS[kind](data["text"], own)
        case "automaton" | "language":
            return _READERS[kind](definition, context)
    raise CapaxError("bad-witness", f"a witness against a specification of kind {kind!r:.40} cannot be checked here")


def model_again(other: Model, definition: str, name: str, letters: tuple[Token, ...]) -> Spec:
    """The specification of a witness that two models differ: the other model, if it is the one of the definition."""
    if other.key() != definition:
        what = f"{name} is not the model that the first one was held against: the digests of the weights differ"
        raise CapaxError("bad-witness", what, hint="give the model file that --against named")
    return of_model(other, Path(name).name, letters)
