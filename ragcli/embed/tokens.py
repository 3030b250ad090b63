"""A model's own tokenizer, never truncating: for counting, for offsets and for the encoder's input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class ModelTokenizer:
    """A model's tokenizer, loaded on first use (implements ``interfaces.Tokenizer``)."""

    def __init__(self, load: Callable[[], Tokenizer]) -> None:
        self._load = load

    def count(self, text: str) -> int:
        """Tokens of ``text`` without the special ones."""
        return len(self._loaded.encode(_encodable(text), add_special_tokens=False).ids)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """``count`` of each text."""
        return [len(ids) for ids in self.ids(texts, special=False)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Half-open character span of each token, special ones excluded."""
        return list(self._loaded.encode(_encodable(text), add_special_tokens=False).offsets)

    def ids(self, texts: Sequence[str], *, special: bool = True) -> list[list[int]]:
        """Token ids of each text, with the model's special tokens around them by default."""
        batch = self._loaded.encode_batch_fast([_encodable(text) for text in texts], add_special_tokens=special)
        return [encoding.ids for encoding in batch]

    def special(self, texts: Sequence[str]) -> list[list[bool]]:
        """For each token of each text, special ones included: whether it is a special one."""
        batch = self._loaded.encode_batch_fast([_encodable(text) for text in texts], add_special_tokens=True)
        return [[bool(flag) for flag in encoding.special_tokens_mask] for encoding in batch]

    @cached_property
    def _loaded(self) -> Tokenizer:
        loaded = self._load()
        loaded.no_truncation()
        loaded.no_padding()
        return loaded


def tokenizer_from_file(path: Path) -> ModelTokenizer:
    """The tokenizer in a ``tokenizer.json``; a missing or broken file is a ModelError on first use."""
    return ModelTokenizer(lambda: _read(path))


def _encodable(text: str) -> str:
    """The text with ``?`` for each lone surrogate (a terminal hands over bytes that are no UTF-8 as such)."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _read(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    if not path.is_file():
        raise ModelError(f"{path} is missing", hint="the model folder must hold its tokenizer.json")
    try:
        return Tokenizer.from_buffer(path.read_bytes())
    except ValueError as error:
        raise ModelError(f"{path} is not a tokenizer: {error}") from error
