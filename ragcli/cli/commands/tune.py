"""``rag tune``: fit the threshold under which an answer is withheld, and say what that gains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import AsOf, At, Groups, IncludeSuperseded, RetrievalOptions
from ragcli.codec import encode
from ragcli.config import FILE_NAME, Config
from ragcli.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from ragcli.answer.calibration import Balance, Tuned


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ("rag tune golden.jsonl", "rag tune golden.jsonl --write --as hr")
    app.command("tune", epilog=epilog(*examples, codes=(ExitCode.MODEL, ExitCode.INDEX)))(tune)


def tune(
    context: typer.Context,
    golden: Annotated[Path, typer.Argument(metavar="GOLDEN.jsonl", help="Questions with and without an answer.")],
    write: Annotated[bool, typer.Option("--write", help="Write the threshold into rag.yaml.")] = False,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    at: At = None,
) -> None:
    """Fit answer.min_confidence on a golden set, cross-validated, with the gain and its interval."""
    run = invocation(context)
    index = run.index_with(at=at)
    options = RetrievalOptions(groups=groups, as_of=as_of, include_superseded=include_superseded, at=at)
    with progress(run) as show:
        found = index.tune(golden, progress=show, **options.scope())
    path = _write(index.config, found.threshold) if write else None
    content = {"schema": "rag.tune/1", "setting": "answer.min_confidence", **encode(found)}
    run.output.result(content | {"written": str(path) if path else None}, lambda: _text(found, path))
    if not found.is_better:
        run.output.notice("the interval of the gain holds zero: the present threshold may be as good")


def _write(config: Config, threshold: float) -> Path:
    """Put the threshold into the settings file, or into a new one. Raises ConfigError when it cannot be written."""
    from ragcli.config.editing import with_setting

    path = config.file or config.base / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(with_setting(text, "answer", "min_confidence", f"{threshold:.4f}"), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    return path


def _text(found: Tuned, path: Path | None) -> str:
    lines = [
        f"answer.min_confidence: {found.threshold:.4f} fitted, {found.current:.4f} now",
        f"on {found.answerable} answerable and {found.unanswerable} unanswerable questions",
        f"now:    {_balance(found.before)}",
        f"fitted: {_balance(found.after)}",
        f"gain in balanced accuracy, cross-validated: {found.gain:+.4f} ({found.low:+.4f} to {found.high:+.4f})",
    ]
    return "\n".join([*lines, f"{path} written" if path else "--write puts it into rag.yaml"])


def _balance(found: Balance) -> str:
    shares = f"{found.answered:.1%} answered, {found.declined:.1%} declined"
    return f"balanced accuracy {found.balanced_accuracy:.4f}, {shares}"
