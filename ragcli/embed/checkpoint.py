"""Where a model's weights lie in its safetensors file, so that they are mapped from there and never copied.

The library that owns the format checks the file: its header is whole, and its tensors fill it without a hole. Their
order and sizes then say where each one starts. (Reading the arrays themselves through it copies all of them: 210 ms of
processor time and 170 MB for the packaged model, against 8 ms for mapping them.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragcli.errors import ModelError

_PREFIXES = ("", "bert.")
_BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8": 8, "U16": 16, "I16": 16, "F16": 16, "BF16": 16}
_BITS |= {"U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64}


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """A tensor's first byte in the file and how many bytes it has."""

    offset: int
    length: int


def find_weights(path: Path, wanted: Mapping[str, tuple[int, ...]]) -> dict[str, TensorPlace]:
    """The places of the ``wanted`` float32 tensors, by name and shape. Raises ModelError naming what differs."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.offset_keys()}
            kinds = {name: (str(part.get_dtype()), tuple(part.get_shape())) for name, part in slices.items()}
    except SafetensorError as error:
        raise ModelError(f"{path} is not a safetensors file: {error}") from error
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from error
    prefix = next((each for each in _PREFIXES if all(each + name in kinds for name in wanted)), None)
    if prefix is None:
        missing = sorted(name for name in wanted if name not in kinds)
        raise ModelError(f"{path}: {len(missing)} weights are missing, the first is {missing[0]!r}")
    for name, shape in wanted.items():
        _check(kinds[prefix + name], shape, f"{path}: {prefix + name}")
    places = _places(path, kinds)
    return {name: places[prefix + name] for name in wanted}


def _check(kind: tuple[str, tuple[int, ...]], shape: tuple[int, ...], where: str) -> None:
    if kind[0] != "F32":
        raise ModelError(
            f"{where} is {kind[0]}, the onnx backend reads F32", hint="set embed.backend: sentence-transformers"
        )
    if kind[1] != shape:
        raise ModelError(f"{where} has shape {list(kind[1])}, the configuration says {list(shape)}")


def _places(path: Path, kinds: dict[str, tuple[str, tuple[int, ...]]]) -> dict[str, TensorPlace]:
    """Every tensor's place, from the end of the file backwards: they lie in this order, without holes."""
    places: dict[str, TensorPlace] = {}
    end = path.stat().st_size
    for name, (kind, shape) in reversed(kinds.items()):
        if kind not in _BITS:
            raise ModelError(
                f"{path}: {name} is {kind}, the onnx backend reads F32", hint="set embed.backend: sentence-transformers"
            )
        length = math.prod(shape) * _BITS[kind] // 8
        end -= length
        places[name] = TensorPlace(end, length)
    return places
