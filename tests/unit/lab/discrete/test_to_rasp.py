"""A discrete network as RASP text: the same answers on every word."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from capax.lab.discrete.agreement import compare, network_answers, program_answers
from capax.lab.discrete.changes import arithmetic
from capax.lab.discrete.examples import DiscreteExamples, Lexicon
from capax.lab.discrete.network import CountHead, DiscreteNetwork, PairTable, PickHead, Selection
from capax.lab.discrete.to_rasp import to_rasp, with_plain_readout
from capax.rasp.python.program import SOp
from capax.rasp.text.module import program_from_text
from tests.support.discrete_networks import networks


def program_of(network: DiscreteNetwork, lexicon: Lexicon) -> SOp:
    """The program that the text of a network makes."""
    program = program_from_text(to_rasp(network, lexicon), "answer")
    assert isinstance(program, SOp)
    return program


@settings(max_examples=80)
@given(networks())
def test_text_is_the_same_function_as_the_network(pair: tuple[DiscreteNetwork, Lexicon]) -> None:
    """On all short words, and on some of the greatest length."""
    network, lexicon = pair
    rows = [*np.ndindex(*(len(lexicon.tokens),) * min(lexicon.max_length, 2))]
    rows += np.random.default_rng(0).integers(0, len(lexicon.tokens), (20, lexicon.max_length)).tolist()
    tokens = np.array([[*row, *[-1] * (lexicon.max_length - len(row))] for row in rows])
    tokens = np.concatenate([tokens, np.where(np.arange(lexicon.max_length) == 0, tokens, -1)])
    assert program_answers(program_of(network, lexicon), lexicon, tokens) == network_answers(network, lexicon, tokens)


def letters(count: int, longest: int, outputs: tuple[str | int, ...]) -> Lexicon:
    """A lexicon of the first letters."""
    return Lexicon(tuple("abcdefgh"[:count]), outputs, longest)


def reverse(longest: int) -> tuple[DiscreteNetwork, Lexicon]:
    """Reverse over three letters: count the positions after this one, and read there."""
    lexicon = letters(3, longest, ("a", "b", "c"))
    codes = lexicon.codes
    after = CountHead(Selection(0, 0, "any", "after"))
    read = PickHead(Selection(1, 2, "==", "all"), 0, "last")
    entries = tuple(max(0, first - 1) % 3 for first in range(codes) for _ in range(codes))
    return DiscreteNetwork(codes, ((after,), (read,)), PairTable(3, 3, entries)), lexicon


def test_a_network_reads_as_a_person_would_write_it() -> None:
    """A head that reads one position needs no `best`; a readout that gives the variable itself is left out."""
    assert to_rasp(*reverse(5)).splitlines() == [
        "count_1 = selector_width(select(indices, indices, >));",
        'head_1 = aggregate(select(indices, count_1, ==), tokens, "");',
        'answer = {"": "a", "a": "a", "b": "b", "c": "c"}[head_1];',
    ]


def test_arithmetic_is_written_as_such() -> None:
    """A table of signs is one, and a sum that could leave the codes is a table."""
    lexicon = letters(2, 3, (0, 1, 2))
    count = [CountHead(Selection(0, 0, "value", "up to", (code,) * lexicon.codes)) for code in (1, 2)]
    readout = PairTable(4, 4, tuple(max(0, first - 1) % 3 for first in range(5) for _ in range(5)))
    for name, text in (("sign", "sign(count_1 - count_2) + 1"), ("sum", "[0, 1, 2, 3")):
        table = PairTable(2, 3, arithmetic(name, lexicon.codes))
        lines = to_rasp(DiscreteNetwork(lexicon.codes, ((*count, table),), readout), lexicon).splitlines()
        assert lines[0] == 'count_1 = selector_width(select(tokens, "a", ==) and select(indices, indices, <=));'
        assert lines[2].startswith(f"table_1 = {text}")


@pytest.mark.parametrize("right", [True, False])
def test_a_comparison_finds_a_difference(right: bool) -> None:
    """The network beside its own program, and beside another."""
    network, lexicon = reverse(4)
    words = np.array(list(product(range(3), repeat=4)))
    held_out = DiscreteExamples(words, words[:, ::-1].copy(), 3)
    program = program_of(network, lexicon) if right else program_from_text("answer = tokens;", "answer")
    assert isinstance(program, SOp)
    agreement = compare(network, program, lexicon, held_out, others=10, seed=0)
    assert (agreement.equal, agreement.short_length) == (right, 4)
    assert (agreement.program_accuracy == 1.0) == right
    assert agreement.first_difference == (None if right else ("a", "b"))


def test_a_plain_readout_covers_codes_that_do_not_occur() -> None:
    """Reverse answers with the head itself; a readout that is something else stays."""
    network, lexicon = reverse(4)
    words = np.array(list(product(range(3), repeat=4)))
    examples = DiscreteExamples(words, words[:, ::-1].copy(), 3)
    plain, known = with_plain_readout(network, lexicon, examples)
    assert to_rasp(plain, known).splitlines()[-1] == "answer = head_1;"
    assert known.outputs == ("a", "b", "c", "")
    assert examples.accuracy(plain) == 1.0
    other = replace(network, readout=PairTable(3, 3, tuple((k + 1) % 3 for k in network.readout.entries)))
    assert with_plain_readout(other, lexicon, examples) == (other, lexicon)
