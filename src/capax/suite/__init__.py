"""Ground truth for interpretability: programs as models of many levels, with circuits, variables and features.

`make` writes a suite, `load` reads one, `check` computes everything in it anew, and `score` runs discovery methods,
autoencoders and probes against the truth.
"""

from capax.suite.checks.check import SuiteCheck, check
from capax.suite.files import Suite, SuiteCase, SuiteLevel
from capax.suite.files import load_suite as load
from capax.suite.levels.level_model import LEVELS
from capax.suite.make import Made, make
from capax.suite.programs.suite_program import SuiteProgram, written_programs
from capax.suite.score.score import SuiteScores, score

__all__ = [
    "LEVELS",
    "Made",
    "Suite",
    "SuiteCase",
    "SuiteCheck",
    "SuiteLevel",
    "SuiteProgram",
    "SuiteScores",
    "check",
    "load",
    "make",
    "score",
    "written_programs",
]
