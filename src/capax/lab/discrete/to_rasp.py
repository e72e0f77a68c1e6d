"""A discrete network as RASP text: the same function, written with the choices that the network consists of.

Each variable becomes an s-op. A code stands for a token or for the number one less; nothing is "" or -1. Tables are
written for the codes that a variable can have on words of up to the network's greatest length; arithmetic is written as
such where it has the same values.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np

from capax.lab.discrete.changes import DIFFERENCE, SIGN, SUM, arithmetic
from capax.lab.discrete.examples import DiscreteExamples, Lexicon
from capax.lab.discrete.network import (
    INDICES,
    TOKENS,
    CountHead,
    DiscreteNetwork,
    PairTable,
    PickHead,
    Selection,
    used,
)
from capax.tasks.base.training import Token

ANSWER: Final = "answer"
VIEW_TEXT: Final = {"before": "<", "up to": "<=", "after": ">", "from": ">="}
FORMULAS: Final = {SUM: "{} + {}", DIFFERENCE: "{} - {}", SIGN: "sign({} - {}) + 1"}


def to_rasp(network: DiscreteNetwork, lexicon: Lexicon) -> str:
    """The statements of a program that answers as the network does; the last one is called `answer`."""
    return _Writer(network, lexicon).text()


@dataclass(frozen=True)
class _Writer:
    network: DiscreteNetwork
    lexicon: Lexicon

    def text(self) -> str:
        """All statements, one in each line."""
        readout = self.network.readout
        lines = []
        for variable in sorted(used(self.network, readout.first, readout.second)):
            if variable >= 2:
                lines.append(f"{self.names[variable]} = {self._part(variable)};")
        answer = self._table(readout, [[self._output(entry) for entry in row] for row in self._rows(readout)], "")
        lines.append(f"{ANSWER} = {answer};")
        if any("code[" in line for line in lines):
            lines.insert(0, f"code = {self._token_codes()};")
        return "\n".join(lines) + "\n"

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of every variable that is used."""
        word = "tokens" if isinstance(self.lexicon.tokens[0], str) else "tokens_int"
        names, counts = {TOKENS: word, INDICES: "indices"}, {"count": 0, "head": 0, "table": 0}
        readout = self.network.readout
        for variable in sorted(used(self.network, readout.first, readout.second) - {TOKENS, INDICES}):
            part = self.network.parts[variable - 2]
            stem = "count" if isinstance(part, CountHead) else "head" if isinstance(part, PickHead) else "table"
            counts[stem] += 1
            names[variable] = f"{stem}_{counts[stem]}"
        return names

    # what variables are

    @cached_property
    def codes(self) -> list[list[int]]:
        """The codes that each variable can have."""
        n = self.lexicon.max_length
        codes = [list(range(1, len(self.lexicon.tokens) + 1)), list(range(1, n + 1))]
        for part in self.network.parts:
            match part:
                case CountHead(selection=selection):
                    codes.append(list(range(1 + _selects_itself(selection), n + 2)))
                case PickHead(selection=selection, value=value):
                    codes.append(codes[value] if _selects_itself(selection) else sorted({0, *codes[value]}))
                case PairTable(first=first, second=second, entries=entries):
                    pairs = [(a, b) for a, b in product(codes[first], codes[second]) if first != second or a == b]
                    codes.append(sorted({entries[a * self.network.codes + b] for a, b in pairs}))
        return codes

    @cached_property
    def holds_tokens(self) -> list[bool]:
        """Whether each variable has tokens for values, and not numbers."""
        kinds = [True, False]
        for part in self.network.parts:
            kinds.append(isinstance(part, PickHead) and kinds[part.value])
        return kinds

    def atom(self, code: int, variable: int) -> Token:
        """The value of a variable that a code stands for."""
        return self._atom(code, self.holds_tokens[variable])

    def _atom(self, code: int, tokens: bool) -> Token:
        """The value that a code stands for."""
        if not tokens:
            return code - 1
        first = self.lexicon.tokens[0]
        return self.lexicon.tokens[code - 1] if code else "" if isinstance(first, str) else int(first) - 1

    def _number(self, variable: int) -> str:
        """A variable as a number: its code less one."""
        name = self.names[variable]
        return f"code[{name}]" if self.holds_tokens[variable] else name

    def _token_codes(self) -> str:
        return _dict((self._atom(code, True), code - 1) for code in range(len(self.lexicon.tokens) + 1))

    def _output(self, entry: int) -> Token:
        return self.lexicon.outputs[entry]

    # parts

    def _part(self, variable: int) -> str:
        part = self.network.parts[variable - 2]
        match part:
            case CountHead(selection=selection):
                return f"selector_width({self._selector(selection)})"
            case PickHead(selection=selection, value=value, rank=rank):
                keys = self._selector(selection)
                if selection.key != INDICES or selection.relation not in ("==", "value", "table"):
                    score = {"last": "indices", "first": "-indices"}.get(rank) or self._number(selection.key)
                    keys = f"best({keys}, {score})"
                nothing = _text(self._atom(0, self.holds_tokens[value]))
                return f"aggregate({keys}, {self.names[value]}, {nothing})"
            case PairTable():
                rows = [[self._atom(code, False) for code in row] for row in self._rows(part)]
                return self._table(part, rows, self._formula(part))

    def _selector(self, selection: Selection) -> str:
        related, view = self._related(selection), VIEW_TEXT.get(selection.view)
        seen = f"select(indices, indices, {view})" if view else ""
        return " and ".join(filter(None, (related, seen))) or "full_s"

    def _related(self, selection: Selection) -> str:
        """The selector of the relation, empty where any two codes are related."""
        key, query, tokens = selection.key, selection.query, self.holds_tokens
        match selection.relation:
            case "any":
                return ""
            case "value" | "table":
                targets = {code: selection.table[code] for code in self.codes[query]}
                plain = not tokens[key] or max(targets.values()) <= len(self.lexicon.tokens)
                left = self.names[key] if plain else self._number(key)
                atoms = {code: self._atom(target, tokens[key] and plain) for code, target in targets.items()}
                return f"select({left}, {self._unary(query, atoms)}, ==)"
            case comparison:
                write = self.names.__getitem__ if tokens[key] == tokens[query] else self._number
                return f"select({write(key)}, {write(query)}, {comparison})"

    # tables

    def _unary(self, variable: int, atoms: dict[int, Token]) -> str:
        """A table over one variable, from its codes to values; one value if they are all the same."""
        if len(set(map(_key, atoms.values()))) == 1:
            return _text(next(iter(atoms.values())))
        if list(atoms) == list(range(1, len(atoms) + 1)) and not self.holds_tokens[variable]:
            return f"[{', '.join(map(_text, atoms.values()))}][{self.names[variable]}]"
        keys = ((self.atom(code, variable), atom) for code, atom in atoms.items())
        return f"{_dict(keys)}[{self.names[variable]}]"

    def _rows(self, table: PairTable) -> list[list[int]]:
        """The entries for the codes that the two variables can have, from the least to the greatest."""
        size = self.network.codes
        first, second = self._span(table.first), self._span(table.second)
        return [[table.entries[a * size + b] for b in second] for a in first]

    def _span(self, variable: int) -> range:
        codes = self.codes[variable]
        return range(codes[0], codes[-1] + 1)

    def _table(self, table: PairTable, rows: list[list[Token]], formula: str) -> str:
        """A table over one or two variables; the variable itself, if that is what the table gives."""
        if formula:
            return formula
        first, second = self._span(table.first), self._span(table.second)
        if table.first == table.second:
            return self._alone(table.first, {code: rows[k][k] for k, code in enumerate(first)})
        if all(row == rows[0] for row in rows):
            return self._alone(table.second, dict(zip(second, rows[0], strict=True)))
        if all(entry == row[0] for row in rows for entry in row):
            return self._alone(table.first, {code: row[0] for code, row in zip(first, rows, strict=True)})
        left, right = _shifted(self._number(table.first), first), _shifted(self._number(table.second), second)
        entries = ", ".join(_text(entry) for row in rows for entry in row)
        return f"[{entries}][{left} * {len(second)} + {right}]"

    def _alone(self, variable: int, atoms: dict[int, Token]) -> str:
        """A statement's table over one variable."""
        reached = {code: atoms[code] for code in self.codes[variable]}
        if all(_key(atom) == _key(self.atom(code, variable)) for code, atom in reached.items()):
            return self.names[variable]
        text = self._unary(variable, reached)
        return text if text.endswith("]") else f"constant({text})"

    def _formula(self, table: PairTable) -> str:
        """The table as arithmetic, if it is that for all codes that can occur; else empty."""
        size, first, second = self.network.codes, self.codes[table.first], self.codes[table.second]
        if table.first == table.second or self.holds_tokens[table.first] or self.holds_tokens[table.second]:
            return ""
        exact: dict[str, Callable[[int, int], bool]] = {
            SUM: lambda a, b: 0 <= a + b - 1 < size,
            DIFFERENCE: lambda a, b: 0 <= a - b + 1 < size,
            SIGN: lambda a, b: True,
        }
        for name, form in FORMULAS.items():
            entries = arithmetic(name, size)
            at = [(a, b) for a, b in product(first, second) if table.entries[a * size + b] != entries[a * size + b]]
            if not at and all(exact[name](a, b) for a, b in product(first, second)):
                return form.format(self.names[table.first], self.names[table.second])
        return ""


