"""The results of `capax atlas`: answers with their proofs, and views of the records."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from textwrap import wrap
from typing import Any, Final

from capax.app.commands._atlas_circuits import shape_json, shape_line
from capax.app.commands._result import Result
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, contains, exact, recognises, region, within
from capax.atlas.inference.proof import Proof, Record, by_definition, says
from capax.atlas.inference.what_if import Change, Turn, changes, suppose, turns
from capax.atlas.page import page
from capax.atlas.papers import PAPERS, bibtex
from capax.atlas.questions.names import class_named, language_named
from capax.atlas.questions.question import keywords
from capax.atlas.records import Atlas, CircuitShape, Claim, ProgramLink, Remark
from capax.atlas.setting import ANY, FIELDS, check_value
from capax.atlas.table import Cell, open_cells
from capax.display import Card, parts
from capax.limits import limit

WIDTH: Final = 110
MOST_PROOFS: Final = 3
MOST_CLASHES: Final = 6


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    """A text in lines, with that many spaces before the first line and before the others."""
    return wrap(text, WIDTH, initial_indent=" " * first, subsequent_indent=" " * rest)


def commands_of(record: Claim | Remark) -> list[str]:
    """The commands that build and check what a record says is possible, and compute what it says is not."""
    commands = [f"capax theorem {name}{_options(parameters)}" for name, parameters in record.theorems.items()]
    for name, parameters in record.limits.items():
        before, model = "", ""
        if limit(name).measures:
            before, model = "capax theorem parity -o parity.safetensors; ", " --model parity.safetensors"
        commands.append(f"{before}capax limit {name}{model}{_options(parameters)}")
    return commands + [_compiling(program) for program in record.programs]


def _compiling(program: ProgramLink) -> str:
    letters = f'"{program.letters}" --as words' if " " in program.letters else program.letters
    return f"capax compile {quote(program.text)} --alphabet {letters} --max-length {program.longest}"


def _options(parameters: Mapping[str, Any]) -> str:
    return "".join(f" --{key.replace('_', '-')} {value}" for key, value in parameters.items())


def verdict_text(verdict: str, assuming: Sequence[str]) -> str:
    """A verdict in words."""
    if verdict == "conditional":
        return f"no, assuming {' and '.join(assuming)}"
    return "unknown: no record decides it" if verdict == "unknown" else verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """An answer with the claims that it names, the papers that it cites and the commands that run it."""

    answer: Answer

    @property
    def claims(self) -> list[Claim]:
        """The claims of the proofs, and those that say the opposite."""
        records = [record for proof in self.answer.proofs for record in proof.records if isinstance(record, Claim)]
        return records + [clash.claim for clash in self.answer.clashes]

    @property
    def sources(self) -> dict[str, str]:
        """The papers that are cited, in a line each."""
        keys = [key for proof in self.answer.proofs for key in proof.sources]
        keys += [key for clash in self.answer.clashes for key in clash.claim.sources]
        return {key: PAPERS[key].line for key in keys}

    @property
    def runs(self) -> list[tuple[str, str]]:
        """Each claim with each command that runs it."""
        return list(dict.fromkeys((claim.id, line) for claim in self.claims for line in commands_of(claim)))

    @property
    def notes(self) -> dict[str, str]:
        """The notes of the claims."""
        return {claim.id: claim.note for claim in self.claims if claim.note}

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data, with the papers in full and what runs the claims."""
        runs = [{"claim": claim, "command": line} for claim, line in self.runs]
        return self.answer.to_json() | {"sources": self.sources, "runs": runs, "notes": self.notes}

    def verdict_lines(self) -> list[str]:
        """The verdict and the best proofs."""
        lines = [verdict_text(self.answer.verdict, self.answer.assuming)]
        for number, proof in enumerate(self.answer.proofs[:MOST_PROOFS]):
            rules = f" ({', '.join(proof.rules)})" if proof.rules else ""
            lines += [f"  {'also by' if number else 'by'}{rules}", *self._proof(proof)]
        rest = len(self.answer.proofs) - MOST_PROOFS
        return [*lines, f"  and {rest} more proofs: --json has them"] if rest > 0 else lines

    def _proof(self, proof: Proof) -> list[str]:
        """The records of a proof, a line each; changes that hold by definition stand together at the end."""
        lines, carried = [], [record.id for record in proof.records if by_definition(record)]
        for record in proof.records:
            if not by_definition(record):
                mark = "; ".join(filter(None, (", ".join(getattr(record, "sources", ())), _seen(record))))
                lines += _wrapped(f"{record.id}: {says(record)} [{mark}]", 4, 8)
                lines += _wrapped(self.notes.get(record.id, ""), 8, 8)
        return lines + (_wrapped(f"carried over by definition: {'; '.join(carried)}", 4, 8) if carried else [])

    def clash_lines(self) -> list[str]:
        """Claims that say the opposite, with the fields in which they differ."""
        clashes = self.answer.clashes
        if not clashes:
            return []
        possible = self.answer.verdict == "yes"
        lines = ["not a contradiction" if possible else "what is different where it is possible"]
        for clash in clashes[:MOST_CLASHES]:
            differs = "; ".join(f"{name} {there} (here {here})" for name, (here, there) in clash.fields.items())
            beside = f", beside {clash.beside.id}" if clash.beside is not None else ""
            lines += _wrapped(f"{clash.claim.id} says {'no' if possible else 'yes'}{beside}: {differs}", 2, 6)
        rest = len(clashes) - MOST_CLASHES
        return [*lines, f"  and {rest} more"] if rest > 0 else lines


