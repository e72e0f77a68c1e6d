"""Layers and heads are those of the paper's rule."""

import pytest

import capax
from capax import aggregate, indices, select, selector_width, tokens
from capax.rasp.analysis.loops import loops
from capax.rasp.analysis.schedule import schedule
from capax.rasp.analysis.sublayers import needed_order, orders, runs_on
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import Padded
from capax.rasp.python.program import Program

DOUBLE = """
same = select(tokens, tokens, ==);
count = 1;
hist = selector_width(same);
first = not has_focus(select(tokens, tokens, ==) and select(indices, indices, <));
hist2 = selector_width(select(hist, hist, ==) and select(first, True, ==));
"""


@pytest.mark.parametrize(
    ("text", "layers", "heads"),
    [
        ("tokens", 0, []),
        ("indices", 0, []),
        ("max(indices, 2) + 1", 0, []),
        ("length", 1, [1]),
        ("selector_width(select(tokens, tokens, ==))", 1, [2]),
        ('count(tokens, "a")', 1, [1]),
        ('contains(tokens, "a")', 1, [1]),
        ("average(indices)", 1, [1]),
        ('"a" in tokens', 1, [1]),
        ("has_focus(select(tokens, tokens, ==))", 1, [1]),
        ("tokens[0]", 1, [1]),
        ('shift(tokens, 1, "-")', 1, [1]),
        ("load_from_location(tokens, 1)", 1, [1]),
        ('mark_first_instance(tokens, "a")', 1, [1]),
        ('mark_last_instance(tokens, "a")', 1, [1]),
        ("tokens[-1]", 2, [1, 1]),
        ('aggregate(select_from_last(tokens, "a"), tokens)', 2, [1, 1]),
        ("aggregate(select_next_identical(tokens), tokens)", 2, [2, 1]),
        ("sort(tokens, tokens)", 2, [2, 1]),
        ('("a" in tokens) and contains(tokens, "b")', 1, [2]),
        ("s = select(tokens, tokens, ==); selector_width(s) + selector_width(s);", 1, [4]),
        ('aggregate(select(tokens,"a",==),1) + aggregate(select(tokens,"a",==),2);', 1, [2]),
        ('s = select(tokens,"a",==); aggregate(s,1) + aggregate(s,2);', 1, [1]),
        ('load "paper_examples"; hist_bos;', 1, [1]),
        ('load "paper_examples"; hist_nobos;', 1, [2]),
        ('load "paper_examples"; reverse;', 2, [1, 1]),
        ('load "paper_examples"; sort_bos;', 2, [1, 1]),
        ('load "paper_examples"; hist2_bos;', 2, [2, 1]),
        ('load "paper_examples"; hist2_nobos;', 2, [3, 2]),
        ('load "paper_examples"; sort_by_most_freq;', 3, [2, 1, 1]),
        ('load "paper_examples"; dyck1_ptf;', 2, [1, 1]),
        ('load "paper_examples"; dyck2_ptf;', 4, [1, 2, 1, 1]),
        ('load "paper_examples"; dyck3_ptf;', 4, [1, 2, 1, 1]),
        ('load "paper_examples"; dyckk_ptf(["()", "[]", "{}", "<>"]);', 4, [1, 2, 1, 1]),
        ('load "counting"; addition;', 3, [4, 1, 2]),
        ('load "brackets"; shuffle_dyck2;', 2, [5, 2]),
        ('load "brackets"; dyck2_best;', 3, [1, 1, 1]),
    ],
)
def test_counts_as_written(text: str, layers: int, heads: list[int]) -> None:
    """The table of the reference implementation."""
    found = schedule(Program.from_text(text))
    assert list(found.heads_as_written) == heads
    assert found.layers_as_written == layers


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("reverse", [1, 1]),
        ("hist_nobos", [1]),
        ("hist2_nobos", [2, 1]),
        ("dyck2_ptf", [1, 1, 1, 1]),
        ("shuffle_dyck2", [2, 1]),
    ],
)
def test_counts_merged(name: str, heads: list[int]) -> None:
    """Equal selectors share a head, and a width is one."""
    assert list(schedule(getattr(capax.library, name)).heads_merged) == heads


def test_written_twice_in_python() -> None:
    """Python programs are counted as the text is."""
    twice = aggregate(select(tokens, "a", "=="), 1) + aggregate(select(tokens, "a", "=="), 2)
    found = schedule(twice)
    assert (list(found.heads_as_written), list(found.heads_merged)) == ([2], [1])
    assert list(schedule(selector_width(select(tokens, tokens, "=="))).heads_as_written) == [2]


def test_a_count_and_a_mean_are_two_heads() -> None:
    """The same selector for a width and an average needs two sinks, so two heads."""
    same = select(tokens, tokens, "==")
    assert list(schedule(selector_width(same) + aggregate(same, indices)).heads_merged) == [2]


def test_critical_path_of_reverse() -> None:
    """The path names what each layer waited for."""
    (text,) = [reason.text for reason in schedule(capax.library.reverse).path]
    assert text.startswith("_flip is in layer 2: it needs ")
    assert text.endswith(" from layer 1")


