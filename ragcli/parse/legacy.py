"""Old .doc and .ppt files, through LibreOffice where it is installed; macros never run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragcli.errors import ParseError
from ragcli.parse import conditions
from ragcli.parse.source import Context, Outcome, Source

_TARGETS = {"application/msword": ("doc", "docx"), "application/vnd.ms-powerpoint": ("ppt", "pptx")}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """The converted file as a source. Raises ParseError when LibreOffice is missing or fails."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    old, new = _TARGETS[source.media_type]
    context.conditions.add(conditions.program("soffice"))
    if program is None:
        hint = f"install LibreOffice, or save it as .{new}"
        raise ParseError(
            f"{source.doc_id}: old .{old} files are read through LibreOffice, which is not here", hint=hint
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"source.{old}"
        path.write_bytes(source.data)
        command = [program, "--headless", "--norestore", f"-env:UserInstallation=file://{folder}/profile"]
        command += ["--convert-to", new, "--outdir", folder, str(path)]
        try:
            timeout = context.config.timeout_seconds or None
            subprocess.run(command, capture_output=True, timeout=timeout, check=True)
            data = path.with_suffix(f".{new}").read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise ParseError(f"{source.doc_id}: LibreOffice could not convert it: {error}") from error
    yield Source(source.doc_id, data)
