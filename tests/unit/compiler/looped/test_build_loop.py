"""Programs with a loop as models: the compiled model is the interpreted program, in any number of rounds."""

import itertools
from typing import Any

import pytest
from hypothesis import given, settings

import capax
from capax import CapaxError, Program, SOp, aggregate, indices, length, library, repeat, select, selector_width, tokens
from capax.certify.recheck.recheck import recheck
from capax.model.run.reference import define
from capax.model.run.run import decoded
from capax.rasp.rewrite.prepare import looking_back
from tests.support.looped_programs import ALPHABET, looped_programs

WORDS = ["".join(w) for n in range(1, 5) for w in itertools.product(ALPHABET, repeat=n)]


def check_compiled(program: SOp) -> None:
    """Compiles a program, and compares all words up to length 4; what is compiled is certified."""
    compiled = capax.compile(program, alphabet=ALPHABET, max_length=4, words=30)
    for word, value in zip(WORDS, program.batch(WORDS), strict=True):
        assert list(compiled(word)) == list(value), word
    assert compiled.certified_length == 4, compiled.certificate.verdicts


@settings(max_examples=8)
@given(program=looped_programs())
def test_a_compiled_loop_computes_its_program(program: SOp) -> None:
    """Random loops, with counts, pointers and neighbours; on all short words."""
    check_compiled(program)


@pytest.mark.deep
@settings(max_examples=500)
@given(program=looped_programs())
def test_many_compiled_loops_compute_their_programs(program: SOp) -> None:
    """Five hundred of them."""
    check_compiled(program)


@pytest.mark.parametrize("name", ["parity_in_rounds", "rule_110"])
def test_the_blocks_are_the_same_at_every_length(name: str) -> None:
    """The weights of the shared blocks do not grow with the length; the table of positions may."""
    program = getattr(library, name)
    sizes = set()
    for longest in (5, 9):
        compiled = capax.compile(program, alphabet="01", max_length=longest, words=20, certify=False)
        assert compiled.size.loop is not None
        sizes.add(compiled.size.loop.block_parameters)
    assert len(sizes) == 1


def test_the_definition_of_models_runs_loops_too() -> None:
    """One word, plain loops over positions and heads, as many rounds as its length asks."""
    model = capax.compile(library.rule_110, alphabet="01", max_length=6, words=10, certify=False).model
    for word in ("1", "01", "00101"):
        assert decoded(model, define(model, word)) == model(word)  # type: ignore[arg-type]


def test_a_state_that_grows_is_rejected_with_its_name_and_round() -> None:
    """A counter, and a sum; and a count that a remainder bounds is none."""
    for program, name in ((repeat(lambda n: n + 1, [0], length)[0], "n"), (_sum(), "total")):
        with pytest.raises(CapaxError, match=f"`{name}` grows: round") as error:
            capax.compile(program, alphabet="ab", max_length=4)
        assert error.value.code == "state-grows"
        assert error.value.data["round"] >= 1
    (bounded,) = repeat(lambda n: (n + 1) % 7, [0], length)
    assert capax.compile(bounded, alphabet="ab", max_length=9, words=10)("aab") == [3, 3, 3]


def _sum() -> SOp:
    before = select(indices, indices - 1, "==")
    return repeat(lambda total: total * 2 + aggregate(before, total, 1), [indices], length)[0]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (repeat(lambda x: aggregate(select(indices, indices, "<="), x), [indices % 2], length)[0], "state-kind"),
        (repeat(lambda x: x, [repeat(lambda y: -y, [indices % 2], 1)[0]], length)[0], "several-loops"),
    ],
)
def test_other_loops_are_rejected(program: Program, code: str) -> None:
    """A state whose type changes, and two loops."""
    with pytest.raises(CapaxError) as error:
        capax.compile(program, alphabet="ab", max_length=3)
    assert error.value.code == code


@pytest.mark.parametrize("options", [{"causal": True}, {"target": "hf"}])
def test_targets_have_no_loops_and_causal_ones_no_rounds_by_length(options: dict[str, Any]) -> None:
    """The number of rounds is that of the whole word, which a prefix does not have."""
    with pytest.raises(CapaxError) as error:
        capax.compile(library.parity_in_rounds, alphabet="01", max_length=3, **options)
    assert error.value.code == "bad-option"


@settings(max_examples=6)
@given(program=looped_programs(constant=True))
def test_a_causal_loop_gives_a_prefix_the_answers_that_it_has_in_the_word(program: SOp) -> None:
    """The answers are the program's with later positions hidden, in every round; all of it is certified."""
    compiled = capax.compile(program, alphabet=ALPHABET, max_length=4, words=30, causal=True)
    hidden = SOp(looking_back(program.node), program.construction)
    for word, value in zip(WORDS, hidden.batch(WORDS), strict=True):
        assert list(compiled(word)) == list(value), word
        assert len(word) == 1 or list(compiled(word[:-1])) == list(value)[:-1], word
    assert compiled.certified_length == 4, compiled.certificate.verdicts
    assert recheck(compiled.model).holds


def test_a_constant_number_of_rounds_is_written_out_for_a_target() -> None:
    """The file has the program with its loop, and its certificate follows from that."""
    hops = library.k_hop_in_rounds(2)
    compiled = capax.compile(hops, alphabet="ab", max_length=5, words=20, causal=True, target="llama")
    assert compiled.model.loop is None
    assert (compiled.certified_length, recheck(compiled.model).holds) == (5, True)
    assert list(compiled("ababa")) == list(library.hop2("ababa"))


def test_a_causal_loop_generates() -> None:
    """Keys and values are kept of every round: as a run on the whole word, token by token."""
    (at,) = repeat(lambda at: aggregate(select(indices, at - 1, "=="), at, 0), [indices], 3)
    program = aggregate(select(indices, at, "=="), tokens, "a")
    model = capax.compile(program, alphabet="abc", max_length=8, words=20, causal=True).model
    word = list("cab")
    for _ in range(5):
        word.append(model(word)[-1])
    assert model.generate("cab", 5) == word[3:]


def test_what_the_body_needs_of_the_word_is_computed_before_it() -> None:
    """A count is a state that no round changes: one attention layer before the loop."""
    often = selector_width(select(tokens, tokens, "==")) > 1
    (seen,) = repeat(lambda s: s | aggregate(select(indices, indices - 1, "=="), s & often, False), [often], length)
    compiled = capax.compile(seen, alphabet="ab", max_length=4, words=20)
    assert compiled.size.loop is not None
    assert (compiled.size.loop.before, compiled.size.loop.layers) == (1, 1)
    assert compiled.certified_length == 4


def test_a_mean_of_numbers_that_are_off_zero_is_cleared() -> None:
    """1/2 - 1/3 - 1/6 is not quite 0 in floats, and may be below it; so may be a mean of it."""
    twice = selector_width(select(indices % 3, indices % 3, "==")) > 1
    once_before = ~aggregate(select(indices, indices - 1, "=="), twice, False)
    (result,) = repeat(lambda s: s & once_before, [True], length)
    check_compiled(result)
