"""The number systems in which models are certified."""

from typing import Final

SYSTEMS: Final = ("float64", "float32", "bfloat16")

ROUNDOFF: Final = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}
"""The unit roundoff: a bound on the relative error of one operation."""

LEAST_EXPONENT: Final = {"float64": -745.2, "float32": -104.0, "bfloat16": -104.0}
"""exp of anything smaller is zero, whether denormal numbers are flushed or not."""

LEAST: Final = {"float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126}
"""A product that is smaller may lose digits, or become zero."""

LARGEST: Final = {"float64": 2.0**1000, "float32": 2.0**120, "bfloat16": 2.0**120}
"""Nothing beyond is certified: partial sums could overflow."""
