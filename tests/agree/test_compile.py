"""Compiled models against the interpreter: random programs, domains and settings, on short words and long ones."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, event, example, given, note, settings
from hypothesis import strategies as st

import capax
from capax import library, tokens
from capax.certify.recheck.recheck import spec_of
from capax.compiler.check.agreement import hard_words, meaning, same
from capax.compiler.compile_program import build
from capax.compiler.compiled import Passes
from capax.compiler.domain import Domain, domain
from capax.errors import CapaxError
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Select,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.meaning import reference
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.rewrite.prepare import prepare
from capax.rasp.rewrite.rewrite import rewrite
from tests.support.outcomes import count_outcome, least_share
from tests.support.programs import as_sop, graphs
from tests.support.typed_programs import FULL, typed_programs

REFUSALS = ("too-many-values", "always-fails", "rests-on-rounding")
"""What the compiler may say instead of a model."""

ALPHABETS: list[tuple[Any, ...]] = [
    ("a", "b", "("),
    ("1", "2"),
    ("a",),
    (0, 1, 3),
    (-2, 5),
    (True, False),
    (0.5, -0.5, 3.0),
    (0.1, 2),
    ("a", 1),
]


IS_ONE = Map("==", (Input("asis"), Const(1)))
TWICE = Map("+", (Input("asis"), Input("asis")))
ABOVE_MEAN = Map("+", (Input("asis"), Aggregate(FULL, Input("asis"), 0)))
EARLIER = Select(Indices(), Indices(), "<")
SAME = Select(Input("asis"), Input("asis"), "==")
NUMBERS: list[tuple[Any, ...]] = [(0, 1, 2, 3), (0, 1), (-2, 1, 5), (0.5, 1, -1.5), (3, 1)]


BUDGET = 1_000
"""Tables of random programs are small: a few that are not would take most of the time."""


def domains_over(alphabets: list[tuple[Any, ...]], longest: int) -> st.SearchStrategy[Domain]:
    """Domains with all settings."""
    return st.builds(
        domain,
        st.sampled_from(alphabets),
        st.integers(1, longest),
        causal=st.booleans(),
        masks=st.booleans(),
        dtype=st.sampled_from(["float32", "float64"]),
        mlp_depth=st.sampled_from([None, None, 1]),
        keep_all=st.booleans(),
        budget=st.just(BUDGET),
    )


domains, number_domains = domains_over(ALPHABETS, 5), domains_over(NUMBERS, 7)


def words_of(found: Domain, seed: int) -> list[tuple[Any, ...]]:
    """All words of up to 3 tokens, random ones of the greatest length, and ones with ties and extremes."""
    source = random.Random(seed)
    short = [w for n in range(1, min(found.max_length, 3) + 1) for w in itertools.product(found.alphabet, repeat=n)]
    long = [tuple(source.choices(found.alphabet, k=found.max_length)) for _ in range(20)]
    return [*short, *long, *hard_words(found, 20)]


def disagreement(model: Model, node: SOpNode, words: Sequence[tuple[Any, ...]], *, typed: bool) -> Any:
    """A word on which the model is wrong, or gives a wrong type, with both answers, or None."""
    for word, expected, answer in zip(words, evaluate_batch(node, words), model.batch(words), strict=True):
        if isinstance(expected, CapaxError):
            continue
        if len(answer) != len(word) or not all(same(e, a, typed=typed) for e, a in zip(expected, answer, strict=True)):
            return word, list(expected), answer
    return None


def compiled(root: SOpNode, found: Domain) -> Passes | None:
    """The passes to the model, or None for a program that is refused."""
    try:
        return build(root, found, {})
    except CapaxError as error:
        if error.code not in REFUSALS:
            raise
        return None


def faults(root: SOpNode, found: Domain, seed: int) -> list[str]:
    """In which ways the model is wrong, larger than it may be, or silent about an error; none if it is refused."""
    note(describe(root, longest=2000))
    made = compiled(root, found)
    count_outcome("refused" if made is None else "compiled")
    if made is None:
        return []
    model, analysis = made.model, made.analysis
    words = words_of(found, seed)
    typed = spec_of(model, root, causal=found.causal).typed
    event(f"types of answers: {typed}")
    wrong = disagreement(model, meaning(root, found), words, typed=typed)
    # what the answers do not need is left out first, and its errors with it
    prepared, _ = prepare(root, causal=found.causal)
    codes = {o.code for o in evaluate_batch(prepared, words) if isinstance(o, CapaxError)}
    masks = {head.mask for head in heads(model)}
    allowed = {"none", "causal"} if found.causal else {"none"}
    stages = max((len(mlp.maps) - 1 for mlp in mlps(model)), default=0)
    depth = max(depths(rewrite(meaning(root, found)).node).values())
    checks = {
        f"a word, the program's answers and the model's: {wrong}": wrong is None,
        "an error that the compiler calls impossible": codes <= {p.code for p in analysis.possible_errors},
        "another greatest length": model.max_length == found.max_length,
        f"{stages} stages in an MLP": found.mlp_depth is None or stages <= found.mlp_depth,
        f"masks {masks}": found.masks or masks <= allowed,
        f"{model.depth} layers, and not {depth}": nested_best(root) or model.depth <= depth,
    }
    return [what for what, holds in checks.items() if not holds]


def mlps(model: Model) -> list[Any]:
    """The MLPs of a model."""
    return [m for m in (model.input_mlp, *(b.mlp for b in model.blocks)) if m is not None]


def heads(model: Model) -> list[Any]:
    """The heads of a model."""
    return [h for b in model.blocks for h in b.heads]


def nested_best(root: Node) -> bool:
    """Whether a `best` stands inside another selector, which costs a layer."""
    return any(
        isinstance(node, (And, Or, Not, Best, Width)) and any(isinstance(o, Best) for o in node.operands)
        for node in topological(root)
    )


@least_share("compiled", 0.5)
@settings(max_examples=150)
@given(graphs().map(as_sop), domains, st.integers(0, 10**6))
@example(Aggregate(EARLIER, Const(1e308), 0), domain(("a", "b"), 2), 0)
@example(Aggregate(FULL, Aggregate(EARLIER, Aggregate(EARLIER, Indices(), False), False), 0), domain(("a", "b"), 2), 0)
@example(Width(Select(Input("str"), Map("+", (Const(math.inf), Indices())), "<")), domain(("a", "b"), 1), 0)
def test_random_programs(root: SOpNode, found: Domain, seed: int) -> None:
    """The weights give the interpreter's answers, also where types clash and numbers are extreme."""
    assert faults(root, found, seed) == []


