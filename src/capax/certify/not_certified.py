"""Why a model could not be certified."""


class NotCertified(Exception):  # noqa: N818 - an outcome, not an error
    """The check stops here: what broke, and where. The certificate catches it; no user sees it.

    `too_many`: the check would take too much work. `empty`: nothing happens on words this short, which longer ones may
    change. `margin`: how far answers are at worst on the wrong side, as a number below zero, where they are.
    """

    def __init__(
        self,
        why: str,
        where: str = "",
        *,
        too_many: bool = False,
        empty: bool = False,
        margin: float | None = None,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.where = where
        self.too_many = too_many
        self.empty = empty
        self.margin = margin

    def without_frames(self) -> "NotCertified":
        """The same without the frames in which it was raised: they refer to all numbers of the proof that failed."""
        return self.with_traceback(None)
