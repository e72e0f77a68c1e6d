"""What does a suite of ground truth cost? Time and size by level, and how they grow with the number of programs.

    python benchmarks/suite.py [--quick] [--programs N] [--score]

Each row is a suite of so many programs on all levels but `imitated`, made in a folder of its own; times are processor
seconds of one process with one thread. `--score` scores the largest with EAP, EAP-IG and exact patching, too.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import tempfile
import time
from pathlib import Path

from table import Table

from capax import suite
from capax.suite.levels.level_model import LEVELS

MADE = [level for level in LEVELS if level != "imitated"]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="5 and 10 programs")
    parser.add_argument("--programs", type=int, default=120)
    parser.add_argument("--score", action="store_true")
    given = parser.parse_args()
    counts = [5, 10] if given.quick else [given.programs // 4, given.programs]
    table = Table("programs", "models", "refused", "MB", "CPU s", *MADE, title="Suites: CPU seconds by level")
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            made = suite.make(Path(folder) / str(count), programs=count, levels=MADE, clock=time.process_time)
            seconds = [f"{made.seconds.get(level, 0.0):.1f}" for level in MADE]
            total = f"{sum(made.seconds.values()):.0f}"
            table.add_row(count, made.models, len(made.refused), f"{made.size / 1e6:.1f}", total, *seconds)
        print(table)
        if given.score:
            started = time.process_time()
            print(suite.score(Path(folder) / str(counts[-1])).render())
            print(f"scored in {time.process_time() - started:.0f} CPU s")


if __name__ == "__main__":
    main()