def _seen(record: Record) -> str:
    """How a record was seen, and of a checked one in which part of the paper."""
    seen, against = getattr(record, "seen", ""), getattr(record, "against", "")
    return f"{seen} ({against.split(';')[0].split(',')[0]})" if seen == "checked" and against else seen


def _run_lines(parts: Iterable[Evidence]) -> list[str]:
    lines = dict.fromkeys(f"  {claim}: {line}" for part in parts for claim, line in part.runs)
    return ["what runs here", *lines] if lines else []


def _source_lines(parts: Iterable[Evidence]) -> list[str]:
    sources = {key: line for part in parts for key, line in part.sources.items()}
    lines = [text for key, line in sources.items() for text in _wrapped(f"{key}: {line}", 2, 4)]
    return ["sources", *lines] if lines else []


@dataclass(frozen=True, slots=True)
class Question:
    """The fields that a question gives, and its region: with what is assumed for the others."""

    given: Mapping[str, str]

    @property
    def region(self) -> dict[str, str]:
        """Every field with its value, `any` where it is left open."""
        return region(**{name: check_value(name, value) for name, value in self.given.items()})

    def to_json(self) -> dict[str, Any]:
        """The question as plain data."""
        return parts(self, "given", "region")

    def lines(self, about: str) -> list[str]:
        """The question as text: what is given, what is assumed, what is left open."""
        taken = [f"{name} {value}" for name, value in self.region.items() if name not in self.given and value != ANY]
        left = [name for name, value in self.region.items() if value == ANY]
        lines = [
            f"{', '.join(f'{name} {value}' for name, value in self.given.items()) or 'any transformers'} : {about}"
        ]
        for what, names in (("taken", taken), ("open", left)):
            lines += [f"  {what}: {', '.join(names)}"] if names else []
        return lines


@dataclass(frozen=True, slots=True)
class LanguageAnswer(Card):
    """Whether some transformers of a question recognise a language."""

    question: Question
    language: str
    evidence: Evidence

    @classmethod
    def of(cls, atlas: Atlas, given: Mapping[str, str], name: str) -> "LanguageAnswer":
        """The answer of an atlas."""
        language, question = language_named(atlas, name), Question(given)
        return cls(question, language, Evidence(recognises(atlas, question.region, language)))

    @property
    def sources(self) -> list[str]:
        """The papers that it cites."""
        return list(self.evidence.sources)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        return self.question.to_json() | {"language": self.language} | self.evidence.to_json()

    def render(self) -> str:
        """The answer as text."""
        one = self.evidence
        lines = [*self.question.lines(f"{self.language}?"), *one.verdict_lines(), *one.clash_lines()]
        return "\n".join([*lines, *_run_lines([one]), *_source_lines([one])])


