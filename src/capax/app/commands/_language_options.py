"""The language that the options of `capax recognise` describe, in one of nine ways."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.atlas.recognition.language import DescribedLanguage

FORMS: Final = ("regex", "ltl", "fo", "foc", "ltlc", "dfa", "counter", "circuit", "language")
WITH_ALPHABET: Final = ("regex", "ltl", "fo", "foc", "ltlc")
"""The forms that say no alphabet of their own."""


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """A language, in one of the forms; the others are None. Files are given by their names."""

    regex: str | None = None
    ltl: str | None = None
    fo: str | None = None
    foc: str | None = None
    ltlc: str | None = None
    dfa: str | None = None
    counter: str | None = None
    circuit: str | None = None
    language: str | None = None
    alphabet: str | None = None
    split: str = "chars"

    @property
    def form(self) -> str:
        """The form that is given; none or several are an error."""
        given = [name for name in FORMS if getattr(self, name) is not None]
        if len(given) != 1:
            names = ", ".join(f"--{name}" for name in FORMS[1:-1])
            what = f"give one of REGEX, {names} and --{FORMS[-1]}"
            raise CapaxError("bad-option", what, hint="for instance: capax recognise '(ab)*'")
        return given[0]

    @property
    def text(self) -> str | None:
        """The language as a specification of `capax audit`; None for a form that has none, or is a file."""
        form = self.form
        return f"{form}:{getattr(self, form)}" if form in ("regex", "ltl", "fo", "foc", "ltlc", "language") else None

    def symbols(self) -> list[str] | None:
        """The symbols of the option for the alphabet."""
        symbols = None if self.alphabet is None else read_word(self.alphabet, self.split)
        if symbols is not None and (not symbols or len(set(symbols)) != len(symbols)):
            hint = "for instance: --alphabet ab"
            raise CapaxError("bad-alphabet", "the alphabet is empty, or has a symbol twice", hint=hint)
        if symbols is not None and self.form not in WITH_ALPHABET:
            what = f"--alphabet goes with REGEX and formulas; --{self.form} has an alphabet of its own"
            raise CapaxError("bad-option", what)
        return symbols


def describe(options: LanguageOptions, budget: int) -> "DescribedLanguage":
    """The language that the options describe."""
    from capax.atlas.recognition import language as ways

    if budget < 1:
        raise CapaxError("bad-option", "--max-length and --budget are positive numbers")
    form, symbols = options.form, options.symbols()
    text = str(getattr(options, form))
    match form:
        case "regex":
            return ways.from_regex(text, symbols, budget)
        case "ltl":
            return ways.from_ltl(text, symbols, budget)
        case "fo":
            return ways.from_fo(text, symbols, budget)
        case "foc":
            return ways.from_foc(text, symbols)
        case "ltlc":
            return ways.from_ltlc(text, symbols)
        case "language":
            return ways.from_name(text)
        case "counter":
            return _counter(text)
        case "dfa":
            return ways.from_automaton(_json(text), text)
        case _:
            return ways.from_circuit(_json(text), text)


def _counter(file: str) -> "DescribedLanguage":
    """The machine in a file, or a built-in one by its name."""
    from capax.app.files.text_files import read_text
    from capax.atlas.recognition.language import from_counter
    from capax.errors import Source
    from capax.formal.counters.machines import ENDING, counter_names, counter_source
    from capax.formal.counters.text import parse_counters

    path = Path(file)
    if not path.exists() and (path.suffix != ENDING or (path.stem in counter_names() and path.parent == Path())):
        name = path.name.removesuffix(ENDING)
        return from_counter(parse_counters(counter_source(name)), name)
    return from_counter(parse_counters(Source(file, read_text(path))), file)


def _json(path: str) -> Any:
    """The JSON data of a file."""
    from capax.app.files.text_files import read_text

    try:
        return json.loads(read_text(Path(path)))
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-automaton", f"{path} is not JSON: {error}") from None


def read_word(text: str, split: str) -> list[str]:
    """The symbols of a text: its characters, or its words."""
    if split not in ("chars", "words"):
        raise CapaxError("bad-option", f"--as is chars or words, not {split}")
    return text.split() if split == "words" else list(text)
