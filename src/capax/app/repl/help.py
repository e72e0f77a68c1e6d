"""The answers to `help` at the prompt."""

import textwrap
from collections.abc import Sequence

from capax.app.repl.screen import show_plain
from capax.app.session import Session
from capax.errors import CapaxError, nearest
from capax.rasp import library
from capax.rasp.ir.ops import OPS, FunctionCall
from capax.rasp.library import Entry
from capax.rasp.python.program import Program, SOp
from capax.rasp.text.primitives import BUILTINS
from capax.rasp.text.syntax_errors import KEYWORDS
from capax.rasp.text.text_values import Function

GENERAL = """\
RASP computes with s-ops (a value per position) and selectors (which positions look where).

  tokens, indices, length          the input, the positions, the length
  indices + 1, tokens == "a"       operators act on every position
  s = select(key, query, ==);      query i selects key j when key[j] == query[i];
                                   also <, >, <=, >=, !=; joined with and, or, not
  aggregate(s, value, default)     the mean of the selected values (one value: itself)
  best(s, score)                   only the selected position with the highest score
  selector_width(s)                how many positions are selected
  select3(x, y, z, sum % 7 == 0)   query i selects the pairs of keys j, k with
                                   (x[j] + y[k] + z[i]) % 7 == 0; aggregate takes
                                   the value at j; on_first, on_second, on_keys
                                   make such a selector of an ordinary one
  def f(x) { y = x + 1; return y; }    for x in [1, 2] { ... }    [x for x in list]
  reverse("abc");                  a program applied to a word

  set example "abc"     show example      examples off      full seq display on
  load "file";          draw(s);          help NAME         exit
  layers s              compile s         (what it costs; its weights, certified)

help NAME explains each of these:"""
LISTS = ("range", "zip", "len")
"""The functions of lists; `WORDS` explains them."""


WORDS = {
    "select": "select(key, query, ==): query i selects key j when key[j] == query[i]; also !=, <, >, <=, >=.",
    "tokens": "The input, a string per position; tokens_int, tokens_float, ... read it otherwise.",
    "indices": "The positions 0, 1, 2, ...",
    "load": 'load "file"; runs file.rasp and takes over its public names.',
    "draw": 'draw(s); or draw(s, "word"); draws the layers and heads of an s-op.',
    "def": "def f(x, y) { z = x + y; return z; } defines a function; it ends with its one return.",
    "return": "return value; ends a def; several values come back as a list.",
    "for": "for x in [1, 2] { y = x; } runs its body for each element of a list or key of a dictionary.",
    "if": "a if condition else b chooses at every position, or once for a single condition.",
    "else": "a if condition else b chooses at every position, or once for a single condition.",
    "in": '"a" in tokens, tokens in ["a", "b"], 1 in [1, 2]: membership. It binds loosest of all operators.',
    **{op.symbol: op.doc for op in OPS.values() if op.symbol in KEYWORDS},
    "range": "range(stop), range(start, stop), range(start, stop, step): a list of integers.",
    "zip": "zip(list, list, ...): a list of lists, one for each index.",
    "len": "len(list): how many elements it has; the length of the input is `length`.",
    "set": 'set example "abc" changes the running example; set s-op example, set selector example one of the two.',
    "show": "show example shows the running examples.",
    "examples": "examples off stops showing examples; examples on shows them again.",
    "full": "full seq display on shows input and output below each other.",
    "exit": "exit and quit end the session.",
    "quit": "exit and quit end the session.",
    "out": "out is the value of the last statement.",
}
"""What the words of the language mean, in a line each."""


def help_text(session: Session, name: str | None) -> str:
    """What `help` or `help NAME` prints."""
    if name is None:
        return "\n".join([GENERAL, *_functions()])
    if name in library.entries():
        return describe_entry(library.entries()[name])
    if name in WORDS:
        return WORDS[name]
    if name in BUILTINS:
        builtin = BUILTINS[name]
        return f"{_head(builtin.name, builtin.params)}   (built in)\n  {builtin.doc}"
    try:
        value = session.console.get(name)
    except CapaxError:
        close = nearest(name, [*library.entries(), *session.console.known()])
        return f"there is no `{name}`" + (f"; did you mean `{close}`?" if close else "")
    if isinstance(value, Function):
        return f"function {value.name}({', '.join(value.params)}), defined in {value.scope.name}"
    kind = "s-op" if isinstance(value, SOp) else "selector" if isinstance(value, Program) else "value"
    return f"{kind} {name} = {value if kind != 'value' else show_plain(value)}"


def _functions() -> list[str]:
    """The functions of the language and the names of the library, by kind."""
    elementwise = [_head(op.symbol, op.notation.params) for op in OPS.values() if isinstance(op.notation, FunctionCall)]
    attention = [_head(b.name, b.params) for b in BUILTINS.values() if b.name not in OPS]
    lines = [_group("element-wise", elementwise), _group("s-ops and selectors", attention), _group("lists", LISTS)]
    for module in library.modules():
        where = "always there" if module == library.STANDARD else f'load "{module}";'
        names = [_head(e.name, e.params) for e in library.entries().values() if e.module == module]
        lines.append(_group(f"{module} ({where})", names))
    return lines


def _head(name: str, params: Sequence[str] | None) -> str:
    """A name as it is called."""
    return name if params is None else f"{name}({', '.join(params)})"


def _group(title: str, names: Sequence[str]) -> str:
    """The names below a title; a name is not broken."""
    text = ", ".join(name.replace(" ", "\N{NO-BREAK SPACE}") for name in names)
    lines = textwrap.wrap(text, 86, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"  {title}", *(f"    {line}" for line in lines)]).replace("\N{NO-BREAK SPACE}", " ")


def describe_entry(entry: Entry) -> str:
    """A library entry: its head, what it does, and its examples."""
    where = "always loaded" if entry.module == library.STANDARD else f'load "{entry.module}";'
    return "\n".join(
        [f"{_head(entry.name, entry.params)}   ({where})", f"  {entry.doc}", *(f"  {x};" for x in entry.examples)]
    )
