"""Who may see a text that stands in several files: only who may by every one of them.

A closed document whose copy lies in an open folder would be public by that copy. So the copy is closed as well, for as
long as the closed one is there. Each document's own access, as its file, the rules and the flags give it, is read again
when it is needed: what is staged is what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ragcli.errors import AccessError
from ragcli.interfaces import Staging
from ragcli.parse.access import strictest
from ragcli.parse.duplicates import family_of
from ragcli.records import Document, Look

Own = Callable[[Look], Document | None]
"""A document as its own file gives it, None when that cannot be read now."""
GroupNames = tuple[str, ...]


class CopyAccess:
    """The access left to the copies of each text.

    ``families`` are those in which copies must be sought anew, ``stale`` the documents that stand for fewer copies
    than before, ``notices`` what the user should know.
    """

    def __init__(self, staging: Staging, own: Own) -> None:
        self._staging, self._own = staging, own
        self._looks: dict[str, list[Look]] = {}
        self._known: dict[str, GroupNames] = {}
        self.families: set[str] = set()
        self.stale: set[str] = set()
        self.notices: list[str] = []

    def settle(self, taken: Collection[str], fresh: Mapping[str, GroupNames]) -> None:
        """Bring the staged documents in line; ``taken`` are hashes of texts of which a document went or changed.

        ``fresh`` gives the own access of documents that were staged just now.
        """
        self._known |= fresh
        self._looks = self._staging.notes.same_text(taken)
        for exact in sorted(self._looks):
            looks = self._looks[exact]
            if exact in taken or len({look.family for look in looks}) > 1:
                for look in looks:
                    self._narrow(look)

    def narrowed(self, look: Look, document: Document) -> Document:
        """A document read anew, with the access that its copies leave it."""
        return replace(document, metadata=replace(document.metadata, acl=self._left(look, document.metadata.acl)))

    def _narrow(self, look: Look) -> None:
        document = self._staging.document(look.doc_id) if look.kept is None else self._own(look)
        if document is None:
            return
        left = self._left(look, self._own_groups(look))
        changed = replace(document, metadata=replace(document.metadata, acl=left))
        family = family_of(changed)
        if family == look.family and changed == document:
            return
        self.families |= {family, look.family}
        if look.kept is None:
            self._staging.put_document(changed, root_id=look.root_id, relative=look.relative)
        else:
            self.stale.add(look.kept)
        self._staging.notes.put_look(replace(look, family=family))
        if left != self._own_groups(look):
            self.notices.append(f"{look.doc_id}: only for {', '.join(left)}, because a copy of it is")

    def _left(self, look: Look, own: GroupNames) -> GroupNames:
        mates = [mate for mate in self._looks.get(look.exact, ()) if mate.doc_id != look.doc_id]
        return access_left(own, [self._own_groups(mate) for mate in mates])

    def _own_groups(self, look: Look) -> GroupNames:
        if look.doc_id not in self._known:
            document = self._own(look)
            if document is None and look.kept is None:
                document = self._staging.document(look.doc_id)
            self._known[look.doc_id] = document.metadata.acl if document is not None else ()
        return self._known[look.doc_id]


def access_left(own: GroupNames, others: Sequence[GroupNames]) -> GroupNames:
    """The groups that may see a text which is ``own`` here and for ``others`` elsewhere; pure.

    Where nobody is left, a closed copy stays with its own groups, who see no more by that than they were given, and an
    open one goes to all who see a closed one anyway.
    """
    try:
        return strictest([own, *others], "")
    except AccessError:
        return own or tuple(dict.fromkeys(group for groups in others for group in groups))
