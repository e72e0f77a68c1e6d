"""`capax.search`: the smallest programs for a task, a program, a model or examples."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from capax.app.against_specs.audit import spec_of
from capax.app.against_specs.read_spec import SpecContext, with_kind
from capax.app.files.text_files import read_text
from capax.app.resolve import resolve
from capax.auditor.spec import Spec
from capax.errors import CapaxError
from capax.model.vocabulary import Token
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Map, Table
from capax.rasp.python.program import Program, Selector, SOp
from capax.synthesis.examples import Examples, read_examples
from capax.synthesis.grammar import USUAL, Grammar, SearchLimits
from capax.synthesis.leaves import FEW_LETTERS
from capax.synthesis.outcome import SearchOutcome, SearchProgress
from capax.synthesis.search import search as run_search
from capax.synthesis.state import SearchState

LETTERS: Final = ("a", "b", "c")
"""The alphabet of a search whose specification does not say one."""
BITS: Final = ("0", "1")
MOST_INTEGER: Final = 1000
"""Larger integers of a program are not taken for constants of the grammar: rows have 16 bits."""
EXAMPLE_FILES: Final = (".tsv", ".txt")
MOST_SECONDS: Final = 86_400
LONGEST_WORDS: Final = 24


def search(
    spec: "Spec | Program | Examples | Any",
    *,
    alphabet: Any = None,
    size: int = 16,
    layers: int | None = None,
    heads: int | None = None,
    order: str | None = None,
    hints: Sequence[Program | str] = (),
    add: Sequence[str] = (),
    without: Sequence[str] = (),
    constants: Sequence[str | int] | None = None,
    ties: bool = False,
    first: bool = False,
    seconds: float = 60.0,
    megabytes: int = 1000,
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
    state: "SearchState | None" = None,
    report: Callable[[SearchProgress], None] = lambda progress: None,
) -> SearchOutcome:
    """The smallest RASP programs that agree with a specification, and what was exhausted.

    `spec` is an s-op, an automaton, a language, a model, examples, or a text such as `"reverse"`, `"task:sort"`,
    `"regex:(ab)*"` or the name of a file of examples (`input<TAB>output`). Programs have at most `size` nodes, `layers`
    layers (or the `order` of sublayers, such as `"ssf"`) and `heads` heads in all. `hints` are s-ops and selectors that
    count as one node. `add` and `without` name parts of the grammar; `constants` are strings and integers that programs
    may name. With `ties` all programs of the least size are given; with `first` the search ends at the first program
    that it finds. `seconds` bounds the processor time.

    >>> import capax
    >>> result = capax.search("hist_nobos", size=6)
    >>> print(result.best.text)
    same_token = select(tokens, tokens, ==);
    hist_nobos = selector_width(same_token);
    >>> result.is_smallest, result.best.layers, result.best.heads
    (True, 1, (1,))
    """
    if not 0 < seconds <= MOST_SECONDS:
        raise CapaxError("bad-option", f"seconds is a number up to {MOST_SECONDS:,}, not {seconds:g}")
    target, examples = _target(spec, alphabet, parameters)
    grammar = _grammar(add, without, constants, spec, target)
    start = time.process_time()
    return run_search(
        target,
        grammar=grammar,
        limits=SearchLimits(size, layers, heads, order, megabytes),
        hints=[_hint(hint) for hint in hints],
        examples=examples,
        ties=ties,
        first=first,
        seed=seed,
        name=_name(target.name),
        used=lambda: (time.process_time() - start) / seconds,
        report=report,
        state=state,
    )


def _target(spec: Any, alphabet: Any, parameters: Mapping[str, str] | None) -> tuple[Spec, Any]:
    """The specification, and its words where it is no more than examples."""
    if isinstance(spec, str) and Path(spec).suffix in EXAMPLE_FILES:
        spec = read_examples(read_text(Path(spec)), Path(spec).name)
    if isinstance(spec, Examples):
        return spec.spec, spec.words
    if isinstance(spec, str):
        spec = with_kind(spec)
    letters = None if alphabet is None else tuple(alphabet)
    if letters is not None and not letters:
        raise CapaxError("bad-alphabet", "the alphabet is empty", hint="--alphabet ab")
    values = {"symbols": str(len(LETTERS)), **(parameters or {})}
    context = SpecContext(None, letters, LONGEST_WORDS, None, values, _usual_letters(spec))
    return spec_of(spec, context), None


def _program(spec: Any) -> Program | None:
    """The program of a specification that is one."""
    if not isinstance(spec, str):
        return spec if isinstance(spec, Program) else None
    try:
        return resolve(with_kind(spec).removeprefix("program:")).program
    except CapaxError:
        return None


def _compared(spec: Any) -> set[Any]:
    """The constants of a program that are not only branches of conditionals, which are outputs."""
    program = _program(spec)
    values: set[Any] = set()
    for node in [] if program is None else topological(program.node):
        branches = node.operands[1:] if isinstance(node, Map) and node.op == "where" else ()
        values |= {x.value for x in node.operands if isinstance(x, Const) and not any(x is y for y in branches)}
        if isinstance(node, Table):
            values |= {key for key, _ in node.entries}
    return values


def _named(spec: Any) -> tuple[list[str], list[int]]:
    """The strings and integers that a program names, if the specification is one."""
    program = _program(spec)
    values: list[Any] = []
    for node in [] if program is None else topological(program.node):
        if isinstance(node, Const):
            values.append(node.value)
        if isinstance(node, Table):
            values += [key for key, _ in node.entries]
    distinct = list(dict.fromkeys((type(x), x) for x in values))
    return [x for kind, x in distinct if kind is str], [x for kind, x in distinct if kind is int]


def _usual_letters(spec: Any) -> tuple[Token, ...]:
    """The letters of a program that names some, 0 and 1 if it names one of these, and else a, b and c.

    Letters that it only gives as answers are left out where it compares with two others.
    """
    letters = tuple(text for text in _named(spec)[0] if len(text) == 1)
    read = _compared(spec)
    inputs = tuple(text for text in letters if text in read)
    if len(inputs) > 1:
        return inputs
    if len(letters) > 1:
        return letters
    if letters and letters[0] in BITS:
        return BITS
    return tuple(dict.fromkeys([*letters, *LETTERS]))[:3]


def _grammar(
    add: Sequence[str], without: Sequence[str], constants: Sequence[str | int] | None, spec: Any, target: Spec
) -> Grammar:
    """The grammar; where no constants are named, those of a program that is searched for are among them."""
    parts = (USUAL | frozenset(add)) - frozenset(without)
    if unknown := set(without) - set(Grammar(frozenset(add) | USUAL).parts):
        raise CapaxError("bad-option", f"the grammar has no part {', '.join(sorted(unknown))} to leave out")
    usual = Grammar().integers
    if constants is not None:
        integers = tuple(x for x in constants if isinstance(x, int))
        return Grammar(parts, integers or usual, tuple(x for x in constants if isinstance(x, str)))
    strings, numbers = _named(spec)
    small = tuple(x for x in numbers if x not in usual and abs(x) <= MOST_INTEGER)
    texts = [x for x in strings if x != ""]
    if len(target.letters) <= FEW_LETTERS:
        texts = [x for x in texts if x not in target.letters] and [*map(str, target.letters), *texts]
    return Grammar(parts, (*usual, *small), tuple(dict.fromkeys(texts)) or None)


def _hint(hint: Program | str) -> Program:
    program = resolve(hint).program if isinstance(hint, str) else hint
    if not isinstance(program, SOp | Selector):
        raise CapaxError("bad-option", f"a hint is an s-op or a selector, not {program}")
    return program


def _name(text: str) -> str:
    """A name for the program of a specification; `result` if it would not be one."""
    plain = re.sub(r"\W+", "_", text.partition("(")[0].partition(".")[0].strip(), flags=re.ASCII).strip("_").lower()
    return plain if plain.isidentifier() and len(plain) <= 30 else "result"
