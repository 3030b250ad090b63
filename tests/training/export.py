"""The reader as an int8 ONNX file, and what the smaller numbers cost.

Weights are int8 by channel in a reduced range, activations are quantised as they come: whole tensors and the full range
lose too much on this encoder, whose values overflow where the processor adds pairs of products in 16 bits.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from tests.training.measuring import Measured, Read, Scores, measure
from tests.training.network import Reader, span_margin
from tests.training.tokens import Batch

_OPSET = 17
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS = ("score", "ends")
PASSAGES, PASSAGE_TOKENS, QUESTION_TOKENS = 20, 150, 12


@dataclass(frozen=True)
class Exported:
    """An exported file and what was seen of it."""

    path: Path
    sha256: str
    megabytes: float
    largest_difference: float
    cpu_seconds: float


def export(model: Reader, path: Path, *, int8: bool) -> Exported:
    """Writes ``path``; the largest difference is that of the scores to torch's in float32 over drawn tokens."""
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        _write(model, whole if int8 else path)
        if int8:
            _quantise(whole, path)
    session = open_session(path)
    batch = _drawn_batch()
    with torch.inference_mode():
        expected, _ = model(*(torch.from_numpy(value) for value in batch))
    feed = dict(zip(_INPUTS, batch, strict=True))
    difference = float(np.abs(session.run(None, feed)[0] - expected.numpy()).max())
    content = path.read_bytes()
    return Exported(
        path, hashlib.sha256(content).hexdigest(), len(content) / 1e6, difference, _cpu_seconds(session, feed)
    )


def _write(model: Reader, path: Path) -> None:
    model.eval()
    example = torch.ones(2, 16, dtype=torch.long)
    axes = {name: {0: "rows", 1: "tokens"} for name in (*_INPUTS, "ends")} | {"score": {0: "rows"}}
    torch.onnx.export(
        model,
        (example, example, example),
        str(path),
        dynamo=False,
        opset_version=_OPSET,
        input_names=list(_INPUTS),
        output_names=list(_OUTPUTS),
        dynamic_axes=axes,
    )


def _quantise(whole: Path, path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(str(whole), str(path), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


def open_session(path: Path) -> Any:
    """An onnxruntime session of one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def onnx_read(path: Path) -> Read:
    """Reads batches by onnxruntime."""
    session = open_session(path)

    def read(batch: Batch) -> tuple[Scores, Scores]:
        feed = dict(zip(_INPUTS, (batch.ids, batch.mask, batch.types), strict=True))
        scores, ends = session.run(None, feed)
        return scores.astype(np.float64), span_margin(torch.from_numpy(ends)).double().numpy()

    return read


def _drawn_batch() -> tuple[np.ndarray[Any, Any], ...]:
    """As many rows and tokens as a question with ``PASSAGES`` passages takes."""
    tokens = PASSAGE_TOKENS + QUESTION_TOKENS + 3
    ids = np.random.default_rng(0).integers(1_000, 20_000, (PASSAGES, tokens))
    ids[:, 0], ids[:, QUESTION_TOKENS + 1], ids[:, -1] = 101, 102, 102
    types = np.zeros_like(ids)
    types[:, QUESTION_TOKENS + 2 :] = 1
    return ids, np.ones_like(ids), types


def _cpu_seconds(session: Any, feed: dict[str, Any], times: int = 5) -> float:
    """The median processor time of one reading of the passages, in four batches of five."""
    parts = [
        {name: value[start : start + 5] for name, value in feed.items()}
        for start in range(0, len(feed["input_ids"]), 5)
    ]
    taken = []
    for _ in range(times):
        started = time.process_time()
        for part in parts:
            session.run(None, part)
        taken.append(time.process_time() - started)
    return sorted(taken)[times // 2]


def compare(exported: Path, whole: Path, measured: Measured) -> dict[str, tuple[float, float]]:
    """What each measure is by the whole numbers and by the small ones."""
    small, large = measure(onnx_read(exported), measured), measure(onnx_read(whole), measured)
    return {name: (large[name], small[name]) for name in large}
