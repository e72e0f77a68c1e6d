"""The parser's tables as JSON, made once and kept beside the grammar: making them anew takes a tenth of a second.

JSON holds data alone. A file of tables in a folder that others can write, in a format that can run code, would let
them run theirs.
"""

import json
from typing import Any, Final

from lark import Lark, Transformer, __version__
from lark.grammar import Rule
from lark.lark import PostLex
from lark.lexer import TerminalDef

_OWN: Final = ("transformer", "postlex")
"""Options that are objects of the program, given anew to each parser."""


def tables_text(parser: Lark, grammar: str) -> str:
    """The tables of a parser as JSON, the same text from every run; `grammar` is what they were made from."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    data["options"] = {name: value for name, value in data["options"].items() if name not in _OWN}
    data["parser"]["parser"] = _table_json(data["parser"]["parser"])
    contents = {"lark": __version__, "grammar": grammar, "data": data, "memo": memo}
    return json.dumps(contents, sort_keys=True, separators=(",", ":")) + "\n"


def parser_from(text: str, grammar: str, transformer: Transformer[Any, Any], postlex: PostLex) -> Lark | None:
    """The parser of a text of tables; None if it is of another grammar or another version of lark."""
    contents = json.loads(text)
    if contents["lark"] != __version__ or contents["grammar"] != grammar:
        return None
    table = contents["data"]["parser"]["parser"]
    table["tokens"] = _from_json(table["tokens"])
    table["states"] = {state: _from_json(actions) for state, actions in _from_json(table["states"]).items()}
    memo = _from_json(contents["memo"])
    parser: Lark = Lark._load_from_dict(contents["data"], memo, transformer=transformer, postlex=postlex)
    return parser


def _from_json(table: dict[str, Any]) -> dict[int, Any]:
    """A table whose keys are numbers again: in JSON every key is a string."""
    return {int(key): value for key, value in table.items()}


def _table_json(table: dict[str, Any]) -> dict[str, Any]:
    """The states in the order in which they are reached, tokens by name: lark's own order changes from run to run."""
    names: list[str] = sorted(table["tokens"].values())
    number = {old: names.index(name) for old, name in table["tokens"].items()}
    (start,) = table["start_states"].values()
    order = [start]
    for state in order:  # it grows while it is read
        shifts = sorted((number[token], to) for token, (kind, to) in table["states"][state].items() if kind == 0)
        order += [to for _, to in dict.fromkeys(shifts) if to not in order]
    at = {state: i for i, state in enumerate(order)}
    assert len(at) == len(table["states"]), "a state that is never reached"
    states = {
        at[state]: {number[token]: (kind, at[to] if kind == 0 else to) for token, (kind, to) in actions.items()}
        for state, actions in table["states"].items()
    }
    ends = {rule: at[state] for rule, state in table["end_states"].items()}
    starts = {rule: at[state] for rule, state in table["start_states"].items()}
    return {"tokens": dict(enumerate(names)), "states": states, "start_states": starts, "end_states": ends}
