"""How the command line prints answers of the atlas."""

from collections import Counter
from textwrap import wrap
from typing import Any

WIDTH = 110
MOST_PROOFS = 3
MOST_CLASHES = 6


def show_language(result: dict[str, Any]) -> str:
    """The printed form of an answer about a language."""
    lines = [*_asked(result, f"{result['language']}?"), *_answer(result)]
    return "\n".join([*lines, *_clashes(result), *_runs([result]), *_sources([result])])


def show_class(result: dict[str, Any]) -> str:
    """The printed form of an answer about a class."""
    cls, whole, bound = result["class"], result["contains"], result["within"]
    lines = _asked(result, f"{cls}?")
    for id_, setting in result["exactly"].items():
        lines += wrap(f"exactly {cls} by {id_}: {setting}", WIDTH, subsequent_indent="    ")
    lines += [f"do they recognise all of {cls}?", *_answer(whole)]
    lines += [f"do they recognise nothing outside {cls}?", *_answer(bound)]
    return "\n".join([*lines, *_runs([whole, bound]), *_sources([whole, bound])])


def _asked(result: dict[str, Any], object_: str) -> list[str]:
    """The question: what is given, what is taken for granted, what is left open."""
    region, given = result["region"], result["given"]
    taken = [f"{name} {value}" for name, value in region.items() if name not in given and value != "any"]
    left = [name for name, value in region.items() if value == "any"]
    lines = [f"{', '.join(f'{name} {value}' for name, value in given.items()) or 'any transformers'} : {object_}"]
    for what, names in (("taken", taken), ("open", left)):
        lines += [f"  {what}: {', '.join(names)}"] if names else []
    return lines


def verdict(answer: str, assuming: list[str]) -> str:
    """A verdict in words."""
    if answer == "conditional":
        return f"no, assuming {' and '.join(assuming)}"
    return "unknown: no record decides it" if answer == "unknown" else answer


def _answer(part: dict[str, Any]) -> list[str]:
    lines = [verdict(part["answer"], part["assuming"])]
    for at, proof in enumerate(part["proofs"][:MOST_PROOFS]):
        rules = f" ({', '.join(proof['rules'])})" if proof["rules"] else ""
        lines.append(f"  {'by' if at == 0 else 'also by'}{rules}")
        carried = [line["id"] for line in proof["lines"] if line["by_definition"]]
        for line in proof["lines"]:
            if line["by_definition"]:
                continue
            mark = f" [{'; '.join(filter(None, (', '.join(line['sources']), _seen(line))))}]"
            lines += wrap(
                f"{line['id']}: {line['says']}{mark}", WIDTH, initial_indent="    ", subsequent_indent=" " * 8
            )
            note = part["notes"].get(line["id"])
            lines += wrap(note, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8) if note else []
        text = f"carried over by definition: {'; '.join(carried)}"
        lines += wrap(text, WIDTH, initial_indent="    ", subsequent_indent=" " * 8) if carried else []
    rest = len(part["proofs"]) - MOST_PROOFS
    return [*lines, f"  and {rest} more proofs: --json has them"] if rest > 0 else lines


def _seen(line: dict[str, Any]) -> str:
    """How a record was seen, and of a checked one where: in an abstract, a table, ..."""
    where = f" ({line['where'].split(';')[0].split(',')[0]})" if line["seen"] == "checked" and line["where"] else ""
    return f"{line['seen'] or ''}{where}"


def _clashes(part: dict[str, Any]) -> list[str]:
    """Claims that say the opposite, with the fields in which they differ."""
    shown = part["clashes"][:MOST_CLASHES]
    if not shown:
        return []
    against = part["answer"] == "yes"
    lines = ["not a contradiction" if against else "what is different where it is possible"]
    for clash in shown:
        differs = "; ".join(f"{name} {pair['there']} (here {pair['here']})" for name, pair in clash["differs"].items())
        beside = f", beside {clash['beside']}" if clash["beside"] else ""
        text = f"{clash['claim']} says {'no' if against else 'yes'}{beside}: {differs}"
        lines += wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 6)
    rest = len(part["clashes"]) - MOST_CLASHES
    return [*lines, f"  and {rest} more"] if rest > 0 else lines