@least_share("compiled", 0.5)
@settings(max_examples=150)
@given(typed_programs(), number_domains, st.integers(0, 10**6))
@example(Map("where", (IS_ONE, Input("asis"), Indices())), domain((0, 1, 2, 3), 1), 0)
@example(Aggregate(Select(Indices(), Indices(), "<="), Map("+", (Indices(), Const(1 / 3))), 0), domain((0, 1), 5), 0)
@example(Table("list", ((0, 5), (1, -1), (2, 2)), Aggregate(EARLIER, TWICE, 1)), domain((0, 1, 2, 3), 2), 0)
@example(Table("list", ((0, 1), (1, 0)), Aggregate(EARLIER, Const(1), 0)), domain((0, 1), 3), 0)
@example(Table("list", ((0, 1), (1, 0)), Aggregate(SAME, Input("asis"), 0)), domain((0, 1), 2), 0)
@example(Aggregate(FULL, Aggregate(FULL, Input("asis"), 0), 0), domain((0, 1, 2, 3), 7), 0)
@example(Aggregate(FULL, Map("/", (Input("asis"), Map("+", (Const(1), Width(FULL))))), 0), domain((-2, 1, 5), 7), 0)
@example(Map("*", (Width(FULL), Aggregate(FULL, Width(FULL), 0))), domain((0, 1), 2), 0)
@example(Aggregate(EARLIER, Const(1), 1e16), domain(("a", "b"), 2), 0)
@example(Aggregate(EARLIER, Const(1e308), 0), domain(("a", "b"), 1), 0)
@example(Width(Select(Input("asis"), Aggregate(Not(EARLIER), Input("asis"), 0), "==")), domain((0.1, 2), 3), 0)
@example(Map("*", (Aggregate(EARLIER, Const(1), "x"), Indices())), domain((0, 1), 1), 0)
@example(Map("where", (IS_ONE, Aggregate(FULL, ABOVE_MEAN, 0), ABOVE_MEAN)), domain((0, 1, 2, 3), 6), 0)
def test_random_programs_over_numbers(root: SOpNode, found: Domain, seed: int) -> None:
    """The same for programs that make sense on most words."""
    assert faults(root, found, seed) == []


