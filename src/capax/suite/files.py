"""A suite as a folder: where each file of a case and a level stands, and how they are read back."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from safetensors import SafetensorError
from safetensors.numpy import load, save

from capax.errors import CapaxError
from capax.model.export.hugging_face.answers import decoding_of
from capax.model.export.hugging_face.tokens import tokenizer_config_json, tokenizer_json, tokens_of
from capax.model.export.target import need
from capax.model.interpretability.lens_model import LensModel
from capax.model.vocabulary import token_key
from capax.suite.levels.level_model import LEVELS
from capax.suite.programs.suite_program import LENGTH, SuiteProgram
from capax.suite.truth.edge_files import EapGraph, read_graph
from capax.suite.truth.features import FeatureDictionary, read_features
from capax.suite.truth.level_truth import LevelTruth
from capax.suite.truth.pairs import WordPair, read_pairs

FORMAT: Final = 1
"""The version of the layout."""
LICENCE: Final = "MIT"
UNFINISHED: Final = "unfinished"
"""The folder in a suite that is being made."""
MAKES: Final = "`capax suite make -o DIR` makes a suite"


def no_clock() -> float:
    """The clock of those who measure no time."""
    return 0.0


def json_bytes(data: Any, *, indent: int | None = None) -> bytes:
    """Plain data as the bytes of a JSON file; dense where nobody reads it by eye."""
    separators = None if indent else (",", ":")
    return (json.dumps(data, indent=indent, ensure_ascii=False, separators=separators) + "\n").encode()


def settings_of(lens: LensModel) -> dict[str, Any]:
    """The settings for `HookedTransformer`, which puts the BOS token before a text."""
    return {**lens.config, "default_prepend_bos": bool(lens.prefix)}


def model_files(lens: LensModel) -> dict[str, bytes]:
    """The settings and weights of a model."""
    return {"config.json": json_bytes(settings_of(lens), indent=1), "model.safetensors": save(dict(lens.tensors))}


def words_files(lens: LensModel) -> dict[str, bytes]:
    """What words and answers are, and a tokenizer that puts the BOS token before a word.

    TransformerLens asks every tokenizer for a token to fill up with, and adds one of its own to those that end texts
    with none, for which no model has an embedding; so BOS is both. Batches are of one length: nothing is filled up.
    """
    rows = {token_key(token): row for row, token in enumerate(lens.tokens)}
    prefix = [rows[token_key(token)] for token in lens.prefix]
    ids = tokens_of(lens.tokens, prefix, None, own_pad=False)
    tokenizer = tokenizer_config_json(ids, left=False)
    if prefix:
        tokenizer |= dict.fromkeys(("pad_token", "eos_token"), tokenizer["bos_token"])
    words = {
        "vocabulary": list(lens.tokens),
        "prefix": list(lens.prefix),
        "min_length": lens.min_length,
        "max_length": lens.max_length,
        "decoding": lens.decoding.to_json(),
        "alphabet": list(lens.alphabet),
    }
    return {
        "words.json": json_bytes(words, indent=1),
        "tokenizer.json": json_bytes(tokenizer_json(ids, lens.max_length)),
        "tokenizer_config.json": json_bytes(tokenizer, indent=1),
    }


def digest(data: bytes) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class SuiteLevel:
    """A model of a suite with its truth, read from its folder when it is asked for."""

    case: "SuiteCase"
    level: str

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self.case.folder / self.level

    def read(self, name: str) -> bytes:
        """A file of the level; what it does not have itself is the case's."""
        own = self.folder / name
        return _read(own if own.exists() else self.case.folder / name)

    def data(self, name: str) -> Any:
        """The plain data of a JSON file."""
        return _parsed(self.read(name), self.folder / name)

    @cached_property
    def lens(self) -> LensModel:
        """The model."""
        words, config = self.data("words.json"), self.data("config.json")
        try:
            tensors = load(self.read("model.safetensors"))
            tokens, alphabet, prefix = (tuple(words[n]) for n in ("vocabulary", "alphabet", "prefix"))
            decoding, limits = decoding_of(words["decoding"]), (words["min_length"], words["max_length"])
        except (KeyError, TypeError, ValueError, SafetensorError) as error:
            raise CapaxError("bad-suite", f"{self.folder}: this is not a model of a suite: {error!r:.120}") from None
        return LensModel(config, tensors, tokens, alphabet, prefix, decoding, *limits)

    @cached_property
    def truth(self) -> LevelTruth:
        """The edges that matter, and what else is known of others."""
        return LevelTruth.from_json(self.data("truth.json"))

    @cached_property
    def graph(self) -> EapGraph:
        """The graph of all edges that matter, as EAP reads it."""
        return read_graph(self.read("edges.json").decode())

    @cached_property
    def features(self) -> FeatureDictionary:
        """The dictionary of features."""
        return read_features(self.read("features.npz"))[0]

    @cached_property
    def pairs(self) -> list[WordPair]:
        """Pairs of clean and corrupted words."""
        return read_pairs(self.read("pairs.csv").decode())

    def transformer_lens(self) -> Any:
        """The model in TransformerLens: a `HookedTransformer`, or a `TransformerBridge` from version 4 on."""
        need("torch", ("torch",))
        need("lens", ("transformer_lens",))
        from capax.suite.score.lens_methods import opened

        return opened(self.lens)

    @property
    def checked(self) -> Mapping[str, Any]:
        """On how many words the model is right, its margin, and measures of realism."""
        data: Mapping[str, Any] = self.data("check.json")
        return data


