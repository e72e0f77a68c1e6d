"""`capax tm`: a Turing machine and its decoder, side by side."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from capax.app.process.output import print_json, print_text, say
from capax.app.tm_text import show
from capax.errors import CapaxError, Source

ENDING: Final = ".safetensors"
MOST_TRACED: Final = 1_000
"""Places of which every weight of every head is looked at, the word included."""
MOST_LETTERS: Final = 500
"""Letters of a word that is traced, so that there are steps to show."""
MANY: Final = 100
"""Steps from which on a speed says something."""
AROUND: Final = 20
"""Cells that a trace shows on each side of the head at most."""


def tm(
    file: str,
    word: str,
    steps: int,
    *,
    attention: str | None = None,
    dtype: str = "float64",
    form: str = "lookup",
    cells: int | None = None,
    plain: bool = False,
    trace: bool = False,
    output: str | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """What a machine and its decoder do on a word, compared at every step; the decoder goes to `output` if given."""
    from capax.app.files.models import save_model
    from capax.formal.turing.probabilistic import ChanceMachine
    from capax.formal.turing.tapes import TapesMachine

    attention = attention or ("softmax" if plain else "hard")
    _check_options(attention, dtype, form, output, steps, plain)
    machine = read(file)
    letters = given = split(word, machine.input)
    several = machine if isinstance(machine, TapesMachine) else None
    if several is not None:
        from capax.formal.turing.tapes import interleaved, on_one_tape

        _read_word(several, given)
        machine, letters = on_one_tape(several), list(interleaved(several, given))
    assert not isinstance(machine, TapesMachine)
    _read_word(machine, letters)
    if trace and len(letters) > MOST_LETTERS:
        what = f"the word has {len(letters):,} letters, and a trace is for at most {MOST_LETTERS:,}"
        raise CapaxError("bad-option", what, hint="leave out --trace, or give a shorter word")
    model = build(machine, len(letters), steps, attention, dtype, form, cells, plain, bool(output))
    if output is not None:
        save_model(model, output)
    facts = {
        "machine": Path(file).stem,
        "word": letters,
        "states": len(machine.states),
        "halting_states": sum(all(state != place for place, _ in machine.rules) for state in machine.states),
        "symbols": len(machine.symbols),
        "tapes": 1 if several is None else several.tapes,
        "decoder": model.size.to_json(),
        "limits": _limits(model, form),
        "numbers": dtype,
        "attention": attention,
        "form": form,
        "file": output,
        "size_table": str(model.size),
    }
    if isinstance(machine, ChanceMachine):
        return facts | _by_chance(model, machine, letters, steps, seed, trace)
    result = facts | _side_by_side(model, machine, letters, steps, trace)
    return result if several is None else result | _several(several, given, result)


def _limits(model: Any, form: str) -> dict[str, Any]:
    """The limits of a decoder; of one by hashes also the most places for any run, beside those with positions."""
    found = {key: model.facts["turing"][key] for key in ("cells", "places", "sure")}
    if form == "lookup":
        return found
    from capax.theorems.turing.parts.hash import hash_limits
    from capax.theorems.turing.parts.limits import limits

    any_run = hash_limits(model.numbers, model.width).places
    return found | {"any_run": any_run, "by_positions": limits("hard", model.numbers).places}


def _check_options(attention: str, dtype: str, form: str, output: str | None, steps: int, plain: bool) -> None:
    """Refuses options that do not go together."""
    choices = {"--attention": (attention, ("hard", "softmax")), "--dtype": (dtype, ("float64", "float32"))}
    choices["--form"] = (form, ("lookup", "hash"))
    for option, (value, known) in choices.items():
        if value not in known:
            raise CapaxError("bad-option", f"{option} cannot be {value!r:.40}", hint=f"give {' or '.join(known)}")
    if form == "hash" and (attention == "softmax" or plain):
        raise CapaxError("bad-option", "a decoder by hashes has hard attention", hint="leave out --attention, --plain")
    if plain and attention != "softmax":
        raise CapaxError("bad-option", "a plain decoder has softmax attention", hint="leave out --attention hard")
    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    if steps < 1:
        raise CapaxError("bad-option", f"the number of steps is {steps}", hint="give 1 or more")


def read(file: str) -> Any:
    """The machine in a file, or one that comes with capax, by its name."""
    from capax.app.files.read import read_text
    from capax.formal.turing.machines import machine_names, machine_source
    from capax.formal.turing.read import read_machine

    if not Path(file).exists() and not file.endswith(".tm"):
        return read_machine(machine_source(file))
    if not Path(file).exists() and Path(file).stem in machine_names() and Path(file).parent == Path():
        return read_machine(machine_source(Path(file).stem))
    return read_machine(Source(file, read_text(Path(file))))


def split(word: str, symbols: Sequence[str]) -> list[str]:
    """The symbols of a word: its characters, or what blanks divide where a symbol has several characters."""
    return list(word) if all(len(symbol) == 1 for symbol in symbols) else word.split()


def _read_word(machine: Any, letters: list[str]) -> None:
    """Refuses a symbol that words are not made of."""
    known = set(machine.input)
    for place, symbol in enumerate(letters):
        if symbol not in known:
            hint = f"words are made of {' '.join(machine.input[:40])}" if known else "its only word is the empty one"
            what = f"the symbol {symbol!r:.40} at place {place} is none of the machine's words"
            raise CapaxError("unknown-token", what, hint=hint)


def build(
    machine: Any, letters: int, steps: int, attention: str, dtype: str, form: str, cells: int | None, plain: bool,
    kept: bool,
) -> Any:  # fmt: skip
    """The decoder, for as many cells and places as the numbers allow, or as the run needs where that matters.

    A machine with its word's letters and steps cannot be further away than their number; so if that many cells are not
    to be had, the most that can be told apart are taken, and the run watches the head.
    """
    from capax.theorems.turing.parts.decoder import decoder
    from capax.theorems.turing.parts.hash import hash_decoder
    from capax.theorems.turing.parts.limits import most_cells, most_places

    places = letters + 2 + steps
    if form == "hash":
        return hash_decoder(machine, numbers=dtype, cells=cells, places=places)
    if attention == "hard" and cells is None and places <= most_cells(attention, dtype) and not plain:
        return decoder(machine, attention=attention, numbers=dtype)
    if cells is None:
        cells = min(places, most_cells(attention, dtype))
        while cells > 1 and most_places(attention, dtype, cells) < places:
            cells -= max(1, cells // 64)
    return decoder(machine, attention=attention, numbers=dtype, cells=cells, places=places, table=plain)


def _side_by_side(model: Any, machine: Any, letters: list[str], steps: int, trace: bool) -> dict[str, Any]:
    from capax.theorems.turing.parts.follow import follow

    start = time.perf_counter()
    found = follow(model, machine, letters, steps, tell=lambda taken: say(f"{taken:,} steps agree so far"))
    seconds = time.perf_counter() - start
    run = found.run
    result: dict[str, Any] = {
        "agrees": found.agrees,
        "steps": found.steps,
        "halted": run.halted and found.agrees,
        "accepted": run.accepted if machine.accepting else None,
        "state": run.state,
        "head": run.cell,
        "tape": list(run.word),
        "not_blank": run.count(),
        "seconds": seconds,
        "steps_per_second": len(found.tokens) / seconds if seconds > 0 else 0.0,
        "difference": None
        if found.agrees
        else {"step": len(found.tokens), "decoder": found.tokens[-1], "machine": found.right},
    }
    if trace:
        result["trace"] = _trace(model, machine, letters, list(found.tokens))
    return result


def _several(machine: Any, word: list[str], result: dict[str, Any]) -> dict[str, Any]:
    """What the machine with several tapes does by itself, if the one with one tape came to an end.

    Its tapes are compared with those that lie in turn on the one tape; a difference counts as one of the decoder.
    """
    from capax.formal.turing.tapes import apart, run_tapes

    if not (result["halted"] and result["agrees"]):
        return {}
    tapes, state, done, halted = run_tapes(machine, word, result["steps"])
    found = [_stripped(cells, machine.blank) for cells in apart(machine, result["tape"])]
    right = [
        _stripped(
            [tape.get(c, machine.blank) for c in range(min(tape, default=0), max(tape, default=0) + 1)], machine.blank
        )
        for tape in tapes
    ]
    return {
        "agrees": halted and found == right,
        "several": {"steps": done, "state": state, "tapes": right},
        "difference": None
        if halted and found == right
        else {"step": result["steps"], "decoder": found, "machine": right},
    }


def _stripped(cells: list[str], blank: str) -> list[str]:
    """Cells without the blanks at both ends."""
    written = [place for place, symbol in enumerate(cells) if symbol != blank]
    return cells[written[0] : written[-1] + 1] if written else []


def _trace(model: Any, machine: Any, letters: list[str], tokens: list[str]) -> list[dict[str, Any]]:
    """A line for each token: tape, head and state before it, and what every head of the decoder looks at."""
    from capax.theorems.turing.parts.attention_targets import looks
    from capax.theorems.turing.parts.tokens import ChainTokens

    named = ChainTokens(machine)
    shown = tokens[: MOST_TRACED - len(letters)]
    seen = looks(model, [*named.prompt(letters), *shown[:-1]])
    tape, cell, state = dict(enumerate(letters)), 0, machine.start
    lines = []
    for number, token in enumerate(shown, 1):
        at = seen[len(letters) + number]
        lines.append(
            {
                "step": number,
                "state": state,
                "head": cell,
                "tape": _window(tape, cell, machine.blank),
                "token": token,
                "looks": [{"head": one.head, "place": one.place, "token": one.token} for one in at],
            }
        )
        action = named.actions.get(token)
        if action is not None:
            tape[cell] = action.write
            cell, state = cell + action.move, action.state
    return lines


def _window(tape: dict[int, str], cell: int, blank: str) -> str:
    """The cells around the head, which stands in brackets, or in round ones where symbols are brackets."""
    low, high = min([*tape, cell]), max([*tape, cell])
    left, right = max(low, cell - AROUND), min(high, cell + AROUND)
    wide = " " if any(len(symbol) > 1 for symbol in tape.values()) else ""
    before, after = "()" if {"[", "]"} & set(tape.values()) else "[]"
    cells = [tape.get(c, blank) for c in range(left, right + 1)]
    cells[cell - left] = f"{before}{cells[cell - left]}{after}"
    return ("..." if left > low else "") + wide.join(cells) + ("..." if right < high else "")


def _by_chance(model: Any, machine: Any, letters: list[str], steps: int, seed: int, trace: bool) -> dict[str, Any]:
    """A random chain of the decoder, and how far its distribution is from the machine's at any of its steps."""
    from capax.theorems.turing.parts.probabilistic import sampled_chain

    chain = sampled_chain(model, machine, letters, steps, seed)
    traced = {"trace": _trace(model, machine, letters, list(chain.tokens))} if trace else {}
    return traced | {
        "agrees": chain.agrees,
        "seed": seed,
        "steps": chain.steps,
        "halted": chain.halted,
        "tokens": list(chain.tokens),
        "probability": chain.probability,
        "largest_difference": chain.difference,
    }


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="tm")(_tm)


