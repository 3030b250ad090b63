"""Query vectors made before they are asked for.

Those of a whole question set in one batch, so that an evaluation embeds as fast as an ingest; that of the one question
of a process in a thread, so that the model loads while the index opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from ragcli.records import EmbedderInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragcli.interfaces import Embedder, Progress, Tokenizer


class Prefetched:
    """An embedder that already knows the vectors of ``questions``; anything else goes to the one behind it.

    The batch is made at the first query, so a run that only uses BM25 loads no model, or in a thread from ``start``.
    """

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self._embedder = embedder
        self._questions = list(dict.fromkeys(questions))
        self._rows: dict[str, NDArray[np.float32]] = {}
        self._started: Future[NDArray[np.float32]] | None = None

    def start(self) -> None:
        """Make the batch in a thread of its own; what goes wrong there is raised by the first query."""
        pool = ThreadPoolExecutor(1, "embed")
        self._started = pool.submit(self._embedder.queries, self._questions)
        pool.shutdown(wait=False)

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
        if not self._rows and self._questions:
            made = self._embedder.queries(self._questions) if self._started is None else self._started.result()
            self._rows = dict(zip(self._questions, made, strict=True))
        if not texts or any(text not in self._rows for text in texts):
            return self._embedder.queries(texts)
        return np.stack([self._rows[text] for text in texts])

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Vectors of passages."""
        return self._embedder.passages(texts, progress)

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Vectors of each text's tokens."""
        return self._embedder.token_vectors(texts)
