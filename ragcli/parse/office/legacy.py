"""Old .doc and .ppt files, through LibreOffice where it is; macros never run, links are not followed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragcli.errors import ParseError
from ragcli.parse import conditions
from ragcli.parse.source import Context, Outcome, Source

_TARGETS = {"application/msword": ("doc", "docx"), "application/vnd.ms-powerpoint": ("ppt", "pptx")}
_SAFE = {"MacroSecurityLevel": 3, "DisableMacrosExecution": "true", "BlockUntrustedRefererLinks": "true"}
_SAFE |= {"DisableActiveContent": "true"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """The converted file as a source. Raises ParseError when LibreOffice is missing, fails or takes too long."""
    office = shutil.which("soffice") or shutil.which("libreoffice")
    old, new = _TARGETS[source.media_type]
    context.conditions.add(conditions.program("soffice"))
    if office is None:
        hint = f"install LibreOffice, or save it as .{new}"
        raise ParseError(
            f"{source.doc_id}: old .{old} files are read through LibreOffice, which is not here", hint=hint
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"source.{old}"
        path.write_bytes(source.data)
        _write_profile(Path(folder) / "profile")
        command = [office, "--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]
        command += [
            f"-env:UserInstallation=file://{folder}/profile",
            "--convert-to",
            new,
            "--outdir",
            folder,
            str(path),
        ]
        seconds = context.config.timeout_seconds or None
        complaint = _run(command, seconds, Path(folder))
        if complaint is None:
            context.conditions.add(conditions.setting("timeout_seconds"))
            raise ParseError(f"{source.doc_id}: LibreOffice took longer than ingest.timeout_seconds = {seconds:g}")
        try:
            data = path.with_suffix(f".{new}").read_bytes()
        except OSError as error:
            told = f": {complaint}" if complaint else ""
            raise ParseError(f"{source.doc_id}: LibreOffice could not convert it{told}") from error
    context.tick()
    yield Source(source.doc_id, data)


def _run(command: Sequence[str], seconds: float | None, home: Path) -> str | None:
    """Its last complaint (or ``""``) once it ended; None when it was killed, with all it had started, for its time.

    What it keeps for a user (settings, caches) goes to the folder ``home``.
    """
    own = {"HOME": str(home), "GSETTINGS_BACKEND": "memory"}
    own |= {name: str(home) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=home,
        env=os.environ | own,
    ) as process:
        try:
            _, complaints = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return None
    return " ".join(complaints.decode("utf-8", "replace").split())[-200:]


def _write_profile(profile: Path) -> None:
    """A profile of its own for one run, in which nothing of a document is executed or fetched."""
    items = "".join(
        '<item oor:path="/org.openoffice.Office.Common/Security/Scripting">'
        f'<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for name, value in _SAFE.items()
    )
    user = profile / "user"
    user.mkdir(parents=True)
    head = '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    (user / "registrymodifications.xcu").write_text(f"{head}{items}</oor:items>", encoding="utf-8")
