"""The outcome of one evaluation, as it is printed, saved and compared: the schema ``rag.eval/1``."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragcli.codec import decode, encode
from ragcli.errors import ConfigError, reason
from ragcli.evaluate.judge.claims import JudgedClaim
from ragcli.regular_files import parse_json, read_named

SCHEMA = "rag.eval/1"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over cases with its interval. ``undefined`` cases have no value and are not in ``n``.

    ``mean``, ``low`` and ``high`` are None when no case has a value.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int = 0


@dataclass(frozen=True, slots=True)
class Loss:
    """Where a case was lost: the stage's name, what happened there, and the setting that acts on it."""

    stage: str
    detail: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case measured. A measure that has no meaning for the case (``contains`` without an answer) is None.

    ``retrieved`` are chunk ids in final order, ``expected`` the labels as written, ``ranks`` the rank at which each was
    found (None: not retrieved). ``found`` is None when no answer was asked for; ``claims`` are a judge's rulings on
    it. ``top_score`` is the score of the first hit, ``confidence`` the answer's. Times are milliseconds. ``items`` and
    ``relevance`` are the case's run and qrels, for export and curves; they are not saved.
    """

    id: str
    question: str
    measures: Mapping[str, float | None]
    lost_at: str | None = None
    loss: Loss | None = None
    retrieved: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    ranks: tuple[int | None, ...] = ()
    faults: tuple[str, ...] = ()
    answerable: bool = True
    expected_answer: tuple[str, ...] = ()
    answer: str | None = None
    found: bool | None = None
    cited: tuple[str, ...] = ()
    confidence: float | None = None
    top_score: float | None = None
    tags: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    claims: tuple[JudgedClaim, ...] = ()
    level: str = "document"
    where: str = ""
    items: tuple[str, ...] = ()
    relevance: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvalRun:
    """One evaluation of one golden set over one version of an index.

    ``golden_digest`` and ``corpus`` identify what was asked and what was searched; ``faults`` counts labels that no
    longer fit the corpus by kind. ``seconds`` holds the wall time of each part, ``latency_ms`` percentiles by stage.
    """

    golden: str
    golden_digest: str
    corpus: str
    cases: int
    index_version: str
    config_hash: str
    measures: Mapping[str, Estimate]
    by_tag: Mapping[str, Mapping[str, Estimate]]
    losses: Mapping[str, int]
    per_case: tuple[CaseResult, ...]
    faults: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    latency_ms: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
    judge: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def run_to_json(run: EvalRun) -> dict[str, Any]:
    """The run as plain JSON values, schema first."""
    content = encode(run)
    for case in content["per_case"]:
        del case["items"], case["relevance"]
    return {"schema": SCHEMA, **content}


def save_run(run: EvalRun, path: Path, **more: Any) -> None:
    """Writes the run beside ``path`` and renames it into place. Raises ConfigError when it cannot be written."""
    write_text(path, as_lines({**run_to_json(run), **more}))


def as_lines(content: Mapping[str, Any]) -> str:
    """A JSON object with a line for each key and for each case, so that two runs can be compared line by line."""
    parts = []
    for key, value in content.items():
        written = json.dumps(value, ensure_ascii=False)
        if key == "per_case":
            written = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in value) + "\n]"
        parts.append(f"{json.dumps(key)}: {written}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_text(path: Path, text: str) -> None:
    """Writes ``text`` whole or not at all. Raises ConfigError when it cannot be written."""
    aside = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(text, encoding="utf-8", errors="backslashreplace")  # names of files may be no valid text
        os.replace(aside, path)  # noqa: PTH105
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error


def load_run(path: Path) -> EvalRun:
    """A run saved before. Raises ConfigError when the file is missing or is not such a run."""
    try:
        content = parse_json(read_named(path))
    except FileNotFoundError as error:
        raise ConfigError(f"baseline {path} does not exist", hint="rag eval GOLDEN --save FILE makes one") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read baseline {path}: {reason(error)}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ConfigError(f"{path} holds {schema or 'no schema'}, expected {SCHEMA}")
    try:
        return decode(EvalRun, content)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ConfigError(f"{path} is not a whole run of {SCHEMA}: {error!r}") from error
