"""Makes docs/images/report.png and report-telephone.png: the demo's report in a browser, wide, and narrow and dark.

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
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import ViewportSize, sync_playwright

import rankscope as rs

IMAGES = Path(__file__).parent / "images"
# The width, height and scale of each picture, and the colours of the screen.
PICTURES: dict[str, tuple[int, int, float, Literal["light", "dark"]]] = {
    "report.png": (1240, 1500, 0.8, "light"),
    "report-telephone.png": (390, 1500, 0.8, "dark"),
}


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
        for name, (width, height, scale, scheme) in PICTURES.items():
            screen: ViewportSize = {"width": width, "height": height}
            tab = browser.new_page(viewport=screen, device_scale_factor=scale, color_scheme=scheme)
            tab.goto(f"{path.as_uri()}#judge={quote('partial')}&measure=nDCG%4010")
            tab.wait_for_selector("html[data-ready=true]")
            tab.screenshot(path=IMAGES / name)
            print(f"{IMAGES / name}: {(IMAGES / name).stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
