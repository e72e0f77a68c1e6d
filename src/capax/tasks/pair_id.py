"""PairID: the name of Match2 on the poster of the same paper."""

from dataclasses import replace

from capax.tasks.match2 import TASK as SAME

TASK = replace(SAME, name="pair-id", what=f"PairID, another name of Match2: {SAME.what}", training=None)
