"""TriID: the name of Match3 on the poster of the same paper."""

from dataclasses import replace

from capax.tasks.match3 import TASK as SAME

TASK = replace(SAME, name="tri-id", what=f"TriID, another name of Match3: {SAME.what}", training=None)
