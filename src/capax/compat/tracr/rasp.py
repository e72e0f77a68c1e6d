"""The names of Tracr's module `rasp`."""

from typing import Any

from capax.compat.tracr.annotations import DEFAULT_ANNOTATORS, RASPExpr, annotate, default_name
from capax.compat.tracr.evaluation import evaluate
from capax.compat.tracr.selectors import (
    Comparison,
    ConstantSelector,
    Select,
    Selector,
    SelectorAnd,
    SelectorNot,
    SelectorOr,
    selector_and,
    selector_not,
    selector_or,
)
from capax.compat.tracr.sops import (
    Aggregate,
    ConstantSOp,
    Encoding,
    Full,
    IndicesType,
    LengthType,
    LinearSequenceMap,
    Map,
    SelectorWidth,
    SequenceMap,
    SOp,
    TokensType,
    categorical,
    default_encoding,
    get_encoding,
    indices,
    is_categorical,
    is_numerical,
    length,
    numerical,
    sop_not,
    tokens,
)

Value = None | int | float | str | bool
NumericValue = int | float
SelectorValue = list[list[bool]]
Predicate = Any

__all__ = [
    "DEFAULT_ANNOTATORS",
    "Aggregate",
    "Comparison",
    "ConstantSOp",
    "ConstantSelector",
    "Encoding",
    "Full",
    "IndicesType",
    "LengthType",
    "LinearSequenceMap",
    "Map",
    "NumericValue",
    "Predicate",
    "RASPExpr",
    "SOp",
    "Select",
    "Selector",
    "SelectorAnd",
    "SelectorNot",
    "SelectorOr",
    "SelectorValue",
    "SelectorWidth",
    "SequenceMap",
    "TokensType",
    "Value",
    "annotate",
    "categorical",
    "default_encoding",
    "default_name",
    "evaluate",
    "get_encoding",
    "indices",
    "is_categorical",
    "is_numerical",
    "length",
    "numerical",
    "selector_and",
    "selector_not",
    "selector_or",
    "sop_not",
    "tokens",
]