def _tm(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A machine in a .tm file, or the name of one that is here.")
    ],
    word: Annotated[str, typer.Option("--input", metavar="WORD", help="The word on the tape.")] = "",
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="The most steps.")] = 1000,
    attention: Annotated[
        str | None, typer.Option("--attention", help="hard or softmax.", show_default="hard, softmax with --plain")
    ] = None,
    dtype: Annotated[str, typer.Option("--dtype", help="float64 or float32.")] = "float64",
    form: Annotated[
        str, typer.Option("--form", help="lookup (by positions) or hash (layer norms and no positions).")
    ] = "lookup",
    cells: Annotated[
        int | None, typer.Option("--cells", metavar="N", help="Cells on each side that the decoder tells apart.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Softmax and a table of positions, as exports to other tools need.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step, and what each head looks at.")] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="MODEL", help="Keep the decoder in a .safetensors file.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the draws of a machine that goes by chance.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")] = False,
) -> None:
    """Run a Turing machine and its decoder side by side, and compare every step. Exit code 1 if a step differs.

    Machines that are here: bb1 to bb5 (busy beavers), bouncer, copy, increment, palindrome, reverse2, tag, walk.

    Example: capax tm increment --input 1011 --trace
    """
    result = tm(
        file, word, steps,
        attention=attention, dtype=dtype, form=form, cells=cells, plain=plain, trace=trace, output=output, seed=seed,
    )  # fmt: skip
    table = result.pop("size_table")
    if as_json:
        print_json(result)
    else:
        print_text(show(result))
        if result.get("steps", 0) >= MANY and "steps_per_second" in result:
            say(f"{result['steps_per_second']:,.0f} steps per second")
        if output is not None:
            say(f"{table}\nwritten to {output}")
    if not result["agrees"]:
        raise typer.Exit(1)
