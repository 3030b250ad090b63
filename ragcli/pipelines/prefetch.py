"""Query vectors of a whole question set in one batch, served one by one: an evaluation embeds as fast as an ingest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.interfaces import Embedder, Progress, Tokenizer
from ragcli.records import EmbedderInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Prefetched:
    """An embedder that already knows the vectors of ``questions``; anything else goes to the one behind it.

    The batch is made at the first query, so a run that only uses BM25 loads no model.
    """

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self._embedder = embedder
        self._questions = list(dict.fromkeys(questions))
        self._rows: dict[str, NDArray[np.float32]] = {}

    @property
    def info(self) -> EmbedderInfo:
        """Which model this is."""
        return self._embedder.info

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        return self._embedder.tokenizer

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions, from the batch where they are in it."""
        import numpy as np

        if not self._rows and self._questions:
            self._rows = dict(zip(self._questions, self._embedder.queries(self._questions), strict=True))
        if not texts or any(text not in self._rows for text in texts):
            return self._embedder.queries(texts)
        return np.stack([self._rows[text] for text in texts])

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Vectors of passages."""
        return self._embedder.passages(texts, progress)

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Vectors of each text's tokens."""
        return self._embedder.token_vectors(texts)
