"""A safetensors checkpoint as arrays over the mapped file: nothing is read until it is used, nothing is copied.

Format: 8 bytes little-endian header length, a JSON header, then the values (https://github.com/huggingface/safetensors).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError

_PREFIXES = ("", "bert.")


def map_weights(path: Path, wanted: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """The ``wanted`` float32 arrays, by name and shape. Raises ModelError naming what is missing or differs."""
    header, start = _read_header(path)
    values = np.memmap(path, dtype=np.uint8, mode="r")
    prefix = next((each for each in _PREFIXES if all(each + name in header for name in wanted)), None)
    if prefix is None:
        missing = sorted(name for name in wanted if name not in header)
        raise ModelError(f"{path}: {len(missing)} weights are missing, the first is {missing[0]!r}")
    return {
        name: _view(values, start, header[prefix + name], shape, f"{path}: {name}") for name, shape in wanted.items()
    }


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > path.stat().st_size:
                raise ValueError(f"a header of {length} bytes in a file of {path.stat().st_size}")
            header = json.loads(file.read(length))
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from error
    except (struct.error, ValueError) as error:
        raise ModelError(f"{path} is not a safetensors file: {error}") from error
    return header, 8 + length


def _view(
    values: NDArray[np.uint8], start: int, entry: Mapping[str, Any], shape: tuple[int, ...], where: str
) -> NDArray[np.float32]:
    if entry["dtype"] != "F32":
        raise ModelError(
            f"{where} is {entry['dtype']}, the onnx backend reads F32",
            hint="set embed.backend: sentence-transformers",
        )
    if tuple(entry["shape"]) != shape:
        raise ModelError(f"{where} has shape {entry['shape']}, the configuration says {list(shape)}")
    first, last = entry["data_offsets"]
    part = values[start + first : start + last]
    if len(part) != 4 * int(np.prod(shape)):
        raise ModelError(f"{where} is cut off: {len(part)} bytes of {4 * int(np.prod(shape))}")
    return part.view(np.float32).reshape(shape)
