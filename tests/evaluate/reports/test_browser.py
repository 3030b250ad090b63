"""The page in a real headless browser: laid out, readable in both themes, nothing cut off, nothing fetched."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.reports.page import to_html
from tests.evaluate.runs import example

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (found := shutil.which(name))),
    None,
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on this machine")

PROBE = """<script>
addEventListener("load", () => {
  const box = element => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
  const plain = element => getComputedStyle(element);
  const cut = [...document.querySelectorAll("svg text")].filter(text => {
    const b = text.getBoundingClientRect(), s = text.ownerSVGElement.getBoundingClientRect();
    return b.left < s.left - 1 || b.right > s.right + 1 || b.top < s.top - 1 || b.bottom > s.bottom + 1;
  }).map(text => text.textContent);
  document.querySelectorAll("details").forEach(item => item.open = true);
  const found = {
    width: document.documentElement.scrollWidth, window: innerWidth,
    plots: [...document.querySelectorAll("svg")].map(box),
    cut, ink: plain(document.body).color, page: plain(document.body).backgroundColor,
    verdict: document.querySelector(".verdict").textContent,
    answers: [...document.querySelectorAll("dd")].map(item => item.getBoundingClientRect().height),
    fetched: performance.getEntriesByType("resource").map(entry => entry.name),
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
  };
  document.body.innerHTML = "<pre id=found></pre>";
  document.getElementById("found").textContent = JSON.stringify(found);
});
</script>"""


def rendered(folder: Path, page: str, *, width: int, dark: bool = False) -> dict[str, Any]:
    """What the probe saw of the page in a window of this width."""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    line = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    line += [f"--window-size={width},900", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    ran = subprocess.run([*line, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120)
    match = re.search(r'<pre id="found">(.*?)</pre>', ran.stdout, re.DOTALL)
    assert match is not None, ran.stderr[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(match[1]))
    return found


def brightness(color: str) -> float:
    red, green, blue = (int(part) for part in re.findall(r"\d+", color)[:3])
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (500, True)])
def test_the_page_is_laid_out_and_readable(tmp_path: Path, width: int, dark: bool) -> None:
    run = example(markup=" " + "averylongwordwithoutabreak" * 6)
    verdict = judge_run(run, fail_under={"R@5": 0.9}, baseline=example(markup=" " + "averylongwordwithoutabreak" * 6))
    found = rendered(tmp_path, to_html(run, verdict, baseline=run), width=width, dark=dark)
    assert found["dark"] is dark
    assert found["verdict"] == verdict.line
    assert found["width"] <= found["window"]
    assert found["cut"] == []
    assert len(found["plots"]) >= 5
    assert all(right - left > 200 and bottom - top > 20 for left, top, right, bottom in found["plots"])
    assert all(left >= 0 and right <= found["window"] for left, _, right, _ in found["plots"])
    assert found["answers"]
    assert min(found["answers"]) > 10
    assert (brightness(found["ink"]) > brightness(found["page"])) is dark
    assert abs(brightness(found["ink"]) - brightness(found["page"])) > 0.6
    assert found["fetched"] == []
