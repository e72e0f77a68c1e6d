"""How wide a Hugging Face model must be to hold a model whose norms are neutralised."""

from dataclasses import dataclass
from itertools import count

from capax.model.export.uniform import UniformModel, needed
from capax.model.model import Model


@dataclass(frozen=True, slots=True)
class HuggingFaceSizes:
    """The sizes of a Hugging Face model: `width` = `heads` * `dimension`.

    Each direction of the model takes two coordinates, and `pins` pairs of coordinates are pinned, where
    width = 2 * pins * 4^root: the standard deviation of a row is then the pinned number divided by 2^root.
    """

    width: int
    heads: int
    dimension: int
    pins: int
    root: int


def sizes_for(model: Model, *, whole_root: bool) -> HuggingFaceSizes:
    """The smallest sizes for a model without norms.

    With `whole_root` the dimension of heads is a power of 4: the class divides scores by its root, which is then exact.
    """
    heads, dimension = needed(model)
    for width in count(8, 8):
        root = max((r for r in range(1, 6) if _fits(width, r, model.width)), default=0)
        if root:
            split = split_of(width, heads, dimension, whole_root=whole_root)
            if split is not None:
                return HuggingFaceSizes(width, *split, pins=width // (2 * 4**root), root=root)
    raise AssertionError("a power of two is wide enough")


def _fits(width: int, root: int, directions: int) -> bool:
    unit: int = 2 * 4**root
    return width % unit == 0 and 2 * directions + 2 * (width // unit) <= width


def split_of(width: int, heads: int, dimension: int, *, whole_root: bool = False) -> tuple[int, int] | None:
    """The number of heads and their dimension, at least as many and as large as asked for, that make up a width."""
    for number in range(heads, width // dimension + 1):
        size, rest = divmod(width, number)
        if rest == 0 and (not whole_root or _is_power_of_4(size)):
            return number, size
    return None


def uniform(model: Model, *, whole_root: bool = False) -> UniformModel:
    """The model with layers of one size, for a class whose heads make up its width."""
    split = split_of(model.width, *needed(model), whole_root=whole_root)
    assert split is not None
    return UniformModel(model, *split)


def _is_power_of_4(number: int) -> bool:
    return number.bit_count() == 1 and number.bit_length() % 2 == 1
