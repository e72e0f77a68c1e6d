"""`capax report`: a file of results as one page."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, Results, count
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.app.sweeps.summary import SweepSummary

GROUP: Final = ("What they learn", 6)


def command(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .html file to write.")],
    results: Results = "lab.sqlite",
    as_json: Json = False,
) -> None:
    """Write a page with every sweep of a file of results: question, prediction, plots, attention and verdict.

    Example: capax report -o report.html
    """
    finish(write_report(results, output), as_json=as_json)


@dataclass(frozen=True, slots=True)
class LabReport:
    """A page that was written, and the sweeps on it."""

    file: str
    experiments: "tuple[SweepSummary, ...]"

    def to_json(self) -> dict[str, Any]:
        """The file and the sweeps."""
        return parts(self)

    def render(self) -> str:
        """How many sweeps are on the page."""
        return f"{count(len(self.experiments), 'experiment')} in {self.file}"


def write_report(file: str, output: str) -> LabReport:
    """The page of a file of results, written to another."""
    from capax.app.files.text_files import write_text
    from capax.app.sweeps.results_store import Store
    from capax.app.sweeps.summary import damage_as_error, summary
    from capax.draw.subjects.lab_report import lab_report

    if not output.endswith(".html"):
        raise CapaxError("bad-option", f"a report is an .html file, not {output}", hint="-o report.html")
    store = Store(Path(file), only_read=True)
    parts = [(spec, preset, store.runs(spec.name, preset)) for spec, preset in store.experiments()]
    with damage_as_error(file):
        sweeps = tuple(summary(*part) for part in parts)
        page = lab_report(parts)
    write_text(Path(output), page)
    return LabReport(output, sweeps)
