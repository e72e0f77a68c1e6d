"""What a command costs from its start to its end, in a process of its own.

Run: python benchmarks/start_up.py [--quick]
Processor time of the whole process, user and system, the best of several runs, and the peak of its memory. Modules have
been compiled to bytecode before, as they are after the first use of a command.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from table import Table

COMPILE = "compile reverse --alphabet abcd --max-length 50"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import capax": ["-c", "import capax"],
    "capax --version": ["--version"],
    "capax run reverse hello": ["run", "reverse", "hello"],
    "capax layers dyck2_ptf": ["layers", "dyck2_ptf"],
    "capax compile reverse, 4 tokens, length 50": [*COMPILE.split(), "-o", "model.safetensors"],
    "capax limit composition": ["limit", "composition"],
    "capax recognise '(ab)*'": ["recognise", "(ab)*"],
}


def cost(words: list[str], folder: Path) -> tuple[float, float]:
    """Processor seconds and peak MiB of a command that is run in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    line = [sys.executable, *(words if words[0] == "-c" else ["-m", "capax", *words])]
    with subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, env=environment
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{' '.join(words)} failed"
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Prints the table."""
    runs = 3 if "--quick" in sys.argv else 9
    table = Table("command", "CPU seconds", "peak MiB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, words in COMMANDS.items():
            cost(words, folder)
            found = [cost(words, folder) for _ in range(runs)]
            table.add_row(title, f"{min(s for s, _ in found):.3f}", f"{max(m for _, m in found):.0f}")
    print(table)


if __name__ == "__main__":
    main()
