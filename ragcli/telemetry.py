"""What libraries would tell their makers about their use, switched off before any of them is imported.

onnxruntime (from 1.32) writes a device id and a queue of events into the user's cache at its import and sends them from
longer runs; its switch is read at that moment, so a call afterwards comes too late. Processes that are started inherit
the switches. Spans of the ``anthropic`` library are switched off where its client is made.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

OFF: Mapping[str, str] = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime, which pymupdf and rapidocr bring along as well
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, and through it transformers and sentence-transformers
    "DO_NOT_TRACK": "1",  # whatever else keeps to the common sign
}


def switch_off() -> None:
    """Set the switches for this process and those it starts, whatever the environment says."""
    os.environ.update(OFF)
