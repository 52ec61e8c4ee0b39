"""Makes docs/images/report.png: the demo's report in a browser.

    .venv/bin/python docs/screenshot.py

Needs chromium, and playwright from the extra `dev`. The report is that of `rankscope demo`, with one judge and one
system chosen by the address, as a reader would do it with a click.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

import rankscope as rs

OUT = Path(__file__).parent / "images" / "report.png"
WIDTH, HEIGHT, SCALE = 1240, 1500, 0.8


def chromium() -> str:
    """The path of the browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("RANKSCOPE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or sys.exit("no browser found: install chromium or set RANKSCOPE_CHROMIUM")


def main() -> None:
    """Simulate the demo's track, judge it, draw the report, and take its picture."""
    track = rs.simulate_track(rng=0)
    report = rs.judge(track.runs, track.truth, track.judges, ("nDCG@10", "AP"), groups=track.groups)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        report.save(path)
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE)
        tab.goto(f"{path.as_uri()}#judge={quote('partial')}&measure=nDCG%4010")
        tab.wait_for_selector("html[data-ready=true]")
        OUT.parent.mkdir(exist_ok=True)
        tab.screenshot(path=OUT)
        browser.close()
    print(f"{OUT}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
