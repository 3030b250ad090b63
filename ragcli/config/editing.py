"""One setting changed in the text of a settings file, everything else (comments, order) left as it is. Pure."""

from __future__ import annotations

import re


def with_setting(text: str, section: str, key: str, written: str) -> str:
    """``text`` with ``section.key: written``, in its old place, or as the section's first key, or in a new section."""
    lines = text.splitlines(keepends=True)
    head = next((n for n, line in enumerate(lines) if re.match(rf"{re.escape(section)}\s*:", line)), None)
    if head is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{section}:\n  {key}: {written}\n"
    indent = "  "
    for number in range(head + 1, len(lines)):
        line = lines[number]
        if line.strip() and not line[0].isspace() and not line.startswith("#"):
            break
        if match := re.match(rf"(\s+){re.escape(key)}\s*:", line):
            comment = re.search(r"\s+#.*$", line.rstrip("\n"))
            lines[number] = f"{match[1]}{key}: {written}{comment.group() if comment else ''}\n"
            return "".join(lines)
        if found := re.match(r"(\s+)[\w-]+\s*:", line):
            indent = found[1]
    lines[head] = lines[head].rstrip("\n") + "\n"
    lines.insert(head + 1, f"{indent}{key}: {written}\n")
    return "".join(lines)
