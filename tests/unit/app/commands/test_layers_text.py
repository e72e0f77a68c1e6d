"""The printed form of `capax layers`: whole texts over several lines, and places with their files."""

from pathlib import Path

from capax import aggregate, indices, select
from capax.app.commands.layers import layers, whole_text
from capax.rasp.analysis.schedule import schedule


def test_long_selectors_are_wrapped() -> None:
    """Nothing is cut, and no line below the program itself is wider than 120 columns."""
    parts = [f'(select(tokens, "{k}", ==) and select(indices, indices + {k}, ==))' for k in range(1, 9)]
    result = layers(f"aggregate({' or '.join(parts)}, indices)")
    lines = result.render().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("  head 1.1"))
    stop = next(k for k, line in enumerate(lines[start:], start) if not line.startswith(("  head", "    ")))
    assert stop - start > 2
    assert all(len(line) <= 120 for line in lines[1:])
    assert result.heads[0].selector in " ".join(line.strip() for line in lines[start:stop])


def test_parts_that_are_shared_many_times_over() -> None:
    """Take no time, and are cut."""
    doubled = indices
    for _ in range(60):
        doubled = doubled + doubled
    found = schedule(aggregate(select(doubled, indices, "=="), indices))
    assert len(whole_text(found)(found.layers[1].heads[0].selector)) <= 90


def test_places_name_their_file(tmp_path: Path) -> None:
    """A file or a library file; an expression has a line only."""
    path = tmp_path / "mine.rasp"
    path.write_text("\nmean = aggregate(select(tokens, tokens, ==), indices);\n")
    assert f"(line 2 of {path})" in " ".join(layers(str(path)).render().split())
    assert "of paper_examples)" in layers("hist_bos").render()
    assert "(line 1)" in layers("sort").render()
    assert "(line 1)" in layers("aggregate(select(tokens, tokens, ==), indices)").render()


def test_a_selector_alone_is_no_head_yet() -> None:
    """Its layer says so, instead of standing there empty."""
    lines = layers("select(indices, length, ==)").render().splitlines()
    assert lines[lines.index("layer 2") + 1].startswith("  the selector itself")


def test_one_step_more_is_named() -> None:
    """A line that counts would take the same room."""
    assert "more element-wise" not in layers("dyck2_ptf").render()
    steps = " + ".join(f"length * {k}" for k in range(2, 9))
    assert "more element-wise steps" in layers(steps).render()


def test_for_loops_of_one_shape_are_offered_as_repeat(tmp_path: Path) -> None:
    """By file and line, also where a state is carried element-wise; not for loops that use what they go over."""
    file = tmp_path / "one.rasp"
    file.write_text(
        'x = indices;\nfor i in range(3) {\n    x = x + i;\n}\nm = tokens == "1";\nfor i in range(3) {\n'
        "    m = m != aggregate(select(indices, indices - 1, ==), m, False);\n}\ny = m and x > 1;\n"
    )
    cost = layers(str(file))
    assert (cost.loops, cost.repeats, cost.to_json()["repeats"]) == ((), (f"{file}:6",), [f"{file}:6"])
    assert f"`capax fmt {file} --repeat`" in cost.render().replace("\n    ", " ")
    assert layers("reverse").repeats == ()


def test_a_for_loop_whose_state_grows_is_not_offered_as_repeat(tmp_path: Path) -> None:
    """`capax compile` would refuse the `repeat` loop; bounded by `%` it compiles, and is offered."""
    file = tmp_path / "sums.rasp"
    body = "x + aggregate(select(indices, indices - 1, ==), x)"
    file.write_text(f"x = tokens_int;\nfor i in range(4) {{ x = {body}; }}\n")
    assert layers(str(file)).repeats == ()
    file.write_text(f"x = tokens_int;\nfor i in range(4) {{ x = ({body}) % 2; }}\n")
    assert layers(str(file)).repeats == (f"{file}:2",)
