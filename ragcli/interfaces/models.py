"""What owns a model: one that makes vectors, puts candidates in order, writes an answer or answers small questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ragcli.records import Claim, Completion, EmbedderInfo, ModelRequest, Passage, Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, the number done and the number in all (0: not known)."""


class Tokenizer(Protocol):
    """The embedding model's own tokenizer; offsets are in characters, special tokens excluded."""

    def count(self, text: str) -> int:
        """Number of tokens of ``text``."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """``count`` of each text, in one batch."""

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Half-open character span of each token of ``text``, in order."""


class Embedder(Protocol):
    """A sentence model. Vectors are float32 of length 1, one row per text, ``info.dimension`` columns."""

    @property
    def info(self) -> EmbedderInfo:
        """Which model this is; known without loading its weights."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, never truncating; loads no weights."""

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions."""

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Vectors of passages. Raises ModelError when the model cannot be loaded."""

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Unit vectors of each text's tokens, special ones excluded: tokens × dimension, for late interaction."""


class Reranker(Protocol):
    """Puts candidates in order by reading question and text together."""

    @property
    def name(self) -> str:
        """The method and model, as printed."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, higher is better; no fixed range."""


class TextModel(Protocol):
    """A language model asked many small things about few long texts."""

    @property
    def name(self) -> str:
        """The model, as printed and as part of cache keys."""

    def complete_many(self, requests: Sequence[ModelRequest], *, max_tokens: int) -> Iterator[tuple[int, str, Usage]]:
        """The index of each request, its text and what it cost, as they finish, in any order.

        Requests with the same ``shared`` text stand together; a model that can caches it. Retries are made inside.
        Raises ModelError when the model cannot be reached or refuses; what was yielded before stays good.
        """


class Generator(Protocol):
    """Writes an answer from passages."""

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """Claims with what they cite. Raises ModelError when the model cannot be reached or refuses."""


@runtime_checkable
class StreamingGenerator(Protocol):
    """A generator that can hand out its claims while it is still writing."""

    def generate_streaming(
        self, question: str, passages: Sequence[Passage], on_claim: Callable[[Claim], None] | None
    ) -> Completion:
        """``generate``, each claim given to ``on_claim`` as soon as it is complete; every claim exactly once."""


class Models(Protocol):
    """The models that the settings name; each is cheap until it is used."""

    def embedder(self) -> Embedder:
        """The embedding model."""

    def reranker(self, embedder: Callable[[], Embedder]) -> Reranker | None:
        """The reranker, None for none; ``embedder`` is called only by a method that needs it."""

    def generator(self, embedder: Embedder | None) -> Generator:
        """What writes answers; ``embedder`` is None in a search by words alone.

        Raises ModelError when it may not or cannot be used.
        """

    def request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any] | None:
        """The body that would be sent to a model for a question; None when nothing leaves the machine."""
