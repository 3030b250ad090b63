"""Sentence vectors by onnxruntime, for BERT models: the default backend, which never imports torch.

Questions and passages take the same path. Vectors equal those of sentence-transformers (cosine 1 within float32).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from ragcli.embed import packaged
from ragcli.embed.batches import by_length
from ragcli.embed.model_folder import ModelFolder
from ragcli.embed.remembered import weights_sha256
from ragcli.embed.rows import Vectors, report_cut, unit
from ragcli.embed.tokens import ModelTokenizer, tokenizer_from_file
from ragcli.errors import ModelError
from ragcli.records import EmbedderInfo

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from ragcli.interfaces import Progress

_BLOCK = 4096  # texts tokenized and sorted at a time: bounds memory, long enough for even batches


class OnnxBertEmbedder:
    """One BERT sentence model (implements ``interfaces.Embedder``); weights are mapped on first use.

    ``sha256`` is what the weights must hash to, empty when nothing is known about them.
    """

    def __init__(
        self, folder: ModelFolder, info: EmbedderInfo, *, threads: int = 0, batch_size: int = 32, sha256: str = ""
    ) -> None:
        self._folder = folder
        self._info = info
        self._tokenizer = tokenizer_from_file(folder.tokenizer_file)
        self._threads = threads or _cores()
        self._batch_size = batch_size
        self._sha256 = sha256
        self._session: InferenceSession | None = None
        self._lock = threading.Lock()

    @property
    def info(self) -> EmbedderInfo:
        """Which model this is."""
        return self._info

    @property
    def tokenizer(self) -> ModelTokenizer:
        """The model's tokenizer, never truncating."""
        return self._tokenizer

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, texts × dimension."""
        return self._sentences([self._info.query_prefix + text for text in texts], None)

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit vectors of passages, texts × dimension. Raises ModelError when the weights cannot be used."""
        return self._sentences([self._info.passage_prefix + text for text in texts], progress)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """Unit vectors of each text's tokens without the first and last special one, tokens × dimension."""
        found: list[Vectors] = [np.empty((0, self._info.dimension), np.float32)] * len(texts)
        for positions, hidden, lengths in self._encode(texts):
            for row, position in enumerate(positions):
                found[position] = unit(hidden[row, 1 : lengths[row] - 1])
        return found

    def _sentences(self, texts: Sequence[str], progress: Progress | None) -> Vectors:
        vectors = np.empty((len(texts), self._info.dimension), np.float32)
        done = 0
        for positions, hidden, lengths in self._encode(texts):
            vectors[positions] = _pool(hidden, lengths, self._folder.pooling)
            done += len(positions)
            if progress is not None:
                progress("embed", done, len(texts))
        return vectors

    def _encode(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors, list[int]]]:
        """Batches of positions in ``texts``, their hidden states (padded) and their lengths in tokens."""
        session = self._loaded() if texts else None
        for first in range(0, len(texts), _BLOCK):
            ids = self._cut(self._tokenizer.ids(texts[first : first + _BLOCK]))
            for positions in by_length([len(row) for row in ids], self._batch_size, first):
                rows = [ids[position - first] for position in positions]
                assert session is not None
                yield positions, _run(session, rows), [len(row) for row in rows]

    def _cut(self, ids: list[list[int]]) -> list[list[int]]:
        """Rows no longer than the window, the closing special token kept; what is cut is reported."""
        window = self._info.window
        report_cut([len(row) for row in ids], window)
        return [row if len(row) <= window else [*row[: window - 1], row[-1]] for row in ids]

    def _loaded(self) -> InferenceSession:
        with self._lock:
            if self._session is None:
                with ThreadPoolExecutor(1) as pool:  # hashing and starting take as long; both leave Python free
                    digest = pool.submit(weights_sha256, self._folder.weights) if self._sha256 else None
                    try:
                        session = self._start()
                    finally:  # weights that are damaged are named so, whatever the session makes of them
                        self._verify(digest)
                self._session = session
            return self._session

    def _start(self) -> InferenceSession:
        import onnxruntime

        onnxruntime.disable_telemetry_events()  # where somebody else imported it first
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(self._folder.path))
        return onnxruntime.InferenceSession(self._graph(), options, providers=["CPUExecutionProvider"])

    def _graph(self) -> bytes:
        """The packaged model's graph as it was made once, that of another model made now."""
        if self._sha256 == packaged.SHA256:
            return packaged.GRAPH.read_bytes()
        from ragcli.embed import bert_graph
        from ragcli.embed.checkpoint import find_weights

        shape = bert_graph.read_shape(self._folder.config, str(self._folder.path))
        places = find_weights(self._folder.weights, bert_graph.weight_shapes(shape))
        return bytes(bert_graph.build(shape, places, self._folder.weights.name).SerializeToString())

    def _verify(self, digest: Future[str] | None) -> None:
        if digest is not None and (found := digest.result()) != self._sha256:
            raise ModelError(
                f"{self._folder.weights} is damaged: its SHA-256 is {found}, expected {self._sha256}",
                hint="reinstall the package that holds the model",
            )


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(session: InferenceSession, rows: Sequence[Sequence[int]]) -> Vectors:
    """Hidden states of one batch, padded on the right: rows × longest × dimension."""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    hidden: Vectors = session.run(["hidden"], {"input_ids": ids, "attention_mask": mask})[0]
    return hidden


def _pool(hidden: Vectors, lengths: Sequence[int], pooling: str) -> Vectors:
    if pooling == "cls":
        return unit(hidden[:, 0])
    means = np.stack([row[:length].mean(axis=0) for row, length in zip(hidden, lengths, strict=True)])
    return unit(means)
