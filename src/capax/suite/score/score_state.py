"""Scores that are kept in a file as they come, so that a run which was cut short goes on where it stopped."""

import json
from collections.abc import Sequence
from pathlib import Path

from capax.errors import CapaxError
from capax.model.io.atomic import unwritable
from capax.suite.score.model_scores import EdgeScore, FeatureScore


class ScoreState:
    """Scores by model and method, kept in a file of lines if there is one."""

    def __init__(self, file: Path | None, digest: str, pairs: int) -> None:
        self.file, self.about = file, {"suite": digest, "pairs": pairs}
        self.scores: dict[tuple[str, str, str], EdgeScore | FeatureScore] = {}
        if file is not None and file.exists():
            self._read(file)

    def _read(self, file: Path) -> None:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeError) as error:
            raise CapaxError("bad-suite", f"{file}: this is no file of scores: {error!r:.80}") from None
        for line in lines:
            try:
                data = json.loads(line)
            except ValueError:
                continue  # the last line of a run that was cut short
            if not isinstance(data, dict) or data.get("of") != self.about:
                what = f"{file} has scores of another suite, or with other pairs"
                raise CapaxError("bad-suite", what, hint="give another file")
            one = (EdgeScore if "auroc" in data else FeatureScore).from_json(data)
            self.scores[one.case, one.level, one.method] = one

    def add(self, fresh: Sequence[EdgeScore | FeatureScore]) -> None:
        """Keeps scores."""
        self.scores |= {(one.case, one.level, one.method): one for one in fresh}
        if self.file is None or not fresh:
            return
        try:
            with self.file.open("a", encoding="utf-8") as handle:
                handle.writelines(json.dumps({**one.to_json(), "of": self.about}) + "\n" for one in fresh)
        except OSError as error:
            raise unwritable(self.file, error) from None
