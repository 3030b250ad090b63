"""Which documents a scope may see: filters, access groups and dates, looked up in the segments' postings.

The rules about time:

- a document whose ``effective_date`` is after the asked date is not yet effective, one whose ``expires`` is before it
  has expired;
- a document is superseded when another one that *the asker may see* names it in ``supersedes`` and was itself effective
  by the asked date. One the asker may not see changes nothing for the asker: its existence would show otherwise;
- a status such as ``superseded`` or ``draft`` hides a document whatever the date, except that a dated superseding
  document overrules ``superseded``: before its date the older one still stood.

Each is left out only when the scope does not include superseded documents, and counted when the asker could see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragcli.filters import META
from ragcli.index.segments.attributes import ACL
from ragcli.index.segments.filters import acl_values, matching_values, stored_key
from ragcli.records import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.index.segments.lookup import AttributeLookup
    from ragcli.index.segments.supersedes import References

REPLACED_STATUSES = frozenset({"superseded", "replaced", "obsolete", "outdated"})
HIDDEN_STATUSES = REPLACED_STATUSES | {"draft", "withdrawn", "retired", "revoked", "expired"}


@dataclass(frozen=True, eq=False)
class Selection:
    """Documents that may be seen: per segment a flag for each, or None for every living one.

    ``chunk_counts`` are the chunks selected in each segment, ``superseded_hidden`` the documents left out for their
    dates or status alone. ``access`` are the stored access sets that are open to the asker and ``languages`` those of
    the documents in them, whatever the filters; both None when everything is open.
    """

    segments: tuple[AttributeLookup, ...]
    living: tuple[NDArray[np.bool_] | None, ...]
    masks: tuple[NDArray[np.bool_] | None, ...]
    chunk_counts: tuple[int, ...]
    superseded_hidden: int
    access: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    _row_masks: dict[int, NDArray[np.bool_] | None] = field(default_factory=dict, repr=False)
    _rows: dict[int, NDArray[np.int64] | None] = field(default_factory=dict, repr=False)

    @property
    def count(self) -> int:
        """Chunks selected."""
        return sum(self.chunk_counts)

    @property
    def unrestricted(self) -> bool:
        """Whether every living document is selected."""
        return all(mask is None for mask in self.masks)

    def documents(self, place: int) -> NDArray[np.bool_] | None:
        """A flag per document of a segment, None when it is selected whole and none is dead."""
        mask = self.masks[place]
        return self.living[place] if mask is None else mask

    def rows(self, place: int) -> NDArray[np.int64] | None:
        """Selected chunk rows of a segment, ascending; None for all of them."""
        import numpy as np

        if place not in self._rows:
            mask = self.row_mask(place)
            self._rows[place] = None if mask is None else np.flatnonzero(mask)
        return self._rows[place]

    def row_mask(self, place: int) -> NDArray[np.bool_] | None:
        """A flag per chunk row of a segment, None for all."""
        import numpy as np

        if place not in self._row_masks:
            mask = self.documents(place)
            self._row_masks[place] = None if mask is None else np.repeat(mask, self.segments[place].sizes)
        return self._row_masks[place]

    def document_count(self) -> int:
        """Documents selected."""
        masks = [self.documents(place) for place in range(len(self.segments))]
        pairs = zip(masks, self.segments, strict=True)
        return sum(segment.document_count if mask is None else int(mask.sum()) for mask, segment in pairs)

    def document_numbers(self) -> list[int]:
        """Permanent number of the first chunk of every selected document."""
        found: list[int] = []
        for place, segment in enumerate(self.segments):
            mask = self.documents(place)
            found.extend((segment.numbers if mask is None else segment.numbers[mask]).tolist())
        return found


def select(
    segments: Sequence[AttributeLookup],
    living: Sequence[NDArray[np.bool_] | None],
    references: References,
    scope: Scope,
    *,
    today: str,
    default_acl: tuple[str, ...],
    closed: Sequence[NDArray[np.bool_]] | None = None,
) -> Selection:
    """What ``scope`` may see. ``living`` flags the documents that are not dead, None where all live; ``closed`` those
    that nobody in the scope may see, whatever their access was.

    Raises ConfigError for a filter that cannot be used.
    """
    visible = [_visible(segment, scope, default_acl) for segment in segments]
    if closed is not None:
        visible = [_both(mask, ~hidden) for mask, hidden in zip(visible, closed, strict=True)]
    seen = [_both(*pair) for pair in zip(visible, living, strict=True)]
    filtered = _filtered(segments, seen, scope)
    stale: list[NDArray[np.bool_] | None] = [None] * len(segments)
    if not scope.include_superseded:
        stale = _stale(segments, living, visible, references, scope.as_of or today)
    masks, hidden = [], 0
    for place in range(len(segments)):
        within = _both(_both(visible[place], filtered[place]), living[place])
        if stale[place] is not None:
            hidden += int(stale[place].sum()) if within is None else int((within & stale[place]).sum())  # type: ignore
        masks.append(_without(within, stale[place], living[place]))
    counts = [
        _chunk_count(segment, mask if mask is not None else living[place])
        for place, (segment, mask) in enumerate(zip(segments, masks, strict=True))
    ]
    everything = all(mask is None for mask in visible)
    return Selection(
        tuple(segments),
        tuple(living),
        tuple(masks),
        tuple(counts),
        hidden,
        None if everything else _open_sets(segments, scope, default_acl),
        None if everything else _languages(segments, seen),
    )


def _visible(segment: AttributeLookup, scope: Scope, default_acl: tuple[str, ...]) -> NDArray[np.bool_] | None:
    """The documents that the asker's groups open, None for all."""
    values = segment.values(ACL)
    allowed = acl_values(values, scope.groups, default_acl)
    return None if len(allowed) == len(values) else segment.marked(ACL, allowed)


