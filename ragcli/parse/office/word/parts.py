"""What a Word package holds beside the body: charts, SmartArt, embedded texts and files, notes, headers and footers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ragcli.parse.web.safe_xml import read_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_EMBEDDED = ("/package", "/oleObject", "/control")


class PackageParts:
    """The parts that the main part of a package relates to."""

    def __init__(self, part: Any) -> None:
        """``part`` is the package's main part, as its library opened it."""
        self._relations = dict(part.rels.items())
        self.name = str(part.partname).lstrip("/")

    @property
    def targets(self) -> dict[str, str]:
        """The addresses outside the package by relation."""
        return {name: str(found.target_ref) for name, found in self._relations.items() if found.is_external}

    def data(self, name: str | None) -> tuple[str, str, bytes] | None:
        """Path, media type and bytes of the part of that relation; None when there is none in the package."""
        relation = self._relations.get(name or "")
        if relation is None or relation.is_external:
            return None
        part = relation.target_part
        return str(part.partname).lstrip("/"), str(part.content_type), bytes(part.blob or b"")

    def root(self, name: str | None) -> _Element | None:
        """The root element of the part of that relation; None when there is none, or it is damaged."""
        relation = self._relations.get(name or "")
        parsed = None if relation is None or relation.is_external else getattr(relation.target_part, "element", None)
        if parsed is not None:
            element: _Element = parsed
            return element
        found = self.data(name)
        return read_xml(found[2], recover=True) if found and found[2] else None

    def of_kind(self, *kinds: str) -> Iterator[_Element]:
        """The root elements of the parts of these kinds (``footnotes``, ``header``), in order of their relations."""
        endings = tuple(f"/{kind}" for kind in kinds)
        for name, relation in self._in_order():
            if not relation.is_external and str(relation.reltype).endswith(endings):
                root = self.root(name)
                if root is not None:
                    yield root

    def first(self, kind: str) -> Iterable[_Element]:
        """The root element of the part of that kind, nothing to walk when there is none."""
        return next(self.of_kind(kind), ())

    @property
    def embedded(self) -> tuple[str, ...]:
        """The paths of files inside the document (sheets, presentations, objects of other programs)."""
        found = (
            str(relation.target_part.partname).lstrip("/")
            for _, relation in self._in_order()
            if not relation.is_external and str(relation.reltype).endswith(_EMBEDDED)
        )
        return tuple(dict.fromkeys(found))

    def _in_order(self) -> list[tuple[str, Any]]:
        return sorted(self._relations.items(), key=lambda item: str(item[0]))
