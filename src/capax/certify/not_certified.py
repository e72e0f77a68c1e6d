"""Why a model could not be certified."""


class Refusal(Exception):  # noqa: N818 - it is an answer, not an error
    """The check stops here: what broke, and where. It is caught by the certificate, never seen by a user.

    `empty`: nothing happens on such short words, which longer ones may change. `margin`: how far answers are at worst
    on the wrong side, as a number below zero, where they are.
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

    def kept(self) -> "Refusal":
        """The refusal without the frames in which it was raised: they hold all numbers of the proof that failed."""
        return self.with_traceback(None)