def _selects_itself(selection: Selection) -> bool:
    """Whether every query is known to select the key at its own position."""
    same = selection.relation in ("==", "<=", ">=") and selection.key == selection.query
    return (same or selection.relation == "any") and selection.view in ("all", "up to", "from")


def with_plain_readout(
    network: DiscreteNetwork, lexicon: Lexicon, examples: DiscreteExamples
) -> tuple[DiscreteNetwork, Lexicon]:
    """The network with a readout that is one variable as it is, where the examples do not tell it from that.

    Codes that do not occur in the examples then stand for themselves; if there is no such output, it is added.
    """
    readout, writer = network.readout, _Writer(network, lexicon)
    if readout.first != readout.second:
        return network, lexicon
    variable = readout.first
    atoms = {code: writer.atom(code, variable) for code in writer.codes[variable]}
    seen = np.unique(network.variables(examples.tokens)[variable][examples.tokens >= 0]).tolist()
    outputs = list(lexicon.outputs)
    entries = list(readout.entries)
    if any(_key(outputs[entries[code * (network.codes + 1)]]) != _key(atoms[code]) for code in seen):
        return network, lexicon
    for code, atom in atoms.items():
        outputs += [] if _key(atom) in map(_key, outputs) else [atom]
        entries[code * (network.codes + 1)] = list(map(_key, outputs)).index(_key(atom))
    plain = replace(network, readout=replace(readout, entries=tuple(entries)))
    return plain, replace(lexicon, outputs=tuple(outputs))


def _key(atom: Token) -> tuple[type, Token]:
    return type(atom), atom


def _shifted(name: str, span: range) -> str:
    """A number made to start at 0, from the span of its codes."""
    least = span[0] - 1
    return name if least == 0 else f"({name} {'-' if least > 0 else '+'} {abs(least)})"


def _text(atom: Token) -> str:
    return json.dumps(atom, ensure_ascii=False) if isinstance(atom, str) else str(atom)


def _dict(entries: Iterable[tuple[Token, Token]]) -> str:
    return "{" + ", ".join(f"{_text(key)}: {_text(value)}" for key, value in entries) + "}"
