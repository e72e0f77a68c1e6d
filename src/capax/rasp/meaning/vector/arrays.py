"""Names for the array types that the fast evaluator uses."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Tags: TypeAlias = NDArray[np.uint8]
Exact: TypeAlias = NDArray[Any]
"""Integers without loss: int64 where they fit, Python integers in an object array where they do not."""

SAFE = 1 << 53
"""Up to here every integer is a float64."""
WIDE = 1 << 62
"""Up to here sums of two stay inside int64."""
