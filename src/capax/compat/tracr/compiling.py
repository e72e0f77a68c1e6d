"""Tracr's compiler call, done by capax's compiler."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from capax.compat.lowering.sop_values import Range, Values
from capax.compat.lowering.translate import CompiledDialect, translate
from capax.compat.tracr.encoder import CategoricalEncoder, Encoder, NumericalEncoder
from capax.compat.tracr.evaluation import to_core
from capax.compat.tracr.sops import SOp, is_numerical
from capax.compiler.compiled import Compiled
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array

COMPILER_BOS = "compiler_bos"
COMPILER_PAD = "compiler_pad"


@dataclass(frozen=True, slots=True, eq=False)
class AssembledTransformerModelOutput:
    """What a model makes of a word. Arrays have axes batch (of 1), position, feature; BOS and padding have no position.

    `residuals` has the stream after each attention and each MLP, `layer_outputs` what each of these added,
    `attn_logits` the scores of each layer (batch, head, query, key; a sink's column is the last).
    """

    decoded: list[Any]
    unembedded: Any
    layer_outputs: list[Any]
    residuals: list[Any]
    attn_logits: list[Any]
    transformer_output: Any
    input_embeddings: Any


@dataclass(frozen=True, slots=True)
class TransformerConfig:
    """The sizes of a model, with Tracr's names."""

    num_layers: int
    num_heads: int
    key_size: int
    mlp_hidden_size: int
    causal: bool
    layer_norm: bool = False
    dropout_rate: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class AssembledTransformerModel:
    """A compiled program; `compiled` is capax's own result, with the model, its size and its certificate."""

    dialect: CompiledDialect
    input_encoder: CategoricalEncoder
    output_encoder: Encoder

    @property
    def compiled(self) -> Compiled:
        """What `capax.compile` gives: the model, the check and the certificate."""
        return self.dialect.compiled

    @property
    def model(self) -> Model:
        """The transformer."""
        return self.compiled.model

    @property
    def residual_labels(self) -> list[str]:
        """The names of the directions of the residual stream."""
        return list(self.model.names)

    @property
    def params(self) -> dict[str, Array]:
        """The weights by name; the names are capax's, not those of Haiku."""
        return dict(self.model.arrays())

    @property
    def model_config(self) -> TransformerConfig:
        """The sizes."""
        size = self.model.size
        return TransformerConfig(
            num_layers=len(self.model.blocks),
            num_heads=max(size.heads, default=0),
            key_size=size.head_dimension,
            mlp_hidden_size=size.hidden,
            causal=self.dialect.translation.causal,
        )

    def apply(self, tokens: Sequence[Any]) -> AssembledTransformerModelOutput:
        """What the model makes of a word, which begins with the start token and may end with padding.

        The decoded answers begin and end likewise. Padding is not shown to the model, so it changes no answer.
        """
        inputs = list(tokens)
        self.input_encoder.check(inputs)
        bos = self.input_encoder.bos_token
        word, padding = _unpadded(inputs if bos is None else inputs[1:], self.input_encoder.pad_token)
        if bos is not None and bos in word:
            raise CapaxError(
                "bad-input",
                f"the start token {bos!r} has no meaning inside a word",
                hint="give the word alone, after one start token",
                value=inputs,
            )
        if not word:
            raise CapaxError("empty-input", "a word needs at least one token after the start token", value=inputs)
        run = self.model.run(self.dialect.translation.encode(word), trace=True, many=False)
        decoded = [*self.dialect.translation.decode(run.answers), *padding]
        blocks = range(len(self.model.blocks))
        return AssembledTransformerModelOutput(
            decoded=decoded if bos is None else [bos, *decoded],
            unembedded=run.logits[0][None],
            layer_outputs=[run.activations.get(f"blocks.{b}.{part}.out") for b in blocks for part in ("attn", "mlp")],
            residuals=[run.activations.get(f"blocks.{b}.resid_{part}") for b in blocks for part in ("mid", "post")],
            attn_logits=[run.activations.get(f"blocks.{b}.attn.scores") for b in blocks],
            transformer_output=run.activations.get("resid_post"),
            input_embeddings=run.activations.get("embed"),
        )

    @property
    def forward(self) -> Any:
        """Refused: there is no JAX function here."""
        raise _haiku("forward")

    @property
    def get_compiled_model(self) -> Any:
        """Refused: there is no Haiku module here."""
        raise _haiku("get_compiled_model")

    def __repr__(self) -> str:
        return f"<{self.compiled!r}, with Tracr's names>"


def _unpadded(tokens: list[Any], pad: str | None) -> tuple[list[Any], list[Any]]:
    """The word and the padding after it; padding anywhere else is refused."""
    end = len(tokens)
    while end and pad is not None and tokens[end - 1] == pad:
        end -= 1
    word, padding = tokens[:end], tokens[end:]
    if pad is not None and pad in word:
        raise CapaxError(
            "bad-input",
            f"the padding token {pad!r} stands at position {word.index(pad)}, before the end of the word",
            hint="padding comes after the last token",
            value=tokens,
        )
    return word, padding


def _haiku(name: str) -> CapaxError:
    return CapaxError(
        "bad-option",
        f"{name} belongs to JAX and Haiku, which capax does not use",
        hint="use .apply(tokens), .model for the transformer, or capax.export_model(.model, ...) for other tools",
    )


def compile_rasp_to_model(
    program: SOp,
    vocab: Iterable[Any],
    max_seq_len: int,
    causal: bool = False,
    compiler_bos: str | None = COMPILER_BOS,
    compiler_pad: str | None = COMPILER_PAD,
    mlp_exactness: int = 100,
    **settings: Any,
) -> AssembledTransformerModel:
    """The program as a transformer for words of the vocabulary of up to `max_seq_len` tokens.

    The start and padding tokens belong to the way in and out only: the model needs neither. A word may be filled up
    with padding tokens after its end; `decoded` has them at the same positions. `mlp_exactness` makes no
    difference, since MLPs are exact. Further settings are those of `capax.compile`, such as `dtype="float64"`.
    """
    if not isinstance(program, SOp):
        raise CapaxError(
            "not-compilable", f"only an s-op can be compiled, not {program!r:.60}", hint="compile an Aggregate or a Map"
        )
    listed = vocab if isinstance(vocab, (set, frozenset)) else list(vocab)
    for name, token in (("start", compiler_bos), ("padding", compiler_pad)):
        if token is not None and token in listed:
            raise CapaxError(
                "bad-alphabet",
                f"the {name} token {token!r} is in the vocabulary",
                hint="choose another with compiler_bos= or compiler_pad=",
            )
    translation = translate(to_core(program), vocabulary=listed, max_length=max_seq_len, causal=causal)
    compiled = translation.compile(**settings)
    positions = max_seq_len + (compiler_bos is not None)
    reads = CategoricalEncoder(
        translation.vocabulary, bos_token=compiler_bos, pad_token=compiler_pad, max_seq_len=positions
    )
    return AssembledTransformerModel(
        compiled, reads, _answers(translation.answers.values, numbers=is_numerical(program))
    )


def _answers(values: Values, *, numbers: bool) -> Encoder:
    """The encoder of the answers: a number for each where they can be listed."""
    if numbers or isinstance(values, Range) or any(isinstance(v, (list, dict, set)) for v in values):
        return NumericalEncoder()
    return CategoricalEncoder(dict.fromkeys(values))
