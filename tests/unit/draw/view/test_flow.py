"""What a flow says is what the program computes."""

from collections.abc import Iterator

import pytest

from capax import aggregate, indices, length, select, selector_width, tokens
from capax.app.resolve import resolve
from capax.draw.view import node_values as values
from capax.draw.view.flow import flow, picture_of
from capax.draw.view.rows import show
from capax.draw.view.view import Flow, HeadGrid, Row, RowTable, grids, pick, to_json
from capax.errors import CapaxError
from capax.rasp.analysis.schedule import schedule
from capax.rasp.python.program import SOp
from tests.support.pictures import CASES, drawn, letters
from tests.support.views import long_selector


def rows_of(view: Flow) -> Iterator[Row]:
    """Every row of a flow in which something is computed."""
    for layer in view.layers:
        yield from (output for head in layer.heads for output in head.outputs)
        yield from layer.feed_forward


@pytest.mark.parametrize("name", [n for n in CASES if not n.startswith("select")])
def test_the_result_is_the_program_s_value(name: str) -> None:
    """Exactly one row is the result, and holds what the program gives."""
    program = resolve(name).program
    (result,) = [row for row in rows_of(flow(program, CASES[name])) if row.is_result]
    assert list(result.values) == [show(value) for value in program(CASES[name])]


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("text", ["selector_width(select(1, 2, ==))", 'aggregate(select(1, 2, ==), tokens, "x")'])
def test_an_answer_that_is_always_the_same_is_shown(text: str, everything: bool) -> None:
    """Nothing computes it, once the program is rewritten."""
    program = resolve(text).program
    (result,) = [row for row in rows_of(flow(program, "abc", everything=everything)) if row.is_result]
    assert list(result.values) == [show(value) for value in program("abc")]


@pytest.mark.parametrize("name", CASES)
def test_layers_and_heads_are_those_of_the_schedule(name: str) -> None:
    """A picture shows as many layers and heads as the analysis counts."""
    program = resolve(name).program
    view, plan = flow(program, CASES[name]), schedule(program)
    assert len(view.layers) == plan.depth + 1
    if isinstance(program, SOp):
        assert tuple(len(layer.heads) for layer in view.layers[1:]) == plan.heads_merged


@pytest.mark.parametrize("n", [7, 60, 81, 200])
def test_cells_are_the_selector_s_pairs(n: int) -> None:
    """The grid has a cell for each selected pair, by either evaluator."""
    selector = select(tokens, tokens, "==") & select(indices, indices, "<=")
    view = picture_of(selector, letters(n))
    assert isinstance(view, HeadGrid)
    assert [[bool(c) for c in row] for row in view.cells.rows] == list(map(list, selector(letters(n))))


def test_an_average_has_weights() -> None:
    """A query that selects m keys gives each 1/m; its share says so."""
    view = picture_of(aggregate(select(indices, indices, "<="), indices), "abcd")
    assert isinstance(view, HeadGrid)
    assert view.cells.kind == "average"
    assert view.cells.rows[2] == (1 / 3, 1 / 3, 1 / 3, 0.0)
    assert view.shares == ("1", "1/2", "1/3", "1/4")


def test_densities_count_pairs() -> None:
    """Long inputs are counted in blocks: the density times the area is the number of pairs."""
    n = 1000
    view = picture_of(select(indices, length - 1 - indices, "=="), letters(n))
    assert isinstance(view, HeadGrid)
    assert view.cells.kind == "density"
    assert len(view.cells.rows) <= 150
    edges = [min(view.cells.step, n - k * view.cells.step) for k in range(len(view.cells.rows))]
    total = sum(w * a * b for row, a in zip(view.cells.rows, edges) for w, b in zip(row, edges))  # noqa: B905
    assert total == pytest.approx(n)


def test_steps_without_a_name_are_hidden_unless_asked_for() -> None:
    """Constants and nameless parts of one other step are left out; `everything` shows the parts."""
    program = resolve("hist_bos").program
    short = [row.name for row in rows_of(flow(program, "§ab"))]
    long = [row.name for row in rows_of(flow(program, "§ab", everything=True))]
    assert short == ["tokens", "indices", "_is_start", "head1.1", "hist_bos"]
    assert set(short) < set(long)


def test_where_rows_come_from() -> None:
    """A row knows its layer, and a result what it is made from."""
    view = drawn("hist2_bos", "§aab")
    (head,) = view.layers[2].heads
    assert {(row.name, row.layer) for row in head.keys} == {("indices", 0), ("_is_first", 1), ("hist_bos", 1)}
    assert view.layers[2].feed_forward[-1].uses == (("head2.1", 2),)


