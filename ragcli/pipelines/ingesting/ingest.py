"""Folders and files to staged documents: look for what changed, stage it, tell what was met and done."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.interfaces import Progress, Staging, StoreWriter
from ragcli.pipelines.ingesting.ingest_access import unmatched_rules
from ragcli.pipelines.ingesting.ingest_places import Place, find_place, place_notices, take_over_flags
from ragcli.pipelines.ingesting.ingest_result import IngestResult, result_of
from ragcli.pipelines.ingesting.ingest_scan import guard, guard_catalogue, scan_place
from ragcli.pipelines.ingesting.ingest_stage import Stager
from ragcli.records import Given, hidden_prefix


def ingest(
    paths: Sequence[Path],
    *,
    config: Config,
    writer: StoreWriter,
    meta: Mapping[str, str] | None = None,
    acl: Sequence[str] | None = None,
    force: bool = False,
    max_delete: float | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    today: datetime.date | None = None,
) -> IngestResult:
    """Bring the staged documents in line with the files under ``paths``.

    A file is parsed when its content, the parsers or their settings changed (``force``: always). Documents of files
    that are gone are removed, as long as a root loses no more than ``max_delete`` per cent of its documents. A file
    that is there but cannot be read keeps the documents it had. ``meta`` and ``acl`` hold for a path until others are
    given for it; an ``acl`` of no group takes those of before away. ``dry_run`` changes nothing.

    Raises ConfigError for a group without a name, SourceError for a missing path and for a loss over the limit,
    StoreError when what was ingested before is no longer known and ``max_delete`` is under 100.
    """
    started = time.monotonic()
    groups = _groups(acl)
    limit = config.ingest.max_delete if max_delete is None else max_delete
    guard_catalogue(writer.staging, writer.published_roots(), limit)
    staging = writer.staging
    if not dry_run:
        staging.keep_places()
    places = [find_place(staging, path, config.ingest, dry_run) for path in paths]
    notices = [] if dry_run else take_over_flags(staging, places, config.ingest)
    given, kept_flags = _flags(staging, places, dict(meta or {}), groups, dry_run)
    stager = Stager(config, writer, given, today or datetime.date.today(), progress)
    scans = [scan_place(place, staging, config.ingest, stager.key, force, stager.holds) for place in places]
    for scan in scans:
        guard(scan, limit)
    if not dry_run:
        stager.change(scans, force)
    notices += [*kept_flags, *stager.notices, *place_notices(staging, places)]
    notices += unmatched_rules(config.ingest.rules, staging) if not dry_run else []
    return result_of(scans, stager, staging, notices, time.monotonic() - started, dry_run)


def _groups(acl: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """The groups as given; one that stands alone is one group, not its letters."""
    if acl is None:
        return None
    groups = (acl,) if isinstance(acl, str) else tuple(acl)
    if not all(isinstance(group, str) and group.strip() for group in groups):
        hint = "name the group; --no-acl takes away the groups of an earlier ingest"
        raise ConfigError("--acl names no group: it would make the documents public", hint=hint, category="usage")
    return groups


def _flags(
    staging: Staging, places: Sequence[Place], meta: dict[str, str], acl: tuple[str, ...] | None, dry_run: bool
) -> tuple[dict[int, list[Given]], list[str]]:
    """The flags that hold in each root, with those given now, and notices of those that still hold."""
    flags: dict[int, list[Given]] = {}
    notices: list[str] = []
    for place in places:
        root_id = place.root.root_id
        known = flags.setdefault(root_id, staging.notes.given(root_id))
        if meta or acl is not None:
            before = next((given for given in known if given.prefix == place.under), Given(place.under, {}, ()))
            given = Given(place.under, meta or before.meta, before.acl if acl is None else acl)
            replaced = (place.under, hidden_prefix(place.under))
            known[:] = sorted([*(g for g in known if g.prefix not in replaced), given], key=lambda g: len(g.prefix))
            if acl is not None and not acl:
                notices.append(
                    f"{place.root.path}: --no-acl gives its documents no group; those that name none "
                    "themselves are public, unless index.default_acl says otherwise"
                )
            if not dry_run and root_id:
                staging.notes.put_given(root_id, given)
        elif any(given.acl or given.meta for given in known):
            notices.append(_kept_flags(place, known))
    return flags, notices


def _kept_flags(place: Place, known: Sequence[Given]) -> str:
    flags = [f"--acl {group}" for given in known for group in given.acl]
    flags += [f"--meta {key}={value}" for given in known for key, value in given.meta.items()]
    named = " ".join(dict.fromkeys(flags))
    return f"{place.root.path}: {named} still hold from an earlier ingest (--no-acl ends the groups)"
