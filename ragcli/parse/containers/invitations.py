"""Events of a calendar (RFC 5545) as a person reads an invitation: what, when, where, who."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from ragcli.parse.assemble import clean, one_line

_KINDS = ("VEVENT", "VTODO", "VJOURNAL")
_MOMENTS = (("Start", "DTSTART"), ("End", "DTEND"), ("Due", "DUE"))
_ANSWERS = {"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative", "DELEGATED": "delegated"}


def read_calendar(text: str) -> list[str]:
    """A paragraph an event, its description after it; empty for what is no calendar."""
    from icalendar import Calendar

    try:
        calendars = Calendar.from_ical(clean(text).strip() + "\n", multiple=True)
    except (ValueError, IndexError, KeyError, RecursionError):
        return []
    found: list[str] = []
    for calendar in calendars:
        method = one_line(str(calendar.get("METHOD") or ""))
        for item in calendar.walk():
            if item.name in _KINDS:
                found.append("\n".join(_lines(item, method)))
                found += filter(None, [clean(str(item.get("DESCRIPTION") or "")).strip()])
    return found


def _lines(event: Any, method: str) -> Iterator[str]:
    yield f"Event: {one_line(str(event.get('SUMMARY') or 'without a name'))}"
    if method.upper() == "CANCEL" or str(event.get("STATUS") or "").upper() == "CANCELLED":
        yield "Status: cancelled"
    for name, key in _MOMENTS:
        if event.get(key) is not None:
            yield f"{name}: {_moment(event[key])}"
    if event.get("RRULE") is not None:
        rules = event["RRULE"] if isinstance(event["RRULE"], list) else [event["RRULE"]]
        yield "Repeats: " + "; ".join(rule.to_ical().decode("utf-8", "replace") for rule in rules)
    if place := one_line(str(event.get("LOCATION") or "")):
        yield f"Place: {place}"
    if event.get("ORGANIZER") is not None:
        yield f"Organizer: {_person(event['ORGANIZER'])}"
    people = event.get("ATTENDEE") or []
    if named := [_person(person) for person in (people if isinstance(people, list) else [people])]:
        yield f"Attendees: {'; '.join(named)}"
    if link := one_line(str(event.get("URL") or "")):
        yield f"Link: {link}"


def _moment(value: Any) -> str:
    """A date or a time, with the zone that it is written in; as it stands where it is neither."""
    try:
        moment = value.dt
    except (AttributeError, ValueError):
        return one_line(str(value))
    if not isinstance(moment, datetime.datetime):
        return str(moment)
    zone = one_line(str(value.params.get("TZID") or "")) or ("UTC" if moment.tzinfo is not None else "")
    return f"{moment:%Y-%m-%d %H:%M} {zone}".strip()


def _person(value: Any) -> str:
    address = one_line(str(value))
    address = address[7:] if address.lower().startswith("mailto:") else address
    params = getattr(value, "params", {})
    name, answer = one_line(str(params.get("CN") or "")), _ANSWERS.get(str(params.get("PARTSTAT") or "").upper())
    shown = f"{name} <{address}>" if name and name != address else address
    return f"{shown} ({answer})" if answer else shown
