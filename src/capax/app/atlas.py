"""`capax atlas` as functions of plain data."""

from collections.abc import Mapping
from shlex import quote
from typing import Any

from capax.atlas.bibliography import PAPERS, bibtex
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, contains, exact, recognises, region, within
from capax.atlas.inference.proof import by_definition
from capax.atlas.inference.sensitivity import cells, open_cells, turns
from capax.atlas.inference.what_if import changes, suppose
from capax.atlas.models import MODELS
from capax.atlas.page import page
from capax.atlas.questions.keywords import keywords
from capax.atlas.questions.names import class_named, language_named
from capax.atlas.records import Atlas, Claim, Remark
from capax.atlas.setting import FIELDS, check_value
from capax.limits import limit


def world(assumption: str | None) -> Atlas:
    """The atlas, under an assumption if one is given."""
    return ATLAS if assumption is None else suppose(ATLAS, assumption)


def question(given: Mapping[str, str]) -> dict[str, str]:
    """The region of a question from the fields that are given."""
    return region(**{name: check_value(name, value) for name, value in given.items()})


def ask_language(atlas: Atlas, given: Mapping[str, str], name: str) -> dict[str, Any]:
    """Whether transformers with the given fields recognise a language, with proofs and sources."""
    language = language_named(atlas, name)
    answer = recognises(atlas, question(given), language)
    return {"given": dict(given), "region": question(given), "language": language} | told(answer)


def ask_class(atlas: Atlas, given: Mapping[str, str], name: str) -> dict[str, Any]:
    """Whether transformers with the given fields recognise all of a class, and nothing else."""
    cls = class_named(atlas, name)
    where = question(given)
    parts = {"contains": told(contains(atlas, where, cls)), "within": told(within(atlas, where, cls))}
    settings = {claim.id: claim.where for claim in exact(atlas, where, cls)}
    return {"given": dict(given), "region": where, "class": cls, "exactly": settings} | parts


def told(answer: Answer) -> dict[str, Any]:
    """An answer as plain data, with the papers in full and what runs the claims."""
    claims = [record for proof in answer.proofs for record in proof.records if isinstance(record, Claim)]
    claims += [clash.claim for clash in answer.clashes]
    keys = dict.fromkeys(key for proof in answer.proofs for key in proof.sources)
    keys |= dict.fromkeys(key for clash in answer.clashes for key in clash.claim.sources)
    links = {(claim.id, line): {"claim": claim.id, "command": line} for claim in claims for line in commands_of(claim)}
    return answer.to_json() | {
        "sources": {key: PAPERS[key].line for key in keys},
        "runs": list(links.values()),
        "notes": {claim.id: claim.note for claim in claims if claim.note},
    }


def commands_of(record: Claim | Remark) -> list[str]:
    """The commands that build and check what a record says is possible, and compute what it says is not."""
    found = [f"capax theorem {name}{_options(parameters)}" for name, parameters in record.theorems.items()]
    for name, parameters in record.limits.items():
        before, model = "", ""
        if limit(name).measures:
            before, model = "capax theorem parity -o parity.safetensors; ", " --model parity.safetensors"
        found.append(f"{before}capax limit {name}{model}{_options(parameters)}")
    programs = record.programs if isinstance(record, Claim) else ()
    found += [f"capax compile {quote(text)} --alphabet {letters} --max-length 12" for text, letters in programs]
    return found


def _options(parameters: Mapping[str, Any]) -> str:
    return "".join(f" --{key.replace('_', '-')} {value}" for key, value in parameters.items())


def ask_knobs(atlas: Atlas, given: Mapping[str, str], name: str) -> dict[str, Any]:
    """What every change of one assumption does to an answer."""
    language = language_named(atlas, name)
    where = question(given)
    found = turns(atlas, where, language)
    rows = [
        {
            "field": turn.field,
            "value": turn.value,
            "answer": turn.answer.verdict,
            "assuming": list(turn.answer.assuming),
            "by": list(turn.answer.proofs[0].ids) if turn.answer.proofs else [],
            "claims": list(turn.answer.proofs[0].claims) if turn.answer.proofs else [],
        }
        for turn in found
    ]
    now = recognises(atlas, where, language)
    proofs = [answer.proofs[0] for answer in (now, *(turn.answer for turn in found)) if answer.proofs]
    keys = dict.fromkeys(key for proof in proofs for key in proof.sources)
    return {
        "given": dict(given),
        "region": where,
        "language": language,
        "answer": now.verdict,
        "turns": rows,
        "sources": {key: PAPERS[key].line for key in keys},
    }


def ask_open(atlas: Atlas) -> list[dict[str, Any]]:
    """The cells of the table that no record decides, or a conjecture alone."""
    return [
        {
            "model": cell.model,
            "language": cell.language,
            "answer": cell.answer.verdict,
            "assuming": list(cell.answer.assuming),
        }
        for cell in open_cells(atlas)
    ]


def ask_changes(assumption: str) -> dict[str, Any]:
    """What an assumption about classes changes in the table."""
    found = changes(ATLAS, suppose(ATLAS, assumption))
    rows = [{"model": one.model, "language": one.language, "before": one.before, "after": one.after} for one in found]
    return {"what_if": assumption, "changes": rows}


def cited(keys: list[str]) -> str:
    """BibTeX of some papers; without any a comment says so."""
    return "\n\n".join(bibtex(key, PAPERS[key]) for key in keys) if keys else "% the answer cites nothing"


def all_papers() -> list[str]:
    """Every paper of the atlas."""
    return sorted(PAPERS)


def cited_by(result: Mapping[str, Any]) -> list[str]:
    """The papers that an answer cites."""
    parts = [result, *(result[name] for name in ("contains", "within") if name in result)]
    return list(dict.fromkeys(key for part in parts for key in part.get("sources", {})))


def list_fields() -> list[dict[str, Any]]:
    """The fields of a setting, with their values and keywords."""
    words = {meant[0]: word for word, meant in sorted(keywords().items(), reverse=True) if len(meant) == 1}
    return [
        {
            "field": name,
            "what": field.what,
            "default": field.default,
            "values": [
                {"value": value, "keyword": words[(name, value)], "what": what} for value, what in field.values.items()
            ],
        }
        for name, field in FIELDS.items()
    ]


def overview() -> dict[str, Any]:
    """How many records there are, and the claims in short."""
    return {
        "claims": [
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
        ],
        "remarks": [
            {
                "id": remark.id,
                "text": remark.text,
                "cites": [PAPERS[key].short for key in remark.sources],
                "seen": remark.seen,
                "against": remark.against or None,
                "runs": commands_of(remark),
            }
            for remark in ATLAS.remarks
        ],
        "inclusions": len(ATLAS.inclusions),
        "languages": len(ATLAS.languages),
        "memberships": len(ATLAS.memberships),
        "papers": len(PAPERS),
    }


def records_page() -> str:
    """The reference page: all records as Markdown."""
    return page(ATLAS)


def table(atlas: Atlas) -> dict[str, Any]:
    """The table of models and languages."""
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for cell in cells(atlas):
        proof = cell.answer.proofs[0] if cell.answer.proofs else None
        rows.setdefault(cell.model, {})[cell.language] = {
            "answer": cell.answer.verdict,
            "assuming": list(cell.answer.assuming),
            "by": [one.id for one in proof.records if not by_definition(one)] if proof else [],
            "carried": [one.id for one in proof.records if by_definition(one)] if proof else [],
        }
    settings = {name: setting.to_json() for name, setting in MODELS.items()}
    return {"languages": {one.id: one.what for one in atlas.languages}, "models": settings, "cells": rows}