def _runs(parts: list[dict[str, Any]]) -> list[str]:
    found = dict.fromkeys(f"  {link['claim']}: {link['command']}" for part in parts for link in part["runs"])
    return ["what runs here", *found] if found else []


def _sources(parts: list[dict[str, Any]]) -> list[str]:
    found = {key: line for part in parts for key, line in part["sources"].items()}
    lines = [
        wrap(f"{key}: {line}", WIDTH, initial_indent="  ", subsequent_indent="    ") for key, line in found.items()
    ]
    return ["sources", *(text for line in lines for text in line)] if found else []


def show_knobs(result: dict[str, Any]) -> str:
    """The printed form of all changes of one assumption."""
    now = result["answer"]
    lines = [*_asked(result, f"{result['language']}? {now}"), "with one assumption changed"]
    for turn in result["turns"]:
        if turn["answer"] == "unknown" or turn["answer"] == now:
            continue
        says = verdict(turn["answer"], turn["assuming"])
        text = f"  {turn['field'] + ' ' + turn['value']:<34} {says} [{', '.join(turn['claims'])}]"
        lines += wrap(text, WIDTH, subsequent_indent=" " * 37, drop_whitespace=True)
    same = [f"{turn['field']} {turn['value']}" for turn in result["turns"] if turn["answer"] == now]
    unknown = [f"{turn['field']} {turn['value']}" for turn in result["turns"] if turn["answer"] == "unknown" != now]
    for what, names in (("no change by", same), ("unknown with", unknown)):
        text = f"{what}: {', '.join(names)}"
        lines += wrap(text, WIDTH, initial_indent="  ", subsequent_indent="      ") if names else []
    return "\n".join(lines)


def show_open(rows: list[dict[str, Any]]) -> str:
    """The printed form of the open cells."""
    lines = ["cells that the atlas does not decide; some are open problems, some are records that are missing"]
    for model in dict.fromkeys(row["model"] for row in rows):
        mine = [row for row in rows if row["model"] == model]
        names = [row["language"] + (f" (no, assuming {row['assuming'][0]})" if row["assuming"] else "") for row in mine]
        lines += wrap(f"{model}: {', '.join(names)}", WIDTH, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def show_changes(result: dict[str, Any]) -> str:
    """The printed form of what an assumption changes."""
    lines = [f"if {result['what_if']}, then in the table of models and languages"]
    for row in result["changes"]:
        lines.append(f"  {row['model']}, {row['language']}: {row['before']} becomes {row['after']}")
    return "\n".join(lines if result["changes"] else [*lines, "  nothing changes"])


def show_fields(fields: list[dict[str, Any]]) -> str:
    """The printed form of the fields, with keywords."""
    lines = []
    for field in fields:
        lines.append(f"--{field['field']}: {field['what']}; {field['default']} unless given")
        for value in field["values"]:
            lines.append(f"  {value['value']:<16} {value['keyword']:<24} {value['what']}")
    return "\n".join(lines)


def show_overview(result: dict[str, Any]) -> str:
    """The printed form of the atlas in short."""
    claims = result["claims"]
    marks = Counter(claim["seen"] for claim in claims)
    lines = [
        f"{len(claims)} claims ({', '.join(f'{count} {seen}' for seen, count in sorted(marks.items()))}), "
        f"{result['inclusions']} inclusions, "
        f"{result['languages']} languages with {result['memberships']} facts, {result['papers']} papers",
        "ask: capax atlas softmax log-precision : S5; capax atlas --attention leftmost-hard --language PARITY",
    ]
    for claim in claims:
        lines.append(f"  {claim['id']:<30} {claim['kind']:<9} {claim['object']:<16} {'; '.join(claim['cites'])}")
    return "\n".join(lines)
