"""`capax crasp LEFT [RIGHT]`: formulas of C-RASP compared, up to a length and on all words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, choice
from capax.errors import CapaxError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capax.formal.acceptance import Read
    from capax.formal.crasp.compare import CountingComparison, Relation
    from capax.formal.crasp.smt import AllLengths
    from capax.formal.logic.counting import Counting

GROUP: Final = ("Languages and machines", 1.5)
REGEX: Final = "regex:"


def command(
    left: Annotated[str, typer.Argument(metavar="LEFT", help="A formula such as '#[a] > #[b]', or regex:EXPRESSION.")],
    right: Annotated[
        str | None, typer.Argument(metavar="RIGHT", help="Another; none to ask whether LEFT is empty.")
    ] = None,
    relation: Annotated[
        str | None,
        choice(
            "--relation",
            choices=("equal", "included", "empty"),
            help="included: LEFT in RIGHT.",
            show_default="by RIGHT",
        ),
    ] = None,
    alphabet: Annotated[str | None, typer.Option("--alphabet", help="The letters; default: those that occur.")] = None,
    max_length: Annotated[
        int, typer.Option("--max-length", metavar="N", help="All words of up to N letters are run.")
    ] = 8,
    read: Annotated[
        str, choice("--read", choices=("last", "end"), help="Where formulas are read: the last symbol, an end marker.")
    ] = "last",
    smt: Annotated[bool, typer.Option("--smt/--no-smt", help="Ask z3 about all lengths.")] = True,
    as_json: Json = False,
) -> None:
    """Compare two C-RASP formulas: exactly up to a length, and by z3 on all. Exit code 1 if the relation fails.

    Example: capax crasp '#[a] > #[b]' '#[a] >= #[b] + 1'
    """
    result = compare(left, right, relation, alphabet, max_length, read, smt=smt)
    finish(result, as_json=as_json, yes=result.comparison.holds is not False)


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What is known of a relation between two formulas."""

    left: str
    right: str | None
    alphabet: tuple[str, ...]
    read: "Read"
    layers: tuple[int, ...]
    comparison: "CountingComparison"

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        given = {"left": self.left, "right": self.right, "alphabet": list(self.alphabet), "read": self.read}
        return given | {"layers": list(self.layers)} | self.comparison.to_json()

    def render(self) -> str:
        """The result as text."""
        from capax.formal.acceptance import READS
        from capax.formal.crasp.obstruction import word_text

        done, all_ = self.comparison, self.comparison.everywhere
        layers = " and ".join(map(str, self.layers))
        says = {True: "yes", False: "no", None: "unknown"}[done.holds]
        about = f"alphabet {' '.join(self.alphabet)}; read {READS[self.read]}; layers {layers}"
        lines = [f"{done.relation}: {says} ({about})"]
        if done.counterexample is not None:
            word = word_text(done.counterexample) if done.counterexample else "the empty word"
            return "\n".join([*lines, f"  it fails on {word}; no shorter word does"])
        lines.append(f"  on all {done.words:,} words of up to {done.length} letters it holds")
        if all_.word is not None:
            lines.append(f"  on all words: no; {all_.why}, of {len(all_.word):,} letters: {word_text(all_.word)}")
        else:
            lines.append(f"  on all words: {says}; {all_.why}")
        return "\n".join(lines)


def compare(
    left: str,
    right: str | None,
    relation: str | None,
    alphabet: str | None,
    length: int,
    read: str,
    *,
    smt: bool = True,
) -> ComparisonResult:
    """Whether a relation holds between two formulas, or whether one is empty."""
    from capax.app.commands.recognise import read_position
    from capax.formal.crasp.compare import RELATIONS, compare_counting
    from capax.formal.logic.counting import CountingLanguage, counting_depth

    chosen = RELATIONS.get(relation or ("empty" if right is None else "equal"))
    if chosen is None or (chosen == "empty") != (right is None):
        what = f"the relation {relation} does not go with {'one formula' if right is None else 'two formulas'}"
        raise CapaxError("bad-option", what, hint="equal and included take two formulas, empty takes one")
    if not 0 <= length <= 200:
        raise CapaxError("bad-option", f"--max-length is from 0 to 200, not {length}")
    position = read_position(read)
    texts = [left] if right is None else [left, right]
    letters = _letters(texts, alphabet)
    languages = [CountingLanguage(_formula(text, letters, position), letters, position) for text in texts]
    known = _by_automata(texts, letters, chosen)
    first, second = languages[0], languages[1] if right is not None else None
    done = compare_counting(first, second, chosen, length, solve=smt, known=known)
    depths = tuple(counting_depth(one.formula) for one in languages)
    return ComparisonResult(left, right, letters, position, depths, done)


def _letters(texts: "Sequence[str]", alphabet: str | None) -> tuple[str, ...]:
    """The alphabet, given or of the letters that occur."""
    from capax.formal.automata.regex import regex_dfa
    from capax.formal.logic.counting import LetterBefore, Symbol, counting_subformulas
    from capax.formal.logic.counting_text import parse_counting

    if alphabet is not None:
        if not alphabet:
            raise CapaxError("bad-option", "the alphabet is empty", hint="--alphabet ab")
        return tuple(dict.fromkeys(alphabet))
    letters: set[str] = set()
    for text in texts:
        if text.startswith(REGEX):
            letters |= set(regex_dfa(text.removeprefix(REGEX)).alphabet)
        else:
            parts = counting_subformulas(parse_counting(text))
            letters |= {part.symbol for part in parts if isinstance(part, Symbol | LetterBefore)}
    if not letters:
        raise CapaxError("bad-option", "no letter occurs in the formulas", hint="--alphabet ab")
    return tuple(sorted(letters))


def _by_automata(texts: "Sequence[str]", alphabet: tuple[str, ...], relation: "Relation") -> "AllLengths | None":
    """What automata say of all lengths, if all texts are regular expressions; else None."""
    from capax.formal.automata.regex import regex_dfa
    from capax.formal.crasp.smt import AllLengths

    if not all(text.startswith(REGEX) for text in texts):
        return None
    first, *rest = (regex_dfa(text.removeprefix(REGEX), alphabet) for text in texts)
    if relation == "equal":
        word = first.difference(rest[0])
    else:
        word = (first.combined(rest[0], lambda one, other: one and not other) if rest else first).shortest()
    return AllLengths(word is None, "the automata of the expressions decide it", word)


def _formula(text: str, alphabet: tuple[str, ...], read: "Read") -> "Counting":
    """The formula of a text, or of a regular expression that is in C-RASP."""
    from capax.formal.automata.regex import regex_dfa
    from capax.formal.crasp.decide import decide_crasp
    from capax.formal.crasp.formula import crasp_formula
    from capax.formal.crasp.obstruction import crasp_reason
    from capax.formal.logic.counting_text import parse_counting

    if not text.startswith(REGEX):
        return parse_counting(text)
    decision = decide_crasp(regex_dfa(text.removeprefix(REGEX), alphabet).minimal())
    formula = crasp_formula(decision, read)
    if formula is None:
        what = f"{text} is not in C-RASP: {crasp_reason(decision, read)}"
        raise CapaxError("bad-option", what, hint="capax recognise EXPRESSION --crasp has the evidence")
    return formula
