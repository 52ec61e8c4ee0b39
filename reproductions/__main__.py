"""Run the reproductions: `python -m reproductions [--quick] [--output FOLDER] [paper …]`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from reproductions import carterette2009, gao2015, gao2016, gupta2019, our_docs, urbano2016
from reproductions.page import PAGES, Page, arguments, reproduce

ALL = {
    "carterette2009": carterette2009,
    "gao2015": gao2015,
    "gao2016": gao2016,
    "urbano2016": urbano2016,
    "gupta2019": gupta2019,
    "our_docs": our_docs,
}


def main(words: Sequence[str] | None = None) -> dict[str, Page | None]:
    """Reproduce what was asked for, and give the pages back."""
    told = arguments(words)
    unknown = [name for name in told.paper if name not in ALL]
    if unknown:
        sys.exit(f"no reproduction of {', '.join(unknown)}; there are {', '.join(ALL)}")
    folder = told.output or (None if told.quick else PAGES)
    pages = {}
    for name in told.paper or ALL:
        begun = time.perf_counter()
        pages[name] = reproduce(name, ALL[name].TITLE, ALL[name].fill, told.quick, folder)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    return pages


if __name__ == "__main__":
    main()
