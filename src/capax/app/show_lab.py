"""The lab's results as text."""

from typing import Any


def show_sweep(found: dict[str, Any]) -> str:
    """What a sweep has done, and its verdict."""
    verdict = found["verdict"]
    head = (
        f"{found['name']}, preset {found['preset']}: {found['runs']} runs, {found['cpu_seconds'] / 60:.1f} CPU minutes"
    )
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
    return "\n".join([*lines, f"{len(found['runs'])} runs in {found['file']}"])
