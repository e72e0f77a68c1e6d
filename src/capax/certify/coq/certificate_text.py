"""A model as a Coq file: its numbers, its program, and the theorem that they agree, with its proof by computation."""

from dataclasses import dataclass
from typing import Final

from capax.certify.coq.model_text import model_text, not_covered, require_covered
from capax.certify.coq.program_text import ProgramText
from capax.certify.recheck.recheck import program_in, spec_of
from capax.model.model import Model
from capax.model.vocabulary import Classes
from capax.rasp.ir.nodes import SOpNode

MOST_WORDS: Final = 5_000
"""More words than this are not enumerated."""


@dataclass(frozen=True, slots=True)
class CoqCertificate:
    """The text of a Coq file, what its theorem says, and by which method Coq proves it."""

    text: str
    program: str
    tokens: int
    length: int
    method: str

    @property
    def statement(self) -> str:
        """The theorem in words."""
        return (
            f"for every word of 1 to {self.length} of {self.tokens} tokens, for every order of summation in binary32 and "
            f"every exp with exp(0) = 1 and exp(x) = 0 for x <= -104, the model's answers are the values of {self.program}"
        )


def coq_certificate(model: Model, file: str = "the model") -> CoqCertificate:
    """The Coq file of a compiled model."""
    require_covered(model)
    program, causal = program_in(model, file)
    assert isinstance(program.node, SOpNode) and model.max_length is not None
    if causal:
        raise not_covered("causal programs")
    root = spec_of(model, program.node, causal=causal).root
    tokens = model.vocabulary.tokens
    text = ProgramText(tokens)
    answer = text.sop(root, "Here")
    assert isinstance(model.decoding, Classes)
    classes = "; ".join(str(text.class_number(value, root)) for value in model.decoding.values)
    name = model.provenance.name or program.name or "the program"
    count, longest = len(tokens), model.max_length
    words = sum(count**n for n in range(1, longest + 1))
    if words > MOST_WORDS:
        raise not_covered(f"{words:,} words one by one", f"compile for a shorter length: at most {MOST_WORDS:,} words")
    definitions = ";\n    ".join(text.definitions)
    body = (
        f"(* Written by `capax certificate --coq`. Program: {_comment(name)}. Tokens: {_comment(', '.join(map(repr, tokens)))}. *)\n"
        "From Coq Require Import ZArith List.\n"
        "From Capax Require Import Binary32 Network Program Words.\nImport ListNotations.\nOpen Scope Z_scope.\n\n"
        f"{model_text(model)}\n\n"
        f"(* The number of each answer; a token is its row of the embedding. *)\nDefinition classes : list Z := [{classes}].\n"
        f"Definition the_program : program := {{|\n  definitions := [{definitions}];\n  answer := {answer} |}}.\n\n"
        f"Lemma checked : all_words_ok the_model classes (computes the_program) {count} {longest} = true.\n"
        "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
        "Theorem model_is_program : forall e word logits, exp_ok e ->\n"
        f"  Forall (fun t => (t < {count})%nat) word -> (1 <= length word <= {longest})%nat -> runs e the_model word logits ->\n"
        "  answers classes logits = computes the_program word.\n"
        "Proof. exact (by_enumeration _ _ _ _ _ checked). Qed.\nPrint Assumptions model_is_program.\n"
    )
    return CoqCertificate(body, name, count, longest, f"all {words:,} words, one by one")


def _comment(text: str) -> str:
    """A text that cannot end, open or nest a comment of Coq."""
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