@pytest.mark.parametrize(
    ("text", "needed", "others"),
    [
        ("tokens", "", []),
        ("indices + 1", "", []),
        ("tokens[0]", "s", []),
        ("length", "sf", []),
        ('load "paper_examples"; reverse;', "sfs", []),
        ("sort(tokens, tokens)", "sfs", []),
        ('load "paper_examples"; dyck1_ptf;', "sfsf", []),
        # the element-wise work of both layers can wait for the end
        ("s = shift(indices, 1, 0); t = shift(s, 1, 0); s * t;", "ssf", []),
        ("average(indices) * average(indices * 2);", "sf", []),
        # the middle layer needs nothing from the feed-forward part before it
        ('a = length; b = shift(tokens, 1, ""); c = shift(b, 1, ""); load_from_location(c, a - 1);', "ssfs", ["sfss"]),
    ],
)
def test_orders(text: str, needed: str, others: list[str]) -> None:
    """The sublayers that programs need, and the other orders of them that they run on."""
    root = schedule(Program.from_text(text)).root
    assert needed_order(root) == needed
    assert runs_on(root, needed)
    found = orders(root)
    assert found == ([] if not needed else sorted([*others, needed], key=(found or []).index))


SOPS = {name: p for name in dir(capax.library) if isinstance(p := getattr(capax.library, name), capax.SOp)}
PLAIN = [name for name, program in SOPS.items() if not has_loop(program.node) and not isinstance(program.node, Padded)]
"""The programs of the library that have no loop and no pads."""


@pytest.mark.parametrize("name", PLAIN)
def test_no_sublayer_can_be_left_out(name: str) -> None:
    """The needed order runs the program, and stops running it when any sublayer is taken away."""
    root = schedule(getattr(capax.library, name)).root
    needed = needed_order(root)
    assert runs_on(root, needed)
    assert not any(runs_on(root, needed[:i] + needed[i + 1 :]) for i in range(len(needed)))


PREVIOUS = 's = select(indices, indices - 1, ==); x = indicator(tokens == "a");'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('load "paper_examples"; reverse;', []),
        ('load "lookup"; k_hop(5);', [(3, 1, 4)]),
        ('load "lookup"; k_hop(3);', [(3, 1, 2)]),
        (PREVIOUS + "for i in [1, 2, 3, 4] { x = aggregate(s, x); } x;", [(1, 1, 4)]),
        (PREVIOUS + "for i in [1, 2, 3] { x = aggregate(s, x) + 1; } x;", [(1, 1, 3)]),
        # what an iteration leaves is used after the loop, so one layer would not do
        (PREVIOUS + "a = aggregate(s, x); b = aggregate(s, a); c = aggregate(s, b); a + 2 * b + 5 * c;", []),
        # a block of two layers
        (
            PREVIOUS + "for i in [1, 2, 3] { y = aggregate(s, x); x = aggregate(select(indices, y, <=), indices); } x;",
            [(1, 2, 3)],
        ),
    ],
)
def test_loops(text: str, found: list[tuple[int, int, int]]) -> None:
    """Iterations of the same shape are one block, run several times: first layer, period, times."""
    made = loops(schedule(Program.from_text(text)))
    assert [(loop.first, loop.period, loop.times) for loop in made] == found


def test_names_survive_rewriting() -> None:
    """Heads are titled by the names of the program."""
    found = schedule(capax.library.dyck2_ptf)
    titles = [found.title(head.selector) for layer in found.layers for head in layer.heads]
    assert "_up_to_here" in titles
    assert "partner" in titles
    assert found.layer_of(found.root) == 4
    assert indices.node not in found.names


def test_printed() -> None:
    """A schedule prints its counts, not its nodes."""
    expected = "<schedule: 4 layers; heads as written 1, 2, 1, 1; merged 1, 1, 1, 1>"
    assert repr(schedule(capax.library.dyck2_ptf)) == expected


def test_layers_with_different_tables_are_no_long_loop() -> None:
    """The first of two iterations may take any values, so two of them may differ in what they look up."""
    step = "x = aggregate(select(indices, {table}[x], ==), indices);\n"
    same = "x = indices;\n" + step.format(table="[0, 0, 1]") * 4
    other = "x = indices;\n" + "".join(step.format(table=f"[0, {k % 2}, {k}]") for k in (0, 1, 2, 0))
    assert [(loop.first, loop.last) for loop in loops(schedule(Program.from_text(same)))] == [(1, 4)]
    assert [loop.times for loop in loops(schedule(Program.from_text(other)))] == [2, 2]


def test_shared_steps_of_layers_are_compared_once() -> None:
    """Written out, what a layer reads has 2 to the power of 40 parts."""
    doubled = "for i in range(40) { x = x + x; }"
    text = f"x = tokens_int; for j in range(4) {{ x = aggregate(select(indices, x, ==), x); {doubled} }} y = x;"
    (loop,) = loops(schedule(Program.from_text(text)))
    assert (loop.first, loop.last, loop.period) == (1, 4, 1)
