"""The lab's results as text."""

from typing import Any


def show_sweep(found: dict[str, Any]) -> str:
    """What a sweep has done, and its verdict."""
    verdict = found["verdict"]
    minutes = f"{found['cpu_seconds'] / 60:.1f} CPU minutes"
    head = f"{found['name']}, preset {found['preset']}: {_runs(found['runs'])}, {minutes}"
    lines = [head, *(f"  {finding['line']}" for finding in verdict["findings"])]
    lines += [f"  failed: {item['key']}: {item['error']}" for item in found["failed"]]
    return "\n".join([*lines, f"{verdict['standing']}: {verdict['text']}"])


def show_results(found: dict[str, Any]) -> str:
    """Each sweep of a file, and how many runs it has beside."""
    lines = []
    for item in found["experiments"]:
        verdict = item["verdict"]
        lines.append(
            f"{item['name']} ({item['preset']}): {item['finished']} of {item['runs']} runs, "
            f"{item['cpu_seconds'] / 60:.1f} CPU minutes"
        )
        lines += [f"    {arm['arm'] or 'all runs'}: {arm['line']}" for arm in item["arms"]]
        lines.append(f"    {verdict['standing']}: {verdict['text']}")
    return "\n".join([*lines, f"{_runs(len(found['runs']))} in {found['file']}"])


def _runs(number: int) -> str:
    return f"{number:,} {'run' if number == 1 else 'runs'}"
