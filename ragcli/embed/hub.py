"""Where a named model's files are: a local folder, or a snapshot of a model hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragcli.embed.model_folder import folder_revision
from ragcli.errors import ModelError

_SETTINGS = ("*.json", "*/config.json", "*.txt", "*.model")


@dataclass(frozen=True)
class FoundModel:
    """A folder that holds at least a model's settings, and what its content is called."""

    path: Path
    revision: str


def find_model(name: str, revision: str, *, offline: bool) -> FoundModel:
    """The settings of model ``name``; fetched from the hub when it is no folder, and never when ``offline``.

    Raises ModelError saying whether the name, the network or the offline mode is in the way (``not_on_this_machine``).
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return FoundModel(path, folder_revision(path))
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise ModelError(f"model folder {name} does not exist", hint="check embed.model")
    snapshot = _snapshot(name, revision, offline=offline)
    return FoundModel(snapshot, snapshot.name)


def _snapshot(name: str, revision: str, *, offline: bool) -> Path:
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repository = name if "/" in name else f"sentence-transformers/{name}"
    local_only = offline or constants.HF_HUB_OFFLINE
    try:
        folder = snapshot_download(
            repository, revision=revision or None, allow_patterns=list(_SETTINGS), local_files_only=local_only
        )
    except LocalEntryNotFoundError as error:
        why = "offline mode is on" if local_only else "the model hub cannot be reached"
        raise ModelError(
            f"the model {repository!r} is not on this machine and {why}",
            hint="fetch it once with a network and without RAG_OFFLINE, or set embed.model to a local folder",
            category="not_on_this_machine",
        ) from error
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(
            f"the model hub does not give {repository!r}: {reason}", hint="check embed.model and embed.revision"
        ) from error
    return Path(folder)
