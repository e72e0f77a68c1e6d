"""Where the tables of L-step composition stand in a prompt."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """A prompt z_L ... z_1 i_0 w_1 ... w_(L-1): z_1 has n entries, z_(l+1) has `choices` times as many as z_l."""

    n: int
    steps: int
    choices: int

    @staticmethod
    def of_length(length: int, steps: int, choices: int) -> "Layout":
        """The layout of a prompt of that length."""
        parts = sum(choices**step for step in range(steps))
        n, rest = divmod(length - steps, parts)
        assert rest == 0, "a prompt of this task"
        return Layout(n, steps, choices)

    def size(self, step: int) -> int:
        """The number of entries of z_step; its values are below it."""
        return self.n * int(self.choices ** (step - 1))

    def inner(self, step: int) -> int:
        """The number of values of the step before: what a query is multiplied by."""
        return self.size(step - 1) if step > 1 else self.n

    def offset(self, step: int) -> int:
        """The place of the first entry of z_step."""
        return sum(self.size(later) for later in range(step + 1, self.steps + 1))

    @property
    def start(self) -> int:
        """The place of i_0; the queries follow."""
        return self.offset(0)

    @property
    def length(self) -> int:
        """The length of the prompt."""
        return self.start + self.steps

    def ranges(self) -> list[int]:
        """The number of values that each place of the prompt can have."""
        tables = [self.size(step) for step in range(self.steps, 0, -1) for _ in range(self.size(step))]
        return [*tables, self.n, *([self.choices] * (self.steps - 1))]
