"""What is known about transformers and formal languages: claims as data, and answers by inference from them.

`ask("softmax log-precision : S5")` answers a question. `setting` has the fields of an assumption; the records are TOML
tables in `data`, and their papers are in `data/papers.bib`; `dataset` reads them and `validation` checks them;
`inference` answers by the rules R1 to R7 that its text states.
"""

from capax.atlas.dataset import ATLAS
from capax.atlas.questions.question import ask

__all__ = ["ATLAS", "ask"]
