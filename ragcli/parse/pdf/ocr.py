"""Text from pictures: tesseract where it is installed, else RapidOCR from the ``ocr`` extra."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import clean
from ragcli.parse.pdf.lines import Line

MIN_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Recognised:
    """A line that was read, its box in pixels (left, top, right, bottom)."""

    text: str
    box: tuple[float, float, float, float]

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]

    def line(self, scale: float = 1.0) -> Line:
        """The line on a page that is ``scale`` times as large as the picture."""
        x0, y0, x1, y1 = (side * scale for side in self.box)
        return Line(x0, y0, x1, y1, clean(self.text), 0.8 * (y1 - y0))


Recogniser = Callable[[bytes], list[Recognised]]
"""Reads the picture in a PNG (or JPEG, TIFF …) file; raises ParseError when it cannot."""


@functools.cache
def engine_for(languages: tuple[str, ...]) -> Recogniser | None:
    """The engine to use for languages named as tesseract names them; None when none is installed."""
    program = shutil.which("tesseract")
    if program is not None and set(languages) <= _tesseract_languages(program):
        return functools.partial(_tesseract, program, "+".join(languages))
    return _rapid()


def _tesseract_languages(program: str) -> set[str]:
    try:
        listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return set()
    return set(listed.stdout.split()[1:])


def _tesseract(program: str, languages: str, picture: bytes) -> list[Recognised]:
    command = [program, "stdin", "stdout", "-l", languages, "--psm", "3", "tsv"]
    try:
        done = subprocess.run(command, input=picture, capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise ParseError(f"tesseract failed: {error}") from error
    lines: dict[tuple[str, ...], list[list[str]]] = {}
    for row in done.stdout.decode("utf-8", "replace").splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) == 12 and cells[0] == "5" and cells[11].strip() and float(cells[10]) >= 100 * MIN_CONFIDENCE / 2:
            lines.setdefault(tuple(cells[1:5]), []).append(cells)
    return [_tesseract_line(words) for words in lines.values()]


def _tesseract_line(words: list[list[str]]) -> Recognised:
    boxes = [tuple(map(float, cells[6:10])) for cells in words]
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return Recognised(" ".join(cells[11] for cells in words), (left, top, right, bottom))


def _rapid() -> Recogniser | None:
    try:
        from rapidocr import RapidOCR
    except ModuleNotFoundError:
        return None
    one_thread = {f"EngineConfig.onnxruntime.{name}_op_num_threads": 1 for name in ("intra", "inter")}
    return functools.partial(_rapid_lines, RapidOCR(params={**one_thread, "Global.log_level": "error"}))


def _rapid_lines(engine: Any, picture: bytes) -> list[Recognised]:
    try:
        found = engine(picture)
    except (ValueError, TypeError, RuntimeError, OSError) as error:
        raise ParseError(f"RapidOCR failed: {error}") from error
    if found.boxes is None or found.txts is None:
        return []
    return [
        Recognised(str(text), (float(box[0][0]), float(box[0][1]), float(box[2][0]), float(box[2][1])))
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if score >= MIN_CONFIDENCE
    ]
