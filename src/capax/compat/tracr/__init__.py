"""Tracr's names: a program for Tracr runs and compiles when its import lines are changed.

`from tracr.rasp import rasp` becomes `from capax.compat.tracr import rasp`, and `from tracr.compiler import compiling`
becomes `from capax.compat.tracr import compiling`; `lib` and `causal_eval` are here too, and the names of `rasp` and
`compile_rasp_to_model` can be imported as they are.
"""

from capax.compat.tracr import causal_eval, compiling, lib, rasp
from capax.compat.tracr.compiling import compile_rasp_to_model
from capax.compat.tracr.rasp import *  # noqa: F403
from capax.compat.tracr.rasp import __all__ as _names

__all__ = ["causal_eval", "compile_rasp_to_model", "compiling", "lib", "rasp", *_names]
