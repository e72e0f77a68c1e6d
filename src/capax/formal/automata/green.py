"""Green's relations of a monoid: its egg-boxes."""

from collections import defaultdict
from dataclasses import dataclass

from capax.formal.automata.dfa import components
from capax.formal.automata.monoid import Monoid, then


@dataclass(frozen=True, slots=True)
class EggBox:
    """A D-class: elements that generate the same two-sided ideal.

    `cells[r][l]` are the elements of the R-class r and the L-class l (an H-class). A cell in `groups` (r, l) holds an
    idempotent and is a group; all groups of a D-class are isomorphic. The class is regular if it has one.
    """

    cells: tuple[tuple[tuple[int, ...], ...], ...]
    groups: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> int:
        """The number of R-classes."""
        return len(self.cells)

    @property
    def columns(self) -> int:
        """The number of L-classes."""
        return len(self.cells[0])

    @property
    def cell_size(self) -> int:
        """The number of elements in each cell."""
        return len(self.cells[0][0])

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.rows * self.columns * self.cell_size

    @property
    def regular(self) -> bool:
        """Whether it has an idempotent."""
        return bool(self.groups)

    def group(self) -> tuple[int, ...]:
        """The elements of one of its groups; none if it has no idempotent."""
        return self.cells[self.groups[0][0]][self.groups[0][1]] if self.groups else ()


def egg_boxes(monoid: Monoid) -> tuple[EggBox, ...]:
    """All D-classes of a monoid, the one of the identity first and lower ones after those above them."""
    right, left = monoid.right.tolist(), monoid.left.tolist()
    in_r, in_l = components(right), components(left)
    both = components([[*r, *le] for r, le in zip(right, left, strict=True)])
    members: dict[int, list[int]] = defaultdict(list)
    for element, name in enumerate(both):
        members[name].append(element)
    boxes = []
    for name in sorted(members, reverse=True):  # components number those that are led to first
        boxes.append(_box(monoid, members[name], in_r, in_l))
    return tuple(boxes)


def _box(monoid: Monoid, elements: list[int], in_r: list[int], in_l: list[int]) -> EggBox:
    rows = {name: at for at, name in enumerate(dict.fromkeys(in_r[e] for e in elements))}
    columns = {name: at for at, name in enumerate(dict.fromkeys(in_l[e] for e in elements))}
    cells: list[list[list[int]]] = [[[] for _ in columns] for _ in rows]
    groups: dict[tuple[int, int], None] = {}
    for e in elements:
        cell = (rows[in_r[e]], columns[in_l[e]])
        cells[cell[0]][cell[1]].append(e)
        if then(monoid.maps[e], monoid.maps[e]) == monoid.maps[e]:
            groups[cell] = None
    assert len({len(cell) for row in cells for cell in row}) == 1, "the cells of an egg-box are of one size"
    return EggBox(tuple(tuple(tuple(cell) for cell in row) for row in cells), tuple(groups))
