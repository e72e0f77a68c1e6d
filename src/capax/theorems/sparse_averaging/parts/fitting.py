"""Which sizes go together."""

from capax.errors import CapaxError


def require_fitting(length: int, q: int) -> None:
    """Raises an error where a set of q places and the place after it do not fit into the length."""
    if q >= length:
        raise CapaxError(
            "bad-option",
            f"q = {q} places of {length} leave none to tell apart",
            hint="q is less than the length",
        )