@dataclass(frozen=True, slots=True)
class ClassAnswer(Card):
    """Whether some transformers of a question recognise all of a class, and nothing else."""

    question: Question
    cls: str
    circuits: CircuitShape | None
    exactly: tuple[Claim, ...]
    contains: Evidence
    within: Evidence

    @classmethod
    def of(cls, atlas: Atlas, given: Mapping[str, str], name: str) -> "ClassAnswer":
        """The answer of an atlas."""
        id_, question = class_named(atlas, name), Question(given)
        where = question.region
        parts = (Evidence(contains(atlas, where, id_)), Evidence(within(atlas, where, id_)))
        return cls(question, id_, atlas.cls(id_).circuits, exact(atlas, where, id_), *parts)

    @property
    def sources(self) -> list[str]:
        """The papers that it cites."""
        return list(self.contains.sources | self.within.sources)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        exactly = {claim.id: claim.where for claim in self.exactly}
        parts = {"contains": self.contains.to_json(), "within": self.within.to_json()}
        about = {"class": self.cls, "circuits": shape_json(self.circuits), "exactly": exactly}
        return self.question.to_json() | about | parts

    def render(self) -> str:
        """The answer as text."""
        lines = self.question.lines(f"{self.cls}?")
        lines += [f"  {shape_line(self.circuits)}"] if self.circuits is not None else []
        for claim in self.exactly:
            lines += _wrapped(f"exactly {self.cls} by {claim.id}: {claim.where}", 0, 4)
        lines += [f"do they recognise all of {self.cls}?", *self.contains.verdict_lines()]
        lines += [f"do they recognise nothing outside {self.cls}?", *self.within.verdict_lines()]
        parts = (self.contains, self.within)
        return "\n".join([*lines, *_run_lines(parts), *_source_lines(parts)])


@dataclass(frozen=True, slots=True)
class Sensitivity(Card):
    """What every change of one assumption does to an answer."""

    question: Question
    language: str
    answer: Answer
    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, atlas: Atlas, given: Mapping[str, str], name: str) -> "Sensitivity":
        """The changes, by an atlas."""
        language, question = language_named(atlas, name), Question(given)
        where = question.region
        return cls(question, language, recognises(atlas, where, language), tuple(turns(atlas, where, language)))

    @property
    def sources(self) -> list[str]:
        """The papers that the best proofs cite."""
        answers = (self.answer, *(turn.answer for turn in self.turns))
        return list(dict.fromkeys(key for answer in answers for proof in answer.proofs[:1] for key in proof.sources))

    def to_json(self) -> dict[str, Any]:
        """The changes as plain data."""
        rows = [
            {
                "field": turn.field,
                "value": turn.value,
                "answer": turn.answer.verdict,
                "assuming": list(turn.answer.assuming),
                "by": [id_ for proof in turn.answer.proofs[:1] for id_ in proof.ids],
                "claims": [id_ for proof in turn.answer.proofs[:1] for id_ in proof.claims],
            }
            for turn in self.turns
        ]
        sources = {key: PAPERS[key].line for key in self.sources}
        about = {"language": self.language, "answer": self.answer.verdict}
        return self.question.to_json() | about | {"turns": rows, "sources": sources}

    def render(self) -> str:
        """The changes as text: those that change the answer, then the others."""
        now = self.answer.verdict
        lines = [*self.question.lines(f"{self.language}? {now}"), "with one assumption changed"]
        others: dict[str, list[str]] = {"no change by": [], "unknown with": []}
        for turn in self.turns:
            verdict, change = turn.answer.verdict, f"{turn.field} {turn.value}"
            if verdict in (now, "unknown"):
                others["no change by" if verdict == now else "unknown with"].append(change)
                continue
            claims = ", ".join(id_ for proof in turn.answer.proofs[:1] for id_ in proof.claims)
            text = f"  {change:<34} {verdict_text(verdict, turn.answer.assuming)} [{claims}]"
            lines += _wrapped(text, 0, 37)
        for what, names in others.items():
            lines += _wrapped(f"{what}: {', '.join(names)}", 2, 6) if names else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class OpenCells(Card):
    """The cells of the table that no record decides, or only a conjecture."""

    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, atlas: Atlas) -> "OpenCells":
        """The open cells of an atlas."""
        return cls(tuple(open_cells(atlas)))

    def to_json(self) -> list[dict[str, Any]]:
        """The cells as plain data."""
        return [
            parts(cell, "model", "language") | {"answer": cell.answer.verdict, "assuming": list(cell.answer.assuming)}
            for cell in self.cells
        ]

    def render(self) -> str:
        """The cells as text, by kind of models."""
        lines = ["cells that the atlas does not decide; some are open problems, some are records that are missing"]
        names: dict[str, list[str]] = {}
        for cell in self.cells:
            assuming = f" (no, assuming {cell.answer.assuming[0]})" if cell.answer.assuming else ""
            names.setdefault(cell.model, []).append(cell.language + assuming)
        for model, languages in names.items():
            lines += _wrapped(f"{model}: {', '.join(languages)}", 2, 6)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhatIf(Card):
    """What an assumption about classes changes in the table."""

    assumption: str
    changes: tuple[Change, ...]

    @classmethod
    def of(cls, assumption: str) -> "WhatIf":
        """The changes to the atlas."""
        return cls(assumption, tuple(changes(ATLAS, suppose(ATLAS, assumption))))

    def to_json(self) -> dict[str, Any]:
        """The changes as plain data."""
        return {"what_if": self.assumption} | parts(self, "changes")

    def render(self) -> str:
        """The changes as text."""
        rows = [f"  {one.model}, {one.language}: {one.before} becomes {one.after}" for one in self.changes]
        head = f"if {self.assumption}, then in the table of models and languages"
        return "\n".join([head, *(rows or ["  nothing changes"])])


