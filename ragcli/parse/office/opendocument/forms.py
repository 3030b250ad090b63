"""The controls of OpenDocument's forms as they show: ticked or not, the entry that is chosen, the text in a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.parse.assemble import one_line
from ragcli.parse.office.opendocument.package import DRAW, FORM, OFFICE

if TYPE_CHECKING:
    from lxml.etree import _Element

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_BOXES = (FORM + "checkbox", FORM + "radio")


class Controls:
    """The controls of one document by id."""

    def __init__(self, content: _Element) -> None:
        self._controls = {
            str(name): control
            for forms in content.iter(OFFICE + "forms")
            for control in forms.iter()
            if (name := control.get(FORM + "id") or control.get(_ID))
        }

    def shown(self, place: _Element) -> str:
        """What the control that stands in a place shows, its label included."""
        control = self._controls.get(place.get(DRAW + "control") or "")
        if control is None:
            return ""
        label = one_line(control.get(FORM + "label") or "")
        if control.tag in _BOXES:
            state = control.get(FORM + "current-state") or control.get(FORM + "state")
            selected = control.get(FORM + "current-selected") or control.get(FORM + "selected")
            return f"{'☒' if state == 'checked' or selected == 'true' else '☐'} {label}".strip()
        chosen = [
            option.get(FORM + "label") or ""
            for option in control.iter(FORM + "option")
            if (option.get(FORM + "current-selected") or option.get(FORM + "selected")) == "true"
        ]
        value = ", ".join(chosen) or control.get(FORM + "current-value") or control.get(FORM + "value") or ""
        return ": ".join(filter(None, (label, one_line(value))))
