"""Results that are not about a language and a setting of the atlas, each marked checked or recalled."""

from typing import Final

from capax.atlas.later import ABSTRACT
from capax.atlas.records import Remark

REMARKS: Final[tuple[Remark, ...]] = (
    Remark(
        "composition",
        "One layer of H heads of dimension d and p bits computes f(g(x)) only if H (d + 1) p is about n log n or more.",
        ("peng2024",),
        theorems=(("composition", {}),),
        limits=(("composition", {}),),
    ),
    Remark(
        "composition-thoughts",
        "One layer needs of the order of sqrt(n / (H d p)) steps of thought for iterated composition.",
        ("peng2024",),
        theorems=(("composition-cot", {}),),
        limits=(("cot-composition", {}),),
    ),
    Remark(
        "arithmetic-thoughts",
        "With steps of thought, transformers of constant size and O(log n) bits evaluate arithmetic, solve linear "
        "equations and do dynamic programming; without them the first two are impossible unless TC0 = NC1.",
        ("feng2023",),
    ),
    Remark(
        "composition-deep",
        "L layers do not compute L-step sequential composition unless H d p exceeds a root of n; L + 1 layers do.",
        ("chen2024",),
        "checked",
        ABSTRACT,
        (("iterated-composition", {}),),
        (("sequential-composition", {}),),
    ),
    Remark(
        "composition-steps",
        "One layer of hard attention needs exactly as many steps of thought as functions are composed.",
        ("barcelo2025",),
        "checked",
        ABSTRACT,
        (("composition-cot", {}),),
        (("cot-hard-attention", {}),),
    ),
    Remark(
        "match2-match3",
        "One head of constant dimension finds pairs that sum to 0 modulo M; for triples one layer needs a size that "
        "grows with the length, and third-order attention does not.",
        ("sanford2023",),
        theorems=(("match2", {}), ("match3", {})),
        limits=(("match3", {"heads": 1, "dim": 8, "bits": 8}),),
    ),
    Remark(
        "sparse-averaging",
        "Attention of dimension q log N averages q places; recurrent and fully connected networks need a size of N.",
        ("sanford2023",),
        theorems=(("q-sparse-separation", {}),),
        limits=(("sparse-averaging", {}),),
    ),
    Remark(
        "triangles",
        "D layers of pairwise heads find the triangles of a graph only with D H m of the order of N / log N.",
        ("sanford2023",),
        theorems=(("tri-id-graph", {}),),
        limits=(("triangle-graph", {}),),
    ),
    Remark(
        "induction-heads",
        "One layer does not do induction heads unless its size grows with the length; two layers do.",
        ("induction2024",),
        "checked",
        ABSTRACT,
        (("k-hop", {}),),
    ),
    Remark(
        "index-lookup",
        "One head of dimension log n looks up an index; recurrent networks need a state that grows with the length.",
        ("bhattamishra2024",),
        theorems=(("index-lookup", {}), ("equality", {})),
    ),
    Remark(
        "parity-one-layer",
        "One layer represents PARITY by a sign only if its heads times the degree of the map after it grow linearly.",
        ("hsu2026",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "sensitivity",
        "Models of sensitive functions such as PARITY sit at sharp minima: why what is possible is hard to learn.",
        ("hahnrofin2024",),
    ),
    Remark(
        "length-generalisation",
        "What length generalisation can be hoped for is tied to C-RASP: PARITY is outside, MAJORITY and Dyck-1 inside.",
        ("huang2025",),
    ),
    Remark("infinite-precision", "Bounds for one layer that hold with real numbers.", ("kozachinskiy2024",)),
    Remark("hybrid", "A hierarchy of models that mix linear and full attention.", ("ye2026",), "checked", ABSTRACT),
    Remark(
        "padding-robust",
        "With padding, O(1) bits give AC0 and more give TC0, and with loops AC^d and TC^d: for softmax and for "
        "average-hard attention, and any width.",
        ("svete2026",),
        "checked",
        ABSTRACT,
    ),
    Remark("state-space", "State-space models lie in TC0 as well.", ("merrillssm2024",)),
    Remark(
        "ngram",
        "Every n-gram language model is a transformer language model of one layer.",
        ("svete2024",),
        theorems=(("ngram-one-head", {}),),
    ),
)
