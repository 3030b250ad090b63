from __future__ import annotations

import numpy as np
import pytest

from ragcli.embed import onnx_wire as wire


def test_bytes_follow_the_wire_format() -> None:
    # field 1, varint 300 is the protobuf guide's own example: 08 ac 02; a name is field 8, length-delimited (0x42)
    assert wire.external("w", (300,)).startswith(b"\x08\xac\x02\x10\x01\x42\x01w")
    # NodeProto: input 1 (0a), output 2 (12), name 3 (1a), op_type 4 (22); an int attribute: name 1, i 3, type 20 = INT
    assert wire.node("Erf", ["a"], "b", axis=1) == b"\x0a\x01a\x12\x01b\x1a\x01b\x22\x03Erf" + (
        b"\x2a\x0b\x0a\x04axis\x18\x01\xa0\x01\x02"
    )


def test_a_negative_attribute_is_ten_bytes_of_two_complement() -> None:
    assert b"\x18" + b"\xff" * 9 + b"\x01" in wire.node("Softmax", ["a"], "b", axis=-1)


@pytest.mark.parametrize("number", [1, 3, 17])
def test_onnxruntime_runs_what_is_written(number: int) -> None:
    import onnxruntime

    model = wire.model(
        [wire.node("Gemm", ["x", "w"], "wx", transB=1), wire.node("Mul", ["wx", "half"], "y")],
        [wire.value("x", wire.FLOAT, ("rows", 2))],
        [wire.value("y", wire.FLOAT, ("rows", number))],
        [wire.external("w", (number, 2)), wire.scalar("half", 0.5)],
    )
    weights = np.arange(2 * number, dtype=np.float32).reshape(number, 2)
    options = onnxruntime.SessionOptions()
    options.add_external_initializers(["w"], [onnxruntime.OrtValue.ortvalue_from_numpy(weights)])
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    x = np.array([[1, 2], [3, -4], [0, 1]], np.float32)
    np.testing.assert_allclose(session.run(["y"], {"x": x})[0], x @ weights.T / 2)
