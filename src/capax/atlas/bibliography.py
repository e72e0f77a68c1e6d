"""The papers that records cite, and BibTeX of them."""

from typing import Final

from capax.atlas.further_papers import FURTHER_PAPERS
from capax.atlas.paper import Paper


def bibtex(key: str, paper: Paper) -> str:
    """A paper as a BibTeX entry."""
    kind = "misc" if not paper.where else _kind(paper.where)
    place = {"misc": "", "article": "journal", "book": "publisher", "inproceedings": "booktitle"}[kind]
    fields = {"author": " and ".join(paper.authors), "title": f"{{{paper.title}}}", "year": str(paper.year)}
    if place:
        fields[place] = paper.where
    if paper.eprint:
        fields |= {"eprint": paper.eprint, "archiveprefix": "arXiv"}
    lines = [f"  {name} = {{{_tex(value)}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _kind(where: str) -> str:
    """What is published in a place: articles in journals, books at publishers, papers at meetings."""
    if where in PUBLISHERS:
        return "book"
    return "article" if where.startswith(JOURNALS) else "inproceedings"


def _tex(text: str) -> str:
    for plain, written in (
        ("é", "{\\'e}"),
        ("ö", '{\\"o}'),
        ("ł", "{\\l}"),
        ("&", "\\&"),
        ("ó", "{\\'o}"),
        ("ü", '{\\"u}'),
        ("ë", '{\\"e}'),
        ("ę", "{\\k e}"),
        ("ć", "{\\'c}"),
        ("á", "{\\'a}"),
        ("í", "{\\'i}"),
        ("ä", '{\\"a}'),
        ("ß", "{\\ss}"),
    ):
        text = text.replace(plain, written)
    return text


JOURNALS: Final = (
    *("Transactions", "Journal", "Information", "Mathematical", "SIGACT"),
    "Proceedings of the London Mathematical Society",
)
PUBLISHERS: Final = ("Addison-Wesley", "Cambridge University Press", "MIT Press", "Springer")
TACL = "Transactions of the Association for Computational Linguistics"
MST = "Mathematical Systems Theory"
JCSS = "Journal of Computer and System Sciences"
_BKLP = ("Barceló, Pablo", "Kozachinskiy, Alexander", "Lin, Anthony Widjaja", "Podolskii, Vladimir")
_MS = ("Merrill, William", "Sabharwal, Ashish")
_ACY = ("Angluin, Dana", "Chiang, David", "Yang, Andy")

PAPERS: Final[dict[str, Paper]] = {
    "strobl2024": Paper(
        ("Strobl, Lena", "Merrill, William", "Weiss, Gail", "Chiang, David", "Angluin, Dana"),
        "What formal languages can transformers express? A survey",
        2024,
        TACL,
        "2311.00208",
    ),
    "perez2019": Paper(
        ("Pérez, Jorge", "Marinković, Javier", "Barceló, Pablo"),
        "On the Turing completeness of modern neural network architectures",
        2019,
        "ICLR",
        "1901.03429",
    ),
    "perez2021": Paper(
        ("Pérez, Jorge", "Barceló, Pablo", "Marinković, Javier"),
        "Attention is Turing-complete",
        2021,
        "Journal of Machine Learning Research",
    ),
    "bhattamishra2020": Paper(
        ("Bhattamishra, Satwik", "Ahuja, Kabir", "Goyal, Navin"),
        "On the ability and limitations of transformers to recognize formal languages",
        2020,
        "EMNLP",
        "2009.11264",
    ),
    "yao2021": Paper(
        ("Yao, Shunyu", "Peng, Binghui", "Papadimitriou, Christos", "Narasimhan, Karthik"),
        "Self-attention networks can process bounded hierarchical languages",
        2021,
        "ACL",
        "2105.11115",
    ),
    "chiang2022": Paper(
        ("Chiang, David", "Cholak, Peter"),
        "Overcoming a theoretical limitation of self-attention",
        2022,
        "ACL",
        "2202.12172",
    ),
    "chiang2023": Paper(
        ("Chiang, David", "Cholak, Peter", "Pillay, Anand"),
        "Tighter bounds on the expressivity of transformer encoders",
        2023,
        "ICML",
        "2301.10743",
    ),
    "barcelo2024": Paper(
        _BKLP, "Logical languages accepted by transformer encoders with hard attention", 2024, "ICLR", "2310.03817"
    ),
    "hahn2020": Paper(
        ("Hahn, Michael",),
        "Theoretical limitations of self-attention in neural sequence models",
        2020,
        TACL,
        "1906.06755",
    ),
    "hao2022": Paper(
        ("Hao, Yiding", "Angluin, Dana", "Frank, Robert"),
        "Formal language recognition by hard attention transformers: perspectives from circuit complexity",
        2022,
        TACL,
        "2204.06618",
    ),
    "merrill2022": Paper(
        ("Merrill, William", "Sabharwal, Ashish", "Smith, Noah A."),
        "Saturated transformers are constant-depth threshold circuits",
        2022,
        TACL,
        "2106.16213",
    ),
    "merrill2023a": Paper(
        _MS, "The parallelism tradeoff: limitations of log-precision transformers", 2023, TACL, "2207.00729"
    ),
    "merrill2023b": Paper(_MS, "A logic for expressing log-precision transformers", 2023, "NeurIPS", "2210.02671"),
    "strobl2023": Paper(
        ("Strobl, Lena",),
        "Average-hard attention transformers are constant-depth uniform threshold circuits",
        2023,
        "",
        "2308.03212",
    ),
    "angluin2023": Paper(_ACY, "Masked hard-attention transformers and Boolean RASP", 2023, "", "2310.13897"),
    "yang2024": Paper(
        ("Yang, Andy", "Chiang, David", "Angluin, Dana"),
        "Masked hard-attention transformers recognize exactly the star-free languages",
        2024,
        "NeurIPS",
        "2310.13897",
    ),
    "merrill2024": Paper(_MS, "The expressive power of transformers with chain of thought", 2024, "ICLR", "2310.07923"),
    "yangchiang2024": Paper(
        ("Yang, Andy", "Chiang, David"),
        "Counting like transformers: compiling temporal counting logic into softmax transformers",
        2024,
        "COLM",
        "2404.04393",
    ),
    "yang2025": Paper(
        ("Yang, Andy", "Cadilhac, Michaël", "Chiang, David"),
        "Knee-deep in C-RASP: a transformer depth hierarchy",
        2025,
        "NeurIPS",
        "2506.16055",
    ),
    "yang2026": Paper(
        ("Yang, Andy", "Strobl, Lena", "Chiang, David", "Angluin, Dana"),
        "Simulating hard attention using soft attention",
        2026,
        TACL,
        "2412.09925",
    ),
    "svete2026": Paper(
        ("Svete, Anej", "Merrill, William", "Cotterell, Ryan", "Sabharwal, Ashish"),
        "Revisiting padded transformer expressivity: which architectural choices matter and which don't",
        2026,
        "",
        "2605.30523",
    ),
    "huang2025": Paper(
        ("Huang, Xinting", "Yang, Andy", "Bhattamishra, Satwik", "Sarrof, Yash", "Krebs, Andreas", "Zhou, Hattie"),
        "A formal framework for understanding length generalization in transformers",
        2025,
        "ICLR",
        "2410.02140",
    ),
    "chiang2025": Paper(
        ("Chiang, David",),
        "Transformers in uniform TC0",
        2025,
        "Transactions on Machine Learning Research",
        "2409.13629",
    ),
    "merrill2025pad": Paper(_MS, "Exact expressive power of transformers with padding", 2025, "NeurIPS", "2505.18948"),
    "merrill2025depth": Paper(
        _MS,
        "A little depth goes a long way: the expressive power of log-depth transformers",
        2025,
        "NeurIPS",
        "2503.03961",
    ),
    "svete2025": Paper(
        ("Svete, Anej", "Merrill, William", "Sabharwal, Ashish"),
        "The exact expressive power of fixed-precision looped padded transformers",
        2025,
    ),
    "li2024": Paper(
        ("Li, Zhiyuan", "Liu, Hong", "Zhou, Denny", "Ma, Tengyu"),
        "Chain of thought empowers transformers to solve inherently serial problems",
        2024,
        "ICLR",
        "2402.12875",
    ),
    "licotterell2025": Paper(
        ("Li, Jiaoda", "Cotterell, Ryan"),
        "Characterizing the expressivity of fixed-precision transformer language models",
        2025,
        "NeurIPS",
        "2505.23623",
    ),
    "jerad2025": Paper(
        ("Jerad, Selim", "Svete, Anej", "Li, Jiaoda", "Cotterell, Ryan"),
        "Unique hard attention: a tale of two sides",
        2025,
        "ACL",
        "2503.14615",
    ),
    "liu2023": Paper(
        ("Liu, Bingbin", "Ash, Jordan T.", "Goel, Surbhi", "Krishnamurthy, Akshay", "Zhang, Cyril"),
        "Transformers learn shortcuts to automata",
        2023,
        "ICLR",
        "2210.10749",
    ),
    "weiss2021": Paper(
        ("Weiss, Gail", "Goldberg, Yoav", "Yahav, Eran"), "Thinking like transformers", 2021, "ICML", "2106.06981"
    ),
    "amiri2025": Paper(
        ("Amiri, Alireza", "Huang, Xinting", "Rofin, Mark", "Hahn, Michael"),
        "Lower bounds for chain-of-thought reasoning in hard-attention transformers",
        2025,
        "ICML",
        "2502.02393",
    ),
    "barcelo2025": Paper(
        ("Barceló, Pablo", "Kozachinskiy, Alexander", "Steifer, Tomasz"),
        "Ehrenfeucht-Haussler rank and chain of thought",
        2025,
        "ICML",
    ),
    "kozachinskiy2024": Paper(
        ("Kozachinskiy, Alexander",),
        "Lower bounds on transformers with infinite precision",
        2024,
        "",
        "2412.20195",
    ),
    "hahnrofin2024": Paper(
        ("Hahn, Michael", "Rofin, Mark"),
        "Why are sensitive functions hard for transformers?",
        2024,
        "ACL",
        "2402.09963",
    ),
    "kozachinskiy2026": Paper(
        ("Kozachinskiy, Alexander", "Steifer, Tomasz", "Wałęga, Przemysław"),
        "Parity, sensitivity, and transformers",
        2026,
        "",
        "2602.05896",
    ),
    "hsu2026": Paper(
        ("Hsu, Daniel",), "Lower bounds for one-layer transformers that compute parity", 2026, "", "2605.12171"
    ),
    "ye2026": Paper(
        ("Ye, Xiaowei", "He, Xiaoyu", "Liao, Chao", "Wu, Chen", "Lu, Pinyan"),
        "A provable expressiveness hierarchy in hybrid linear-full attention",
        2026,
        "",
        "2602.01763",
    ),
    "induction2024": Paper(
        ("Sanford, Clayton", "Hsu, Daniel", "Telgarsky, Matus"),
        "One-layer transformers fail to solve the induction heads task",
        2024,
        "",
        "2408.14332",
    ),
    "sanford2023": Paper(
        ("Sanford, Clayton", "Hsu, Daniel", "Telgarsky, Matus"),
        "Representational strengths and limitations of transformers",
        2023,
        "NeurIPS",
        "2306.02896",
    ),
    "peng2024": Paper(
        ("Peng, Binghui", "Narayanan, Srini", "Papadimitriou, Christos"),
        "On limitations of the transformer architecture",
        2024,
        "COLM",
        "2402.08164",
    ),
    "chen2024": Paper(
        ("Chen, Lijie", "Peng, Binghui", "Wu, Hongxun"),
        "Theoretical limitations of multi-layer transformer",
        2024,
        "",
        "2412.02975",
    ),
    "bhattamishra2024": Paper(
        ("Bhattamishra, Satwik", "Hahn, Michael", "Blunsom, Phil", "Kanade, Varun"),
        "Separations in the representational capabilities of transformers and recurrent architectures",
        2024,
        "NeurIPS",
        "2406.09347",
    ),
    "merrillssm2024": Paper(
        ("Merrill, William", "Petty, Jackson", "Sabharwal, Ashish"),
        "The illusion of state in state-space models",
        2024,
        "ICML",
        "2404.08819",
    ),
    "svete2024": Paper(
        ("Svete, Anej", "Cotterell, Ryan"),
        "Transformers can represent n-gram language models",
        2024,
        "NAACL",
        "2404.14994",
    ),
    "barrington1989": Paper(
        ("Barrington, David A.",),
        "Bounded-width polynomial-size branching programs recognize exactly those languages in NC1",
        1989,
        JCSS,
    ),
    "barringtontherien1988": Paper(
        ("Barrington, David A.", "Thérien, Denis"),
        "Finite monoids and the fine structure of NC1",
        1988,
        "Journal of the ACM",
    ),
    "bcst1992": Paper(
        ("Barrington, David A.", "Compton, Kevin", "Straubing, Howard", "Thérien, Denis"),
        "Regular languages in NC1",
        1992,
        JCSS,
    ),
    "bis1990": Paper(
        ("Barrington, David A.", "Immerman, Neil", "Straubing, Howard"), "On uniformity within NC1", 1990, JCSS
    ),
    "barringtoncorbett1989": Paper(
        ("Barrington, David A.", "Corbett, James"),
        "On the relative complexity of some languages in NC1",
        1989,
        "Information Processing Letters",
    ),
    "fss1984": Paper(
        ("Furst, Merrick", "Saxe, James B.", "Sipser, Michael"),
        "Parity, circuits, and the polynomial-time hierarchy",
        1984,
        MST,
    ),
    "schutzenberger1965": Paper(
        ("Schützenberger, Marcel-Paul",),
        "On finite monoids having only trivial subgroups",
        1965,
        "Information and Control",
    ),
    "mcnaughton1971": Paper(("McNaughton, Robert", "Papert, Seymour"), "Counter-free automata", 1971, "MIT Press"),
    "ruzzo1980": Paper(("Ruzzo, Walter L.",), "Tree-size bounded alternation", 1980, JCSS),
    "ladner1975": Paper(
        ("Ladner, Richard E.",), "The circuit value problem is log space complete for P", 1975, "SIGACT News"
    ),
    "turing1936": Paper(
        ("Turing, Alan M.",),
        "On computable numbers, with an application to the Entscheidungsproblem",
        1936,
        "Proceedings of the London Mathematical Society",
    ),
    "immerman1999": Paper(("Immerman, Neil",), "Descriptive complexity", 1999, "Springer"),
    "vollmer1999": Paper(("Vollmer, Heribert",), "Introduction to circuit complexity", 1999, "Springer"),
    "arora2009": Paper(
        ("Arora, Sanjeev", "Barak, Boaz"),
        "Computational complexity: a modern approach",
        2009,
        "Cambridge University Press",
    ),
    "hopcroft1979": Paper(
        ("Hopcroft, John E.", "Ullman, Jeffrey D."),
        "Introduction to automata theory, languages, and computation",
        1979,
        "Addison-Wesley",
    ),
    "hopcroft1977": Paper(
        ("Hopcroft, John E.", "Paul, Wolfgang J.", "Valiant, Leslie G."),
        "On time versus space",
        1977,
        "Journal of the ACM",
    ),
    "hartmanis1965": Paper(
        ("Hartmanis, Juris", "Stearns, Richard E."),
        "On the computational complexity of algorithms",
        1965,
        "Transactions of the American Mathematical Society",
    ),
    "kannan1982": Paper(
        ("Kannan, Ravi",),
        "Circuit-size lower bounds and non-reducibility to sparse sets",
        1982,
        "Information and Control",
    ),
    "smolensky1987": Paper(
        ("Smolensky, Roman",),
        "Algebraic methods in the theory of lower bounds for Boolean circuit complexity",
        1987,
        "STOC",
    ),
    "reingold2008": Paper(("Reingold, Omer",), "Undirected connectivity in log-space", 2008, "Journal of the ACM"),
    "feng2023": Paper(
        ("Feng, Guhao", "Zhang, Bohang", "Gu, Yuntian", "Ye, Haotian", "He, Di", "Wang, Liwei"),
        "Towards revealing the mystery behind chain of thought: a theoretical perspective",
        2023,
        "NeurIPS",
        "2305.15408",
    ),
} | FURTHER_PAPERS