@dataclass(frozen=True, slots=True)
class FieldList(Card):
    """The fields of a setting, with their values and keywords."""

    def to_json(self) -> list[dict[str, Any]]:
        """The fields as plain data."""
        words = {meant[0]: word for word, meant in sorted(keywords().items(), reverse=True) if len(meant) == 1}
        return [
            {
                "field": name,
                "what": field.what,
                "default": field.default,
                "values": [
                    {"value": value, "keyword": words[(name, value)], "what": what}
                    for value, what in field.values.items()
                ],
            }
            for name, field in FIELDS.items()
        ]

    def render(self) -> str:
        """The fields as text."""
        lines = []
        for field in self.to_json():
            lines.append(f"--{field['field']}: {field['what']}; {field['default']} unless given")
            lines += [f"  {row['value']:<16} {row['keyword']:<24} {row['what']}" for row in field["values"]]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Overview(Card):
    """How many records there are, and the claims in short."""

    def claims_json(self) -> list[dict[str, Any]]:
        """The claims as plain data."""
        return [
            {
                "id": claim.id,
                "row": claim.row or None,
                "kind": claim.kind,
                "object": claim.object,
                "setting": claim.setting.to_json() | {"read": " or ".join(claim.reads)},
                "reads": list(claim.reads),
                "reading": claim.reading or None,
                "unstated": list(claim.unstated),
                "sources": list(claim.sources),
                "cites": [PAPERS[key].short for key in claim.sources],
                "seen": claim.seen,
                "against": claim.against or None,
                "note": claim.note or None,
                "runs": commands_of(claim),
            }
            for claim in ATLAS.claims
        ]

    def to_json(self) -> dict[str, Any]:
        """The overview as plain data."""
        remarks = [
            parts(remark, "id", "text")
            | {"cites": [PAPERS[key].short for key in remark.sources]}
            | {"seen": remark.seen, "against": remark.against or None, "runs": commands_of(remark)}
            for remark in ATLAS.remarks
        ]
        counts = {name: len(getattr(ATLAS, name)) for name in ("inclusions", "languages", "memberships")}
        return {"claims": self.claims_json(), "remarks": remarks} | counts | {"papers": len(PAPERS)}

    def render(self) -> str:
        """The overview as text."""
        marks = Counter(claim.seen for claim in ATLAS.claims)
        lines = [
            f"{len(ATLAS.claims)} claims ({', '.join(f'{count} {seen}' for seen, count in sorted(marks.items()))}), "
            f"{len(ATLAS.inclusions)} inclusions, "
            f"{len(ATLAS.languages)} languages with {len(ATLAS.memberships)} facts, {len(PAPERS)} papers",
            "ask: capax atlas softmax log-precision : S5; capax atlas --attention leftmost-hard --language PARITY",
        ]
        for claim in ATLAS.claims:
            cites = "; ".join(PAPERS[key].short for key in claim.sources)
            lines.append(f"  {claim.id:<30} {claim.kind:<9} {claim.object:<16} {cites}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Citations:
    """Some papers as BibTeX."""

    keys: tuple[str, ...]

    @classmethod
    def of(cls, result: Result) -> "Citations":
        """The papers that an answer cites; all papers for a result that is not an answer."""
        if isinstance(result, LanguageAnswer | ClassAnswer | Sensitivity):
            return cls(tuple(result.sources))
        return cls(tuple(sorted(PAPERS)))

    def to_json(self) -> dict[str, Any]:
        """The text as plain data."""
        return {"bibtex": self.render()}

    def render(self) -> str:
        """The entries; without any a comment says so."""
        return "\n\n".join(bibtex(key, PAPERS[key]) for key in self.keys) or "% the answer cites nothing"


@dataclass(frozen=True, slots=True)
class RecordsPage:
    """The reference page: all records as Markdown."""

    def to_json(self) -> dict[str, Any]:
        """The text as plain data."""
        return {"markdown": self.render()}

    def render(self) -> str:
        """The page."""
        return page(ATLAS)
