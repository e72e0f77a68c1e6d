"""From a program to the weights of a transformer: one pass per file.

`capax.compiler` is this package and also the function: calling it compiles a program.
"""

import sys
from types import ModuleType
from typing import Any


class _Compile(ModuleType):
    """A package that is called like the function it is named for."""

    def __call__(self, program: Any, **settings: Any) -> Any:
        """The program as a model: see `capax.compiler.compiled.compile_program`."""
        from capax.compiler.compiled import compile_program

        return compile_program(program, **settings)


sys.modules[__name__].__class__ = _Compile
