"""Random programs: the same seed draws the same ones, each with every edge shown."""

from capax.suite.programs.random_programs import RandomDraw, random_programs
from capax.suite.programs.suite_program import SuiteProgram, compiled_case


def test_random_programs_are_sound() -> None:
    """Two of them, and the first again; every part of it matters."""
    draw = RandomDraw()
    programs = list(random_programs(2, 0, draw))
    assert programs[:1] == list(random_programs(1, 0))
    assert sum(draw.kept) == 2 <= draw.tried
    assert compiled_case(programs[0]).confirmed
    assert SuiteProgram.from_json(programs[0].to_json()) == programs[0]
