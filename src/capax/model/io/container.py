"""The container of model files: safetensors, as bytes.

A file is the length of its header (8 bytes, little-endian), the header (JSON: for each tensor its dtype, shape and
offsets, and a map of strings called `__metadata__`), and the tensors' bytes without gaps. It is read here and not by
the safetensors package, because that gives no metadata for bytes in memory; and every figure in a file is checked
before it is used.

A file that capax writes has a digest of all its bytes at a fixed position of its header: see `digest_fault`.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.errors import CapaxError

MOST_HEADER: Final = 16_000_000
"""The most bytes of a header; larger ones are neither written nor read."""
MOST_AXES: Final = 8

ITEM_BYTES: Final[dict[str, int]] = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 2),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2"), 1),
}
"""The dtypes of the format whose items are whole bytes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as it lies in a file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview


Entry: TypeAlias = tuple[str, tuple[int, ...], int, int]
"""The dtype, shape, start and end of a tensor."""


WRITTEN: Final = "is it a whole file that capax has written?"
"""The hint for a file that should be a model of ours."""


DIGEST_START: Final = b'{"__metadata__":{"digest":"'
"""How the header of a file with a digest begins."""
DIGEST: Final = slice(8 + len(DIGEST_START), 8 + len(DIGEST_START) + 64)
"""The bytes of a file that are its digest, in hexadecimal digits."""
ZEROS: Final = "0" * 64
"""What stands for the digest while it is computed."""


def bad_file(name: str, what: str, hint: str = WRITTEN) -> CapaxError:
    """The error for a file that is not a model."""
    return CapaxError("bad-model-file", f"{name}: {what}", hint=hint, file=name)


def pack(tensors: Mapping[str, Stored], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a file, with a digest; the same for the same tensors and metadata in the same order."""
    header: dict[str, object] = {"__metadata__": {"digest": ZEROS, **metadata}}
    start = 0
    for name, tensor in tensors.items():
        end = start + len(tensor.data)
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the numbers start at a multiple of their size
    if len(text) > MOST_HEADER:
        raise CapaxError("bad-model", f"the model's description takes more than {MOST_HEADER:,} bytes")
    start_bytes = len(text).to_bytes(8, "little") + text
    digest = hashlib.sha256(start_bytes)
    for tensor in tensors.values():
        digest.update(tensor.data)
    head = start_bytes[: DIGEST.start] + digest.hexdigest().encode() + start_bytes[DIGEST.stop :]
    return b"".join([head, *(t.data for t in tensors.values())])


def digest_of(data: bytes) -> str:
    """The SHA-256 of a file's bytes in which those of its digest are the digit 0."""
    view = memoryview(data)
    digest = hashlib.sha256(view[: DIGEST.start])
    digest.update(ZEROS.encode())
    digest.update(view[DIGEST.stop :])
    return digest.hexdigest()


def digest_fault(data: bytes, metadata: Mapping[str, str]) -> str | None:
    """What is wrong with the digest of a file, in words; None if it is the digest of the file's bytes."""
    written = metadata.get("digest")
    if written is None:
        return "it has no digest, so a changed byte could not be noticed"
    if data[8 : DIGEST.start] != DIGEST_START:
        return "its digest does not stand at the start of its header"
    digest = digest_of(data)
    if data[DIGEST] == digest.encode():
        return None
    return f"its digest is {written[:16]!r} and that of its bytes {digest[:16]!r}: it was changed after it was written"


def check_start(start: bytes, size: int, name: str) -> int:
    """The length of the header, from the first 8 bytes of a file of `size` bytes."""
    if size < 10 or len(start) < 8:
        raise bad_file(name, f"it has {size} bytes and is not a safetensors file")
    length = int.from_bytes(start[:8], "little")
    if length > size - 8:
        raise bad_file(name, "it is not a safetensors file, or it is cut off")
    if length > MOST_HEADER:
        raise bad_file(name, f"its header has {length:,} bytes; at most {MOST_HEADER:,} are read")
    return length


def read_header(start: bytes, size: int, name: str) -> tuple[dict[str, str], dict[str, Entry]]:
    """The metadata, and for each tensor its dtype, shape, start and end, of a file of `size` bytes that starts so."""
    length = check_start(start, size, name)
    header = parse_json(start[8 : 8 + length], name, "its header")
    if not isinstance(header, dict):
        raise bad_file(name, "its header is not a JSON object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise bad_file(name, "its metadata is not a map of strings")
    room = size - 8 - length
    ranges = sorted((*_byte_range(tensor, entry, room, name), tensor) for tensor, entry in header.items())
    expected = 0
    for begin, end, tensor in ranges:
        if begin != expected:
            raise bad_file(name, f"it has a gap or an overlap before the tensor {tensor!r:.80}")
        expected = end
    if expected != room:
        raise bad_file(name, f"{room - expected:,} of its bytes belong to no tensor")
    entries = {t: (header[t]["dtype"], tuple(header[t]["shape"]), begin, end) for begin, end, t in ranges}
    return metadata, entries


def unpack(data: bytes, name: str) -> tuple[dict[str, str], dict[str, Stored]]:
    """The metadata and the tensors of a file, each checked against the size of the file."""
    metadata, entries = read_header(data, len(data), name)
    rest = memoryview(data)[8 + int.from_bytes(data[:8], "little") :]
    return metadata, {t: Stored(dtype, shape, rest[a:b]) for t, (dtype, shape, a, b) in entries.items()}


def _byte_range(tensor: str, entry: Any, size: int, name: str) -> tuple[int, int]:
    """Where a tensor starts and ends, if its header entry is in order."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise bad_file(
            name, f"the header entry of the tensor {tensor!r:.80} does not have a dtype, a shape and offsets"
        )
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_BYTES:
        raise bad_file(name, f"the tensor {tensor!r:.80} has the unknown dtype {dtype!r:.40}")
    if not _are_counts(shape) or len(shape) > MOST_AXES or not _are_counts(offsets) or len(offsets) != 2:
        raise bad_file(name, f"the shape or the offsets of the tensor {tensor!r:.80} is not a list of counts")
    start, end = offsets
    if not start <= end <= size:
        raise bad_file(name, f"the tensor {tensor!r:.80} ends outside the file")
    if math.prod(shape) * ITEM_BYTES[dtype] != end - start:
        raise bad_file(
            name, f"the tensor {tensor!r:.80} has {end - start:,} bytes, which is not its shape {shape!s:.80}"
        )
    return start, end


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) is int and 0 <= v < 1 << 62 for v in value)


def parse_json(text: bytes | str, name: str, what: str) -> Any:
    """A JSON value in which no object has a key twice and no number is infinite."""
    try:
        return json.loads(
            text if isinstance(text, str) else text.decode(), object_pairs_hook=_no_twins, parse_constant=_no_constant
        )
    except RecursionError:
        raise bad_file(name, f"{what} is nested too deeply") from None
    except ValueError as error:
        raise bad_file(name, f"{what} is not JSON: {error!s:.120}") from None


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("an object has a key twice")
    return fields


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
