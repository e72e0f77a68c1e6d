"""A paper that records cite."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper. `authors` are in the order of the paper; `where` is the place of publication, as far as known."""

    authors: tuple[str, ...]
    title: str
    year: int
    where: str = ""
    eprint: str = ""

    @property
    def short(self) -> str:
        """The authors' last names and the year, as in running text."""
        last = [name.split(",")[0] for name in self.authors]
        names = last[0] if len(last) == 1 else f"{', '.join(last[:-1])} and {last[-1]}"
        return f"{names if len(last) <= 3 else f'{last[0]} et al.'} {self.year}"

    @property
    def line(self) -> str:
        """The paper in one line."""
        place = self.where or (f"arXiv {self.eprint}" if self.eprint else "")
        return f"{self.short}, {self.title}" + (f" ({place})" if place else "")
