"""What every backend does with rows of tokens and of vectors."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

_LOG = logging.getLogger(__name__)


def unit(rows: Vectors) -> Vectors:
    """Rows of length 1; a row of zeros stays as it is."""
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)


def report_cut(lengths: Sequence[int], window: int) -> None:
    """Warn of texts that the model will not read to their end; chunking makes none."""
    too_long = sum(length > window for length in lengths)
    if too_long:
        _LOG.warning("%d of %d texts are longer than the %d tokens the model reads", too_long, len(lengths), window)
