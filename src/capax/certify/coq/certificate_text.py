"""A model as a Coq file: its numbers, its program, and the theorem that they agree, with its proof by computation."""

from dataclasses import dataclass
from itertools import product
from typing import Final

from capax.certify.coq.model_text import model_text, not_covered, require_covered
from capax.certify.coq.plan_text import state_plan
from capax.certify.coq.program_text import ProgramText
from capax.certify.hints import hints_of
from capax.certify.not_certified import NotCertified
from capax.certify.recheck.recheck import program_in, spec_of
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Classes
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SOpNode

MOST_WORDS: Final = 400
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
            f"for every word of 1 to {self.length} of {self.tokens} tokens, every order of summation in binary32, and "
            f"every exp with exp(0) = 1 and exp(x) = 0 for x <= -104, the model's answers are those of {self.program}"
        )


@dataclass(frozen=True, slots=True)
class _Proof:
    """The lines that prove the theorem, and the method in words."""

    imports: str
    lines: str
    method: str


def coq_certificate(model: Model, file: str = "the model", *, by: str = "either") -> CoqCertificate:
    """The Coq file of a compiled model, proved over states, over words, or by words where states do not do."""
    require_covered(model)
    program, causal = program_in(model, file)
    assert isinstance(program.node, SOpNode)
    assert model.max_length is not None
    if causal:
        raise not_covered("causal programs")
    spec = spec_of(model, program.node, causal=causal)
    if not isinstance(spec, OutputSpec):
        raise not_covered("programs with a loop")
    root = spec.root
    text = ProgramText(model.vocabulary.tokens)
    answer = text.sop(root)
    assert isinstance(model.decoding, Classes)
    classes = "; ".join(str(text.class_number(value, root)) for value in model.decoding.values)
    proof = _proof(model, root, text, by)
    name = model.provenance.name or program.name or "the program"
    count, longest = len(model.vocabulary), model.max_length
    tokens = ", ".join(map(repr, model.vocabulary.tokens))
    definitions = ";\n    ".join(definition.text() for definition in text.definitions)
    body = (
        f"(* Written by `capax certificate --coq`. Program: {_comment(name)}. Tokens: {_comment(tokens)}. *)\n"
        f"From Coq Require Import ZArith List.\nFrom Capax Require Import Binary32 Network Program {proof.imports}.\n"
        f"Import ListNotations.\nOpen Scope Z_scope.\n\n{model_text(model)}\n\n"
        "(* The number of each answer; a token is its row of the embedding. *)\n"
        f"Definition classes : list Z := [{classes}].\n"
        f"Definition the_program : program := {{|\n  definitions := [{definitions}];\n"
        f"  answer := {answer.text()} |}}.\n\n"
        f"{proof.lines}\n\n"
        "Theorem model_is_program : forall e word logits, exp_ok e ->\n"
        f"  Forall (fun t => (t < {count})%nat) word -> (1 <= length word <= {longest})%nat ->\n"
        "  runs e the_model word logits -> answers classes logits = computes the_program word.\n"
        "Proof. exact proved. Qed.\nPrint Assumptions model_is_program.\n"
    )
    return CoqCertificate(body, name, count, longest, proof.method)


def _proof(model: Model, root: SOpNode, text: ProgramText, by: str) -> _Proof:
    """A proof over states; where there is none and the words are few, one over words."""
    before = list(text.definitions)
    try:
        if by == "words":
            raise not_covered("as many words one by one", f"--by states, or at most {MOST_WORDS} words")
        plan = state_plan(model, text, hints_of(model, root))
    except (CapaxError, NotCertified) as error:
        refused = error if isinstance(error, CapaxError) else not_covered(f"this model: {error}")
        if by == "states":
            raise refused from None
        text.definitions[:] = before
        return _by_words(model, text, refused)
    check = "all_states_ok the_program the_facts the_plans the_model classes"
    lines = (
        f"(* Not trusted: hints for the check. *)\n{plan.facts}\n{plan.plans}\n\n"
        f"Lemma checked : {check} = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n"
        "Definition proved := by_states _ _ _ _ _ checked."
    )
    return _Proof("Facts Unique Heads Models", lines, "all states at once")


def _by_words(model: Model, text: ProgramText, refused: CapaxError) -> _Proof:
    """A proof word by word, if the words are few."""
    count, longest = len(model.vocabulary), model.max_length or 0
    words = sum(count**n for n in range(1, longest + 1))
    if words > MOST_WORDS:
        raise refused
    for word in (w for n in range(1, longest + 1) for w in product(range(count), repeat=n)):
        text.states(word)  # refuses an aggregate of several positions, whose mean Coq's program would not be
    lines = (
        f"Lemma checked : all_words_ok the_model classes (computes the_program) {count} {longest} = true.\n"
        "Proof. vm_cast_no_check (eq_refl true). Qed.\n"
        "Definition proved := by_enumeration _ _ _ _ _ checked."
    )
    return _Proof("Words", lines, f"all {words:,} words, one by one")


def _comment(text: str) -> str:
    """A text that cannot end, open or nest a comment of Coq."""
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