def _open_sets(segments: Sequence[AttributeLookup], scope: Scope, default_acl: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        value for segment in segments for value in acl_values(segment.values(ACL), scope.groups, default_acl)
    )


def _languages(segments: Sequence[AttributeLookup], seen: Sequence[NDArray[np.bool_] | None]) -> frozenset[str]:
    return frozenset(
        value
        for segment, mask in zip(segments, seen, strict=True)
        for value in segment.values("lang")
        if bool((segment.marked("lang", [value]) & (True if mask is None else mask)).any())
    )


def _filtered(
    segments: Sequence[AttributeLookup], seen: Sequence[NDArray[np.bool_] | None], scope: Scope
) -> list[NDArray[np.bool_] | None]:
    """The documents that every filter lets through; ``seen`` are those of which the asker may know."""

    def known(key: str) -> bool:
        for segment, mask in zip(segments, seen, strict=True):
            holders = segment.marked(key, segment.values(key))
            if bool((holders if mask is None else holders & mask).any()):
                return True
        return False

    def meta_keys() -> list[str]:
        return sorted({key for segment in segments for key in segment.posting_keys() if key.startswith(META)})

    result: list[NDArray[np.bool_] | None] = [None] * len(segments)
    for item in scope.filters:
        key = stored_key(item, known, meta_keys)
        for place, segment in enumerate(segments):
            values, negated = matching_values(segment, key, item)
            mask = segment.marked(key, values)
            result[place] = _both(result[place], ~mask if negated else mask)
    return result


def _stale(
    segments: Sequence[AttributeLookup],
    living: Sequence[NDArray[np.bool_] | None],
    visible: Sequence[NDArray[np.bool_] | None],
    references: References,
    as_of: str,
) -> list[NDArray[np.bool_] | None]:
    """The documents that are superseded, expired, not yet effective or of a hidden status on that date."""
    found: list[NDArray[np.bool_] | None] = []
    by_reference = references.superseded(segments, living, visible, as_of)
    for place, segment in enumerate(segments):
        mask = segment.marked("status", _statuses(segment, HIDDEN_STATUSES))
        replaced, standing = by_reference[place]
        if len(standing):
            mask[_only_replaced(segment, standing)] = False
        mask[replaced] = True
        segment.mark("effective_date", segment.values("effective_date", as_of + "\uffff"), mask)
        segment.mark("expires", segment.values("expires", "", as_of), mask)
        found.append(mask if mask.any() else None)
    return found


def _only_replaced(segment: AttributeLookup, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of ``rows``, those whose status says no more than that something replaced them."""
    return rows[segment.marked("status", _statuses(segment, REPLACED_STATUSES))[rows]]


def _statuses(segment: AttributeLookup, wanted: frozenset[str]) -> list[str]:
    return [value for value in segment.values("status") if value.strip().casefold() in wanted]


def _both(first: NDArray[np.bool_] | None, second: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _without(
    within: NDArray[np.bool_] | None, stale: NDArray[np.bool_] | None, living: NDArray[np.bool_] | None
) -> NDArray[np.bool_] | None:
    """What is left, or None when that is every living document."""
    left = within if stale is None else (~stale if within is None else within & ~stale)
    if left is None or left is living or left.all():
        return None
    if living is not None and bool((left == living).all()):
        return None
    return left


def _chunk_count(segment: AttributeLookup, mask: NDArray[np.bool_] | None) -> int:
    return segment.chunk_count if mask is None else int(segment.sizes[mask].sum())
