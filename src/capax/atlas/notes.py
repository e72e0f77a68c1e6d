"""Results that are not about a language and a setting of the atlas, each marked checked or cited, not checked."""

from typing import Final

from capax.atlas.recent_results import ABSTRACT
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
    Remark(
        "thoughts-distributions",
        "With chain of thought, recurrent and transformer language models represent the distributions over strings of "
        "probabilistic Turing machines.",
        ("nowak2024",),
        "checked",
        ABSTRACT,
        (("automaton-thoughts", {}),),
    ),
    Remark(
        "transducers",
        "As maps from strings to strings, Boolean RASP computes exactly the first-order rational functions; masked "
        "average-hard attention simulates a RASP with prefix sums, which has all first-order polyregular functions.",
        ("strobl2025",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "strassen",
        "One layer of softmax does not do Match3, composition of functions or of binary relations, however many bits "
        "numbers have; one layer of Strassen attention does, in less than cubic time.",
        ("kozachinskiy2025",),
        "checked",
        ABSTRACT,
        (("match3", {}),),
        (("match3", {"heads": 1, "dim": 8, "bits": 8}),),
    ),
    Remark(
        "filler-tokens",
        "Filler tokens in place of a chain of thought solve tasks that transformers do not solve at once; for which "
        "problems they help is told by the quantifier depth of a formula.",
        ("pfau2024",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "function-evaluation",
        "One concise layer evaluates a function if the input is written in some ways, and not if arguments and values "
        "stand at different positions; two layers always do.",
        ("stroblangluin2025",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "data-sequences",
        "On sequences of numbers, hard attention is not in AC0 any more, even without positions, but is in TC0.",
        ("bergstraesser2024",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "succinct",
        "Transformers describe some languages in a size that is exponentially smaller than formulas of temporal logic "
        "and recurrent networks need, and doubly exponentially smaller than automata; to verify them is "
        "EXPSPACE-complete.",
        ("bergstraesser2026",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "language-models",
        "Language models of hard attention express some distributions that recognisers do not lead to, and models that "
        "are equal as recognisers differ as language models.",
        ("yang2025lm",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "constant-bits-turing",
        "Transformers of constant size and bits simulate every Turing machine in a long enough context window; a "
        "window of s(n) tokens gives exactly space s(n).",
        ("liwang2025",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "satisfiability",
        "Whether a transformer encoder accepts some word is undecidable in the usual models; with numbers of a fixed "
        "width it is decidable, and still NEXPTIME-hard in some settings.",
        ("saelzer2025",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "parallel-computation",
        "Constantly many layers and constantly many rounds of massively parallel computation simulate each other.",
        ("sanford2024",),
        "checked",
        ABSTRACT,
        (("k-hop", {}),),
    ),
    Remark(
        "sample-complexity",
        "The VC dimension of transformers of L layers and W parameters on T tokens is at most O(L W log(T W)), and at "
        "least of the order of L W log(T W / L).",
        ("yangsrebro2026",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "selective-induction",
        "Three layers select the lag of a Markov chain in context and copy from there, in the limit as maximum "
        "likelihood does.",
        ("dangelo2025",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "length-bounds",
        "No bound on the length that training must see can be computed for C-RASP, from two layers on; for its "
        "positive fragment, which equals fixed precision, there is one, and it is exponential.",
        ("yang2026length",),
        "checked",
        ABSTRACT,
    ),
    Remark(
        "hard-attention-compared",
        "A survey of unique-hard attention with and without masks, with finitely and infinitely many position vectors.",
        ("ryvkin2025",),
        "checked",
        ABSTRACT,
    ),
)
