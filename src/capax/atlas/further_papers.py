"""Papers that came to the atlas late; titles, authors and numbers were read with their abstracts."""

from typing import Final

from capax.atlas.paper import Paper

_LIN = "Lin, Anthony Widjaja"
FURTHER_PAPERS: Final[dict[str, Paper]] = {
    "koecher2025": Paper(
        ("Köcher, Chris", "Kozachinskiy, Alexander", _LIN, "Sälzer, Marco", "Zetzsche, Georg"),
        "NoPE: the counting power of transformers with no positional encodings",
        2025,
        "",
        "2505.11199",
    ),
    "jiang2025": Paper(
        ("Jiang, Hongjian", "Hahn, Michael", "Zetzsche, Georg", _LIN),
        "Softmax transformers are Turing-complete",
        2025,
        "",
        "2511.20038",
    ),
    "london2025": Paper(
        ("London, Charles", "Kanade, Varun"),
        "Pause tokens strictly increase the expressivity of constant-depth transformers",
        2025,
        "NeurIPS",
        "2505.21024",
    ),
    "pfau2024": Paper(
        ("Pfau, Jacob", "Merrill, William", "Bowman, Samuel R."),
        "Let's think dot by dot: hidden computation in transformer language models",
        2024,
        "",
        "2404.15758",
    ),
    "nowak2024": Paper(
        ("Nowak, Franz", "Svete, Anej", "Butoi, Alexandra", "Cotterell, Ryan"),
        "On the representational capacity of neural language models with chain-of-thought reasoning",
        2024,
        "ACL",
        "2406.14197",
    ),
    "strobl2025": Paper(
        ("Strobl, Lena", "Angluin, Dana", "Chiang, David", "Rawski, Jonathan", "Sabharwal, Ashish"),
        "Transformers as transducers",
        2025,
        "Transactions of the Association for Computational Linguistics",
        "2404.02040",
    ),
    "kozachinskiy2025": Paper(
        (
            *("Kozachinskiy, Alexander", "Urrutia, Felipe", "Jimenez, Hector", "Steifer, Tomasz", "Pizarro, Germán"),
            *("Fuentes, Matías", "Meza, Francisco", "Calderon, Cristian B.", "Rojas, Cristóbal"),
        ),
        "Strassen attention, split VC dimension and compositionality in transformers",
        2025,
        "NeurIPS",
        "2501.19215",
    ),
    "stroblangluin2025": Paper(
        ("Strobl, Lena", "Angluin, Dana", "Frank, Robert"),
        "Concise one-layer transformers can do function evaluation (sometimes)",
        2025,
        "",
        "2503.22076",
    ),
    "bergstraesser2024": Paper(
        ("Bergsträßer, Pascal", "Köcher, Chris", _LIN, "Zetzsche, Georg"),
        "The power of hard attention transformers on data sequences: a formal language theoretic perspective",
        2024,
        "NeurIPS",
        "2405.16166",
    ),
    "bergstraesser2026": Paper(
        ("Bergsträßer, Pascal", "Cotterell, Ryan", "Lin, Anthony W."),
        "Transformers are inherently succinct",
        2026,
        "ICLR",
        "2510.19315",
    ),
    "yang2025lm": Paper(
        (
            *("Yang, Andy", "Svete, Anej", "Li, Jiaoda", _LIN, "Rawski, Jonathan"),
            *("Cotterell, Ryan", "Chiang, David"),
        ),
        "Probability distributions computed by hard-attention transformers",
        2025,
        "",
        "2510.27118",
    ),
    "liwang2025": Paper(
        ("Li, Qian", "Wang, Yuyi"), "Constant bit-size transformers are Turing complete", 2025, "NeurIPS", "2506.12027"
    ),
    "saelzer2025": Paper(
        ("Sälzer, Marco", "Alsmann, Eric", "Lange, Martin"),
        "Transformer encoder satisfiability: complexity and impact on formal reasoning",
        2025,
        "ICLR",
        "2405.18548",
    ),
    "sanford2024": Paper(
        ("Sanford, Clayton", "Hsu, Daniel", "Telgarsky, Matus"),
        "Transformers, parallel computation, and logarithmic depth",
        2024,
        "ICML",
        "2402.09268",
    ),
    "yangsrebro2026": Paper(
        ("Yang, Chenxiao", "Srebro, Nathan", "Li, Zhiyuan"),
        "Tight sample complexity of transformers",
        2026,
        "COLT",
        "2606.09731",
    ),
    "dangelo2025": Paper(
        ("D'Angelo, Francesco", "Croce, Francesco", "Flammarion, Nicolas"),
        "Selective induction heads: how transformers select causal structures in context",
        2025,
        "",
        "2509.08184",
    ),
    "yang2026length": Paper(
        ("Yang, Andy", "Bergsträßer, Pascal", "Zetzsche, Georg", "Chiang, David", "Lin, Anthony W."),
        "Length generalization bounds for transformers",
        2026,
        "",
        "2603.02238",
    ),
    "ryvkin2025": Paper(
        ("Ryvkin, Leonid",),
        "Comparison of different unique hard attention transformer models by the formal languages they can recognize",
        2025,
        "",
        "2506.03370",
    ),
}
