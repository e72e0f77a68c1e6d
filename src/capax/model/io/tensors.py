"""The arrays of a model file, each checked when it is taken."""

from collections.abc import Mapping

from capax.model.io.container import Stored, bad_file
from capax.model.io.storage import array_of, is_exact, storage_of
from capax.model.parts import Array


class Tensors:
    """The tensors of a file whose model has the number system `numbers`."""

    def __init__(self, found: Mapping[str, Stored], numbers: str, file: str) -> None:
        self._left = dict(found)
        self._storage = storage_of(numbers)
        self._numbers = numbers
        self._file = file

    def axis(self, name: str, axis: int, axes: int) -> int:
        """The size of an axis of a tensor, which the file alone knows."""
        shape = self._get(name).shape
        if len(shape) != axes:
            raise bad_file(self._file, f"the tensor {name:.80} has {len(shape)} axes and not {axes}")
        return shape[axis]

    def take(self, name: str, *shape: int) -> Array:
        """The numbers of a tensor, which has to have that shape."""
        tensor = self._get(name)
        if tensor.shape != shape:
            raise bad_file(self._file, f"the tensor {name:.80} has the shape {tensor.shape!s:.80} and not {shape}")
        if tensor.dtype != self._storage.file:
            wanted = f"a model of {self._numbers:.60} has {self._storage.file}"
            raise bad_file(self._file, f"the tensor {name:.80} is {tensor.dtype}; {wanted}")
        del self._left[name]
        array = array_of(tensor, self._storage)
        if not is_exact(array, self._storage):
            what = f"the tensor {name:.80} has a number that is not of {self._numbers:.60}, or not finite"
            raise bad_file(self._file, what)
        return array

    def done(self) -> None:
        """Refuses tensors that nobody has taken."""
        for name in self._left:
            raise bad_file(self._file, f"the tensor {name!r:.80} belongs to no part of the model")

    def _get(self, name: str) -> Stored:
        if name not in self._left:
            raise bad_file(self._file, f"the tensor {name:.80} is missing")
        return self._left[name]
