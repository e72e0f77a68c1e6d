"""Runs the benchmarks and writes docs/reference/benchmarks.md.

    python benchmarks [--full] [NAME ...]

Without names all are run; with names the sections of the others stay as they are. Each runs in a process of its own
with one thread. One that fails, or takes longer than ten minutes at small sizes, keeps its earlier figures, and the
exit code is 1.
"""

import argparse
import os
import platform
import resource
import subprocess
import sys
from importlib.metadata import version

from page import HERE, NOT_RUN, figures_of, page, questions

PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"
PATIENCE = 600.0
"""Seconds after which a benchmark at small sizes is given up."""


def machine() -> str:
    """What the figures were measured on: no names, no date."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    python, numpy = platform.python_version(), version("numpy")
    return f"{os.cpu_count()} cores ({platform.machine()}) with a load of {load} before; Python {python}, numpy {numpy}"


def measured(name: str, full: bool) -> str | None:
    """What a benchmark printed, with the machine and its CPU time; nothing if it failed, and why on standard error."""
    command = [sys.executable, str(HERE / f"{name}.py"), *([] if full else ["--quick"])]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    on, before = machine(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, env=alone, text=True, capture_output=True, timeout=None if full else PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: not done after {PATIENCE:g} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{name}: exit code {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sizes = "full" if full else "small"
    return f"{done.stdout.strip()}\n\nAt {sizes} sizes, {spent:.0f} CPU seconds in all, on {on}."


def main() -> int:
    """Runs what was asked for; 1 if something failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help=", ".join(questions()))
    parser.add_argument("--full", action="store_true", help="the large sizes; this takes far longer")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(questions()):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(questions())}")
    figures = figures_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    failed = False
    for name in asked.names or questions():
        print(f"{name} ...", file=sys.stderr, flush=True)
        found = measured(name, asked.full)
        failed |= found is None
        figures[name] = found or figures.get(name, NOT_RUN)
        PAGE.write_text(page(figures), encoding="utf-8")
    print(PAGE.relative_to(HERE.parent))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