def test_titles_of_programs() -> None:
    """A program without a name is `program`; characters make a string, other tokens a list; long words are cut."""
    mirror = aggregate(select(indices, length - 1 - indices, "=="), tokens)
    titles = {
        "abc": '"abc"',
        (3, 1, 2): "[3, 1, 2]",
        ("two", "words", ""): '["two", "words", ""]',
        ("3", "1"): '"31"',
        "a" * 70: f'"{"a" * 60}…"',
        tuple(range(100, 200)): f"[{', '.join(map(str, range(100, 112)))}, …]",
    }
    for word, shown in titles.items():
        assert (flow(mirror, word).title, flow(mirror, word).word) == ("program", shown)
    assert flow(mirror.named("mirror"), "abc").title == "mirror"
    assert flow(tokens, "abc").title == "tokens"


def test_names_in_a_selector_are_defined() -> None:
    """Also below a selector that has a name itself, and through several levels."""
    (head,) = drawn("hist_bos", "§ab").layers[1].heads
    assert head.where == "_same = select(tokens, tokens, ==), _at_start = select(indices, 0, ==)"
    same, first = select(tokens, tokens, "==").named("same"), select(indices, 0, "==").named("first")
    view = picture_of(((same | first).named("either") & ~same).named("strange"), "abc")
    assert isinstance(view, HeadGrid)
    assert view.where.count("same = ") == view.where.count("first = ") == view.where.count("either = ") == 1
    plain = picture_of(same, "abc")
    assert isinstance(plain, HeadGrid)
    assert plain.where == ""


def test_tokens_are_shown_where_they_are_not_used() -> None:
    """As what they are, under their plain name."""
    for word in ("abc", [3, 1, 2]):
        rows = flow(indices * 2, word).layers[0].feed_forward
        assert [row.name for row in rows] == ["tokens", "indices", "indices * 2"]
        assert list(rows[0].values) == [str(token) for token in word]


def test_heads_that_count_are_marked() -> None:
    """A count has no values; an average has."""
    same = select(tokens, tokens, "==")
    heads = grids(flow(selector_width(same) + aggregate(same, indices), "aab"))
    assert sorted((head.counts, bool(head.values)) for head in heads) == [(False, True), (True, False)]


def test_the_last_step_is_one_picture() -> None:
    """The last step of an s-op: a grid where it looks, else rows."""
    assert isinstance(picture_of(selector_width(select(tokens, tokens, "==")), "aab"), HeadGrid)
    assert isinstance(picture_of(indices * 2, "aab"), RowTable)


def test_a_part_can_be_picked() -> None:
    """A layer, or a head of it; what is not there is refused with what is."""
    view = drawn("hist2_bos", "§aab")
    layer = pick(view, 1, None)
    assert isinstance(layer, Flow)
    assert [box.number for box in layer.layers] == [1]
    assert pick(view, 1, 2) is view.layers[1].heads[1]
    assert pick(drawn("hist_bos", "§a"), None, 1) in grids(drawn("hist_bos", "§a"))
    for wrong in ((7, None), (1, 3), (None, 1)):
        with pytest.raises(CapaxError) as caught:
            pick(view, *wrong)
        assert caught.value.code == "bad-option"


def test_an_error_has_its_place() -> None:
    """A program that fails on the word fails here as well, with the place in its text."""
    with pytest.raises(CapaxError) as caught:
        drawn("1 / indices", "abc")
    assert caught.value.code == "division-by-zero"
    assert caught.value.where is not None


def test_views_are_plain_data() -> None:
    """A view becomes JSON of strings, numbers, lists and dictionaries."""
    import json

    for name, word in CASES.items():
        assert json.loads(json.dumps(to_json(drawn(name, word))))["view"] == "Flow"


def test_texts_of_selectors_are_whole() -> None:
    """However long, unless parts that occur again and again would make them huge."""
    view = flow(long_selector(12), "ab")
    (head,) = view.layers[1].heads
    assert len(head.name) > 700
    assert "..." not in head.name
    doubled = indices
    for _ in range(60):
        doubled = doubled + doubled
    assert len(flow(select(doubled, indices, "=="), "ab").layers[1].heads[0].name) <= 90


@pytest.mark.parametrize("name", CASES)
def test_both_evaluators_give_the_same_view(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the definition and by arrays."""
    slow = drawn(name, CASES[name])
    monkeypatch.setattr(values, "FEW", 0)
    assert drawn(name, CASES[name]) == slow
