"""Writes the few ONNX messages that a model graph needs, in protobuf's wire format.

A graph is a small, fixed structure; writing its bytes here keeps the ``onnx`` package and ``torch`` out of every
process that embeds. Field numbers are those of ``onnx.proto3`` (IR version 8, operator set 17).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

FLOAT, INT64 = 1, 7
IR_VERSION, OPSET = 8, 17
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7
_EXTERNAL = 1

Attribute = int | float | Sequence[int]
Dimension = int | str


def model(nodes: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes], tensors: Iterable[bytes]) -> bytes:
    """A ModelProto around one graph."""
    graph = b"".join(
        [
            *(_message(1, node) for node in nodes),
            _text(2, "encoder"),
            *(_message(5, tensor) for tensor in tensors),
            *(_message(11, value) for value in inputs),
            *(_message(12, value) for value in outputs),
        ]
    )
    return _number(1, IR_VERSION) + _text(2, "ragcli") + _message(7, graph) + _message(8, _number(2, OPSET))


def node(operator: str, inputs: Sequence[str], output: str, **attributes: Attribute) -> bytes:
    """A NodeProto with one output, named after it."""
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, output), _text(3, output), _text(4, operator)]
    parts += [_message(5, _attribute(name, value)) for name, value in sorted(attributes.items())]
    return b"".join(parts)


def value(name: str, kind: int, shape: Sequence[Dimension]) -> bytes:
    """A ValueInfoProto: an input or output; a text dimension may have any length."""
    dimensions = b"".join(_message(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    tensor = _number(1, kind) + _message(2, dimensions)
    return _text(1, name) + _message(2, _message(1, tensor))


def constant(name: str, values: Sequence[int]) -> bytes:
    """A one-dimensional int64 TensorProto that holds its values."""
    raw = struct.pack(f"<{len(values)}q", *values)
    return _number(1, len(values)) + _number(2, INT64) + _text(8, name) + _message(9, raw)


def scalar(name: str, number: float) -> bytes:
    """A float TensorProto without dimensions."""
    return _number(2, FLOAT) + _text(8, name) + _message(9, struct.pack("<f", number))


def external(name: str, shape: Sequence[int]) -> bytes:
    """A float TensorProto whose values the session is given when it starts."""
    entries: Mapping[str, str] = {"location": "weights", "offset": "0", "length": str(4 * _product(shape))}
    parts = [_number(1, size) for size in shape]
    parts += [_number(2, FLOAT), _text(8, name)]
    parts += [_message(13, _text(1, key) + _text(2, item)) for key, item in entries.items()]
    return b"".join([*parts, _number(14, _EXTERNAL)])


def _attribute(name: str, item: Attribute) -> bytes:
    if isinstance(item, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", item) + _number(20, _ATTRIBUTE_FLOAT)
    if isinstance(item, int):
        return _text(1, name) + _number(3, item) + _number(20, _ATTRIBUTE_INT)
    return _text(1, name) + b"".join(_number(8, number) for number in item) + _number(20, _ATTRIBUTE_INTS)


def _product(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def _message(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(content)) + content


def _text(tag: int, content: str) -> bytes:
    return _message(tag, content.encode())


def _number(tag: int, number: int) -> bytes:
    return _varint(tag << 3) + _varint(number & 0xFFFF_FFFF_FFFF_FFFF)


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