@pytest.mark.deep
@given(graphs().map(as_sop), domains, st.integers(0, 10**6))
def test_many_random_programs(root: SOpNode, found: Domain, seed: int) -> None:
    """At length, and elsewhere each time."""
    assert faults(root, found, seed) == []


@pytest.mark.deep
@given(typed_programs(), number_domains, st.integers(0, 10**6))
def test_many_random_programs_over_numbers(root: SOpNode, found: Domain, seed: int) -> None:
    """At length, and elsewhere each time."""
    assert faults(root, found, seed) == []


@least_share("answers", 0.5)
@settings(max_examples=60)
@given(graphs().map(as_sop), st.sampled_from(ALPHABETS), st.integers(1, 4))
def test_against_the_definition(root: SOpNode, alphabet: tuple[Any, ...], longest: int) -> None:
    """The fast evaluator is not trusted alone: the reference agrees, word by word, also after a way through a file."""
    made = compiled(root, domain(alphabet, longest))
    assume(made is not None)
    assert made is not None
    model = from_bytes(to_bytes(made.model), "model")
    for word in itertools.islice(itertools.product(alphabet, repeat=longest), 20):
        try:
            expected = reference.evaluate(root, word)
        except CapaxError:
            count_outcome("an error")
            continue
        count_outcome("answers")
        assert all(map(same, expected, model(word))), word


@settings(max_examples=60)
@given(graphs().map(as_sop), st.sampled_from(ALPHABETS), st.integers(2, 5), st.booleans(), st.data())
def test_causal_models_look_back(
    root: SOpNode, alphabet: tuple[Any, ...], longest: int, masks: bool, data: st.DataObject
) -> None:
    """What comes later changes no earlier answer."""
    made = compiled(root, domain(alphabet, longest, causal=True, masks=masks))
    assume(made is not None)
    assert made is not None
    model = made.model
    word = data.draw(st.lists(st.sampled_from(alphabet), min_size=longest, max_size=longest))
    node = meaning(root, domain(alphabet, longest, causal=True))
    outcomes = evaluate_batch(node, [word[:n] for n in range(1, longest + 1)])
    good = [n for n, o in enumerate(outcomes, 1) if not isinstance(o, CapaxError)]
    answers = model.batch([word[:n] for n in good])
    whole = answers[-1] if good else []
    for answer in answers:
        assert all(map(same, answer, whole[: len(answer)]))


@pytest.mark.parametrize("alphabet", ["ba", "§ab", "cab"])
@pytest.mark.parametrize("name", ["sort", "sort_bos", "hist2_nobos", "first_occurrence"])
def test_the_order_of_the_alphabet_is_free(alphabet: str, name: str) -> None:
    """Strings are compared as strings, in whatever order the tokens are named."""
    program = getattr(library, name)
    program = program(tokens, tokens) if name == "sort" else program
    assert capax.compile(program, alphabet=alphabet, max_length=4, certify=False).check.holds


def test_refusals_are_rare() -> None:
    """On a fixed sample of programs: how many are refused, and for what."""
    found: Counter[str] = Counter()

    @settings(max_examples=200, derandomize=True, database=None)
    @given(graphs().map(as_sop), st.sampled_from(ALPHABETS), st.integers(1, 5))
    def sample(root: SOpNode, alphabet: tuple[Any, ...], longest: int) -> None:
        try:
            build(root, domain(alphabet, longest), {})
        except CapaxError as error:
            found[error.code] += 1
        else:
            found["compiled"] += 1

    sample()
    assert set(found) <= {"compiled", *REFUSALS}
    assert found["too-many-values"] <= 12, found
    assert found["compiled"] >= 100, found
