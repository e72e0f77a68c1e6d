"""How the command line prints what `capax compile` and `capax verify` found."""

from typing import Any

from capax.app.repl.screen import show_word
from capax.app.show_certificate import show_verdicts
from capax.model.claim import causal_note, claimed_program
from capax.model.size import Size
from capax.rasp.meaning.sequence import format_value, visible_string

MOST_TOKENS = 8


def show_compiled(result: dict[str, Any]) -> str:
    """The printed form of `capax compile`."""
    size = Size(**result["size"] | {part: tuple(result["size"][part]) for part in ("heads", "mlp_depth")})
    extra = _extra(size) if result["target"] is None else _target(result["target"])
    lines = [f"{result['program']}: {_domain(result)}", "", str(size), *extra, "", *_check(result["check"])]
    lines += [result["label"], *show_verdicts(result["verdicts"])]
    lines += ["", *_causal(result["causal_change"])] if result["causal_change"] is not None else []
    return "\n".join([*lines, "", *_errors(result["errors"])])


def _causal(change: dict[str, Any] | None) -> list[str]:
    """What hiding later positions changes."""
    note = causal_note(change)
    return [f"causal: {note}"] if note else []


def _target(target: dict[str, Any]) -> list[str]:
    """What was added for a target."""
    return [f"for {target['name']}: {what}" for what in target["added"]]


def _extra(size: Size) -> list[str]:
    """What is said of layers without heads."""
    extra = size.heads.count(0)
    if not extra:
        return []
    return [f"{extra} more layer{'' if extra == 1 else 's'} without heads for the further stages of MLPs"]


def show_verified(result: dict[str, Any]) -> str:
    """The printed form of `capax verify`."""
    check = result["check"]
    lines = [f"{result['file']}: {_verdict(result)}", *_check(check)]
    if check["counterexample"] is not None:
        lines += _counterexample(check["counterexample"], result["about"])
    fails = check["figures"]["fails"]
    lines += [f"{result['about']} itself fails on {_word(word)}: {code}" for code, word in fails.items()]
    return "\n".join([*lines, *_causal(result["causal_change"])])


def _verdict(result: dict[str, Any]) -> str:
    check = result["check"]
    if not check["count"]:
        return f"{check['statement']}"
    name = claimed_program(result["causal_change"] is not None, result["program"] or "the program")
    return f"{name} and the weights {'agree on every word that was tried' if check['holds'] else 'differ'}"


def _domain(result: dict[str, Any]) -> str:
    wanted = result["domain"]
    tokens = wanted["alphabet"]
    shown = ", ".join(_token(t) for t in tokens[:MOST_TOKENS]) + (", ..." if len(tokens) > MOST_TOKENS else "")
    settings = [f"words of 1 to {wanted['max_length']:,}", f"{len(tokens):,} tokens: {shown}", result["numbers"]]
    settings += ["causal"] if wanted["causal"] else []
    settings += [] if wanted["masks"] else ["no masks"]
    settings += [f"MLP depth up to {wanted['mlp_depth']}"] if wanted["mlp_depth"] is not None else []
    return "; ".join(settings)


def _token(token: Any) -> str:
    return visible_string(token) if isinstance(token, str) else format_value(token)


def _check(check: dict[str, Any]) -> list[str]:
    lines = []
    for part in check["parts"]:
        count = f"{part['count']:,} word{'' if part['count'] == 1 else 's'}"
        seed = f", seed {part['seed']}" if part["seed"] is not None else ""
        lines.append(f"{'yes' if part['holds'] else 'no':<3} {part['statement']} ({part['evidence']}, {count}{seed})")
    nothing = check["figures"]["not compared"]
    return lines + [f"--  nothing to compare on {which}: the program has a value on none of them" for which in nothing]


def _counterexample(found: dict[str, Any], about: str) -> list[str]:
    return [
        f"on the word {_word(found['word'])}",
        f"  {about} gives {_values(found['expected'])}",
        f"  the weights {'give':<{len(about) - 6}} {_values(found['answer'])}",
    ]


def _values(values: list[Any]) -> str:
    return f"[{', '.join(map(_token, values))}]"


def _word(word: list[Any]) -> str:
    return show_word("".join(word) if all(isinstance(t, str) and len(t) == 1 for t in word) else word)


def _errors(errors: list[dict[str, Any]]) -> list[str]:
    if not errors:
        return ["errors: the values of every part exclude them"]
    lines = ["errors that the values do not exclude:"]
    for error in errors:
        happens = error["word"] is not None
        outcome = f"happens on {_word(error['word'])}" if happens else "assumed not to happen"
        place = f" in `{error['where']}`" if error["where"] else ""
        lines.append(f"  {error['code']}{place}: {outcome}")
    return lines
