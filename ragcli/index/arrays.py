"""Arrays in ``.npy`` files, mapped: whatever bytes a file holds, the outcome is the array expected or a StoreError."""

from __future__ import annotations

import tokenize
from pathlib import Path
from typing import Any

from ragcli.errors import StoreError

_HINT = "rag versions verify; rag index --rebuild"


def map_array(path: Path, kind: str, dimensions: int) -> Any:
    """The array in ``path``, mapped and read by nobody yet; a plain array: slicing a ``memmap`` is slow.

    Raises StoreError when the file is no sound array, holds Python objects, or is of another dtype (``kind``, such as
    ``<f4``) or number of dimensions.
    """
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, TypeError, OverflowError, SyntaxError, tokenize.TokenError) as error:
        # numpy parses the header as Python source, which can fail in all the ways that source can.
        raise StoreError(f"{path} cannot be read: {error}", hint=_HINT) from error
    if not isinstance(array, np.ndarray):
        raise StoreError(f"{path} holds several arrays, expected one", hint=_HINT)
    if array.dtype.str != kind or array.ndim != dimensions:
        found = f"{array.dtype.str} in {array.ndim} dimensions"
        raise StoreError(f"{path} holds {found}, expected {kind} in {dimensions}", hint=_HINT)
    return np.asarray(array)
