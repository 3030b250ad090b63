"""``rag doctor``: settings, models, API and index checked; each line says what to do."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import typer

from ragcli import plugins
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.config import Config
from ragcli.display import one_line
from ragcli.errors import ExitCode, RagError

if TYPE_CHECKING:
    from ragcli import Index


@dataclass(frozen=True)
class Check:
    """One line: ``fault`` fails the run, ``note`` is a thing that some will miss."""

    name: str
    state: Literal["ok", "note", "fault"]
    message: str
    hint: str = ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog=epilog("rag doctor", "rag doctor --json", codes=(ExitCode.GATE,)))(doctor)


def doctor(context: typer.Context) -> None:
    """Check settings, models, API reachability and the index; exit 1 when something is at fault."""
    run = invocation(context)
    checks = list(_checks(run))
    faults = [check for check in checks if check.state == "fault"]
    content = {"schema": "rag.doctor/1", "passed": not faults, "checks": [vars(check) for check in checks]}
    run.output.result(content, lambda: "\n".join(_line(check) for check in checks))
    if faults:
        raise typer.Exit(ExitCode.GATE)


def _line(check: Check) -> str:
    hint = f"\n       → {check.hint}" if check.hint and check.state != "ok" else ""
    return f"{check.state:<5}  {one_line(f'{check.name}: {check.message}')}{hint}"


def _checks(run: Invocation) -> Iterator[Check]:
    try:
        config = run.config()
    except RagError as error:
        yield Check("settings", "fault", error.message, error.hint)
        return
    yield Check("settings", "ok", f"read from {config.file}" if config.file else "defaults; no rag.yaml found")
    index = run.index_with()
    yield _tried("embedding model", lambda: _embedding(index))
    yield from _index(index)
    yield _tried("reranker", lambda: _reranker(index))
    yield _provider(index)
    yield from _parts()
    yield _ocr(config)
    yield _office()


def _tried(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", check())
    except RagError as error:
        return Check(name, "fault", error.message, error.hint)


def _embedding(index: Index) -> str:
    index.models.forget_weights()
    embedder = index.models.embedder()
    vector = embedder.queries(["Does the model run?"])
    return f"{embedder.info.model} gives vectors of {vector.shape[1]} numbers, window {embedder.info.window} tokens"


def _index(index: Index) -> Iterator[Check]:
    try:
        version = index.reader.engine.version
    except RagError as error:
        yield Check("index", "fault", error.message, error.hint)
        return
    faults = index.versions.verify().faults
    hint = "rag versions list, then rag versions use an earlier one, or rag index --rebuild"
    if faults:
        yield Check("index", "fault", f"{version}: {'; '.join(faults)}", hint)
    else:
        yield Check("index", "ok", f"{index.store.location} {version}, every hash agrees")
    yield from _roots(index)
    yield _tried("index and model", lambda: f"{index.reader.embedder.info.model} made the vectors of {version}")


def _roots(index: Index) -> Iterator[Check]:
    gone = index.gone_roots()
    for root in gone:
        message = f"{root} is gone, but what was read from it is still served"
        hint = f"rag ingest its new place if it was moved, rag forget '{root}' if it was deleted"
        yield Check("sources", "note", message, hint)
    if not gone:
        yield Check("sources", "ok", f"all {len(index.reader.engine.roots)} ingested folders and files are there")


def _reranker(index: Index) -> str:
    found = index.models.reranker(index.models.embedder)
    if found is None:
        return "none (rerank.method)"
    found.scores("Does the model run?", ["It does."])
    return found.name


def _provider(index: Index) -> Check:
    settings = index.config.answer
    if not settings.by_model:
        offline = ", offline" if settings.provider == "extractive" else ""
        return Check("answers", "ok", f"{settings.provider}{offline}")
    return _tried("answers", index.models.reach)


def _parts() -> Iterator[Check]:
    """What other packages bring; nothing of it is loaded."""
    for group in plugins.GROUPS:
        found = plugins.installed(group)
        yield Check(f"other {group.partition('.')[2]}", "ok", ", ".join(map(str, found)) or "none installed")


def _ocr(config: Config) -> Check:
    if config.ingest.ocr == "off":
        return Check("OCR", "ok", "off (ingest.ocr)")
    if shutil.which("tesseract") or importlib.util.find_spec("rapidocr"):
        return Check("OCR", "ok", "installed")
    return Check("OCR", "note", "not installed: scanned pages are named, not read", "apt-get install tesseract-ocr")


def _office() -> Check:
    if shutil.which("soffice") or shutil.which("libreoffice"):
        return Check("LibreOffice", "ok", "installed")
    message = "not installed: old .doc, .xls and .ppt files are named, not read"
    return Check("LibreOffice", "note", message, "apt-get install libreoffice")