@dataclass(frozen=True)
class SuiteCase:
    """A program of a suite, with its levels."""

    folder: Path
    program: SuiteProgram
    levels: tuple[str, ...]

    def level(self, name: str) -> SuiteLevel:
        """A level of the case."""
        if name not in self.levels:
            known = ", ".join(self.levels)
            raise CapaxError("bad-suite", f"{self.program.id} has no level {name!r:.40}", hint=f"it has {known}")
        return SuiteLevel(self, name)


@dataclass(frozen=True)
class Suite:
    """A suite in a folder."""

    folder: Path
    seed: int
    version: str
    digest: str
    cases: tuple[SuiteCase, ...]

    def case(self, name: str) -> SuiteCase:
        """The case of an id."""
        for case in self.cases:
            if case.program.id == name:
                return case
        raise CapaxError("bad-suite", f"the suite has no program {name!r:.40}", hint="capax suite list shows them")

    def check_choice(self, levels: Sequence[str], programs: Sequence[str]) -> None:
        """Refuses levels and programs that there are none of."""
        for level in levels:
            if level not in LEVELS:
                hint = f"levels are {', '.join(LEVELS)}"
                raise CapaxError("bad-suite", f"there is no level {level!r:.40}", hint=hint)
        for name in programs:
            self.case(name)

    def models(self, levels: tuple[str, ...] = ()) -> list[SuiteLevel]:
        """All models, or those of some levels."""
        return [case.level(level) for case in self.cases for level in case.levels if not levels or level in levels]


def load_suite(folder: Path | str) -> Suite:
    """The suite in a folder."""
    root = Path(folder)
    data = _parsed(_read(root / "suite.json"), root / "suite.json")
    try:
        if data["format"] != FORMAT:
            raise CapaxError("bad-suite", f"{root}: this suite has the format {data['format']!r:.20}, not {FORMAT}")
        cases = tuple(_case(root, entry) for entry in data["cases"])
        return Suite(root, int(data["seed"]), str(data["version"]), str(data["digest"]), cases)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CapaxError("bad-suite", f"{root / 'suite.json'}: this is not a suite: {error!r:.120}") from None


def _case(root: Path, entry: Any) -> SuiteCase:
    program = SuiteProgram.from_json(entry)
    if Path(program.id).name != program.id or any(Path(level).name != level for level in entry["levels"]):
        raise CapaxError("bad-suite", f"{program.id!r:.60} is not the id of a program")
    return SuiteCase(root / program.id, program, tuple(entry["levels"]))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        unfinished = path.name == "suite.json" and (path.parent / UNFINISHED).is_dir()
        hint = "it was not made to its end: the same `capax suite make` goes on" if unfinished else MAKES
        raise CapaxError("bad-suite", f"{path}: {reason}", hint=hint) from None


def _parsed(data: bytes, path: Path) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        raise CapaxError("bad-suite", f"{path}: this is not JSON") from None


__all__ = ["FORMAT", "LENGTH", "LICENCE", "Suite", "SuiteCase", "SuiteLevel", "digest", "load_suite", "model_files"]
