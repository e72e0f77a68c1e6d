"""Runs Coq over the proofs and over the certificates of a few compiled models: `python proofs`, or `make proofs`.

With `--install` it only makes sure that Coq is there. Exit code 1 if a proof fails, leans on an axiom that is not
listed below, or if Coq is missing and cannot be installed.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER / "build"
FILES = (
    "Binary32",
    "Sums",
    "Softmax",
    "Network",
    "Program",
    "Intervals",
    "Words",
    "States",
    "Facts",
    "Unique",
    "Layers",
    "Heads",
    "Models",
    "Runs",
    "Readings",
    "Nearest",
)
"""The theorems, each after those that it needs."""
PROGRAMS = {
    "reverse": "aggregate(select(indices, length - indices - 1, ==), tokens)",
    "histogram": "selector_width(select(tokens, tokens, ==))",
    "sort": "sort(tokens, tokens)",
    "majority": 'aggregate(full_s, indicator(tokens == "1")) > 0.5',
}
INSTANCES = (
    ("reverse", "abc", 4, "words"),
    ("histogram", "abc", 4, "words"),
    ("sort", "abc", 4, "words"),
    ("reverse", "abc", 16, "states"),
    ("histogram", "abc", 16, "states"),
    ("sort", "abc", 16, "states"),
    ("majority", "01", 16, "states"),
    ("reverse", "abc", 64, "states"),
    ("histogram", "abc", 64, "states"),
    ("sort", "abc", 32, "states"),
    ("majority", "01", 64, "states"),
)
"""The models whose certificates are checked: program, alphabet, greatest length, method."""
AXIOMS = frozenset(
    (
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    )
)
"""What Coq's real numbers rest on; nothing else may be assumed."""
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|Unset\s+Guard|bypass_check|give_up|Declare\s+ML)\b"
)
HOW_TO = "Coq 8.16 or later with Flocq 4 is needed: on Debian or Ubuntu, apt-get install coq libcoq-flocq"


def main(arguments: list[str]) -> int:
    """Checks everything and prints a line for each file; the exit code."""
    if not installed():
        print(HOW_TO, file=sys.stderr)
        return 1
    if "--install" in arguments:
        return 0
    complaints = [f"{path.name}: {word}" for path in sorted(FOLDER.glob("*.v")) for word in assumed(path.read_text())]
    if complaints:
        print("a proof is missing: " + "; ".join(complaints), file=sys.stderr)
        return 1
    return 0 if all(theorem(name) for name in FILES) and all(instance(*line) for line in INSTANCES) else 1


def installed() -> bool:
    """Whether Coq and Flocq are there; they are installed where that needs no question."""
    if not _works() and os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing coq and libcoq-flocq (about 600 MB, once)", file=sys.stderr)
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "coq", "libcoq-flocq"]):
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return _works()


def _works() -> bool:
    if shutil.which("coqc") is None:
        return False
    line = "From Flocq Require Import Core BinarySingleNaN.\n"
    BUILD.mkdir(exist_ok=True)
    (BUILD / "flocq.v").write_text(line)
    return subprocess.run(["coqc", "-q", "flocq.v"], cwd=BUILD, capture_output=True, check=False).returncode == 0


def assumed(text: str) -> list[str]:
    """The words in a Coq text, comments left out, by which something would be assumed and not proved."""
    return sorted(set(FORBIDDEN.findall(re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S))))


def theorem(name: str) -> bool:
    """Whether a file of the theorems is accepted."""
    done, seconds = coqc(FOLDER / f"{name}.v")
    print(f"{'proved' if done.returncode == 0 else 'FAILED'}  {name + '.v':24} {seconds:7.1f} s", flush=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return done.returncode == 0


def instance(program: str, alphabet: str, length: int, method: str) -> bool:
    """Whether the certificate of a compiled model is accepted, on the listed axioms alone."""
    import capax
    from capax.certify.coq import coq_certificate
    from capax.rasp.text.module import stored_program

    source = stored_program(f"{program}_tokens = {PROGRAMS[program]};\n")
    compiled = capax.compile(source, alphabet=alphabet, max_length=length, words=20)
    path = BUILD / f"{program}_{length}_{method}.v"
    path.write_text(coq_certificate(compiled.model, by=method).text)
    done, seconds = coqc(path)
    other = axioms(done.stdout) - AXIOMS
    good = done.returncode == 0 and not other and not assumed(path.read_text())
    what = f"{program}, {len(alphabet)} tokens, length {length}, by {method}"
    print(f"{'proved' if good else 'FAILED'}  {what:56} {seconds:7.1f} s", flush=True)
    if not good:
        print(done.stderr or f"it assumes {', '.join(sorted(other))}", file=sys.stderr)
    return good


def coqc(path: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """Runs Coq on a file; what it printed, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["coqc", "-q", "-Q", str(FOLDER), "Capax", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def axioms(output: str) -> set[str]:
    """The axioms that `Print Assumptions` lists; that it printed nothing counts as one."""
    if "Closed under the global context" in output:
        return set()
    if "Axioms:" not in output:
        return {"(no list of assumptions)"}
    return set(re.findall(r"^([\w.]+)\s*:", output.split("Axioms:", 1)[1], re.M)) | set(
        re.findall(r"^([\w.]+)$", output.split("Axioms:", 1)[1], re.M)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
