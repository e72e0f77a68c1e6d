"""Checking a suite as a whole: digests, every case compiled anew, every level of it checked."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capax.errors import CapaxError
from capax.model.interpretability.interchange import all_words
from capax.model.interpretability.lens_model import LensModel, mixed_words
from capax.suite.case_files import case_json, program_text
from capax.suite.checks.check_level import level_problems
from capax.suite.files import Suite, SuiteCase, SuiteLevel, digest, load_suite, no_clock, words_files
from capax.suite.levels.superposed import WORDS
from capax.suite.programs.suite_program import LENGTH, CompiledCase, compiled_case, program_answers
from capax.suite.truth.pairs import WordPair, missing_pairs, wrong_pairs


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong in a suite."""

    case: str
    level: str
    what: str


@dataclass(slots=True)
class SuiteCheck:
    """What checking a suite gave."""

    folder: Path
    models: int = 0
    words: int = 0
    edges: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The figures and problems as plain data."""
        problems = [{"case": p.case, "level": p.level, "what": p.what} for p in self.problems]
        figures = {"models": self.models, "words": self.words, "edges": self.edges}
        return {"folder": str(self.folder), **figures, "cpu_seconds": round(self.seconds, 1), "problems": problems}

    def render(self) -> str:
        """The figures, and a line for each problem."""
        tried = f"{self.models} models, {self.words:,} words, {self.edges:,} edges"
        lines = [f"{tried} checked: {len(self.problems) or 'no'} problem{'s' * (len(self.problems) != 1)}"]
        lines += [f"{p.case} {p.level}: {p.what}" for p in self.problems]
        return "\n".join(lines)


def check(
    folder: Path | str,
    *,
    digests: bool = True,
    levels: Sequence[str] = (),
    programs: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
    clock: Callable[[], float] = no_clock,
) -> SuiteCheck:
    """Checks a suite: nothing in its files is believed that can be computed anew.

    Each program is compiled again, its answers are those of the program itself on all words, and every edge that is in
    is replayed, every edge that is out is tried. `levels` and `programs` are for a part of the suite: all if not given.
    """
    suite, started = load_suite(folder), clock()
    suite.check_choice(levels, programs)
    cases = [case for case in suite.cases if not programs or case.program.id in programs]
    result = SuiteCheck(Path(folder))
    if digests:
        result.problems += [Problem("suite", "", what) for what in digest_problems(suite)]
    for number, case in enumerate(cases, 1):
        before = len(result.problems)
        check_case(case, result, levels)
        if say is not None:
            say(f"{number} of {len(cases)}  {case.program.id}: {len(result.problems) - before or 'no'} problems")
    result.seconds = clock() - started
    return result


def digest_problems(suite: Suite) -> Iterator[str]:
    """Files that are not those that were written, by their digests."""
    files = json.loads((suite.folder / "suite.json").read_bytes())["files"]
    for name, known in files.items():
        path = suite.folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif digest(path.read_bytes()) != known:
            yield f"{name} is not the file that was written"
    whole = digest("".join(f"{name} {files[name]}\n" for name in sorted(files)).encode())
    if whole != suite.digest:
        yield "the digest of the whole is not that of its files"


def check_case(case: SuiteCase, result: SuiteCheck, levels: Sequence[str] = ()) -> None:
    """Checks a case and its levels."""
    own = compiled_case(case.program)
    words = all_words(own.lens, LENGTH)
    answers = program_answers(own, own.lens, words)
    result.problems += [Problem(case.program.id, "", what) for what in _case_problems(case, own)]
    for level in case.levels:
        if levels and level not in levels:
            continue
        one = case.level(level)
        try:
            if level == "superposed":
                problems = list(_superposed_problems(one))
            else:
                problems = list(level_problems(one, own, words, answers))
        except CapaxError as error:
            problems = [error.what]
        result.problems += [Problem(case.program.id, level, what) for what in problems]
        result.models += 1
        result.words += int(one.checked["words"])
        result.edges += len(one.lens.shape.edges())


def _superposed_problems(level: SuiteLevel) -> Iterator[str]:
    """The checks of a level over many letters, on random words."""
    own = compiled_case(level.case.program, "".join(map(str, level.lens.alphabet)))
    lengths = range(own.lens.min_length, own.lens.max_length + 1)
    words = [mixed_words(own.lens, n, WORDS // 5, seed=11) for n in lengths]
    yield from word_problems(level.folder, own.lens)
    yield from _pair_problems(own, level.pairs)
    yield from level_problems(level, own, words, program_answers(own, own.lens, words))


def _case_problems(case: SuiteCase, own: CompiledCase) -> Iterator[str]:
    """What is wrong in the files that the levels share."""
    if not case.levels:
        return
    first = SuiteLevel(case, next((level for level in case.levels if level != "superposed"), case.levels[0]))
    if first.data("case.json") != case_json(own) or first.read("program.rasp").decode() != program_text(own):
        yield "case.json or program.rasp is not of the program in suite.json"
    if first.data("variables.json") != [variable.to_json() for variable in own.variables]:
        yield "variables.json is not what the program's variables are"
    yield from word_problems(case.folder, own.lens)
    if first.level != "superposed":
        yield from _pair_problems(own, first.pairs)


def _pair_problems(own: CompiledCase, pairs: Sequence[WordPair]) -> Iterator[str]:
    """Pairs whose answers are not the program's, and edges that no pair shows."""
    wrong = wrong_pairs(own.lens, pairs)
    for number in wrong[:3]:
        yield f"the answers of pair {number + 1} in pairs.csv are not the program's"
    for pair in [] if wrong else missing_pairs(own.lens, pairs, own.edges):
        yield f"an edge that {pair.clean} and {pair.corrupted} show is shown by no pair in pairs.csv"


def word_problems(folder: Path, lens: LensModel) -> Iterator[str]:
    """Files on words, answers and tokens that are not those of the program's model."""
    for name, data in words_files(lens).items():
        if (folder / name).read_bytes() != data:
            yield f"{name} is not of the program's words and answers"
