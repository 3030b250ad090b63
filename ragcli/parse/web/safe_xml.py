"""The one way XML is read: no entity is expanded, nothing is fetched, sizes stay within libxml2's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element


def read_xml(data: bytes, *, recover: bool = False) -> _Element | None:
    """The root element; None when ``recover`` finds nothing. Raises ``lxml.etree.XMLSyntaxError`` without it."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, recover=recover
    )
    root: _Element | None = etree.fromstring(data, parser)
    return root
