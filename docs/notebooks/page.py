"""Shows the notebooks of this folder as pages of the site: a hook of mkdocs, named in mkdocs.yml.

The page of tutorial.ipynb is tutorial.html, made from the output that is stored: nothing is run, and nothing is
fetched, when the site is built or looked at. The file itself stands beside the page, to be downloaded. Links to the
notebook in other pages lead to its page on the site, and to the file elsewhere.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_SUFFIX = ".ipynb"


class NotebookFile(File):
    """A notebook, which mkdocs takes for a page."""

    def is_documentation_page(self) -> bool:
        """Whether this is a page: it is."""
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Notebooks are pages."""
    for file in [file for file in files if file.src_uri.endswith(_SUFFIX)]:
        files.remove(file)
        files.append(NotebookFile(file.src_uri, config.docs_dir, config.site_dir, config.use_directory_urls))
    return files


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """The Markdown of a notebook; other pages are left alone."""
    source = page.file.abs_src_path
    if source is None or not source.endswith(_SUFFIX):
        return None
    return markdown(json.loads(Path(source).read_text(encoding="utf-8")), page.file.name + _SUFFIX)


def on_post_build(config: MkDocsConfig) -> None:
    """The notebooks themselves, to be downloaded."""
    for path in Path(config.docs_dir).rglob(f"*{_SUFFIX}"):
        place = path.relative_to(config.docs_dir)
        if not any(part.startswith(".") for part in place.parts):
            shutil.copyfile(path, Path(config.site_dir, place))


def markdown(notebook: dict[str, Any], name: str) -> str:
    """A stored notebook as Markdown: text, code, and what the code gave."""
    blocks = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            blocks.append(source)
        elif cell["cell_type"] == "code":
            blocks.append(_fenced(source, "python"))
            blocks += [_shown(output) for output in cell["outputs"]]
    # The link is HTML, which mkdocs does not check: it would take it for one to this page.
    file = html.escape(name, quote=True)
    download = f'This page is a notebook: <a href="{file}" download>download it</a> and open it in Jupyter.'
    title, *rest = blocks
    first, _, text = title.partition("\n")
    return "\n\n".join([first, download, text.strip(), *rest]) + "\n"


def _shown(output: dict[str, Any]) -> str:
    """The richest form of an output that needs no script."""
    if output["output_type"] == "stream":
        return _plain("".join(output["text"]))
    data, about = output["data"], output.get("metadata", {})
    if "image/png" in data:
        sizes = about.get("image/png", {})
        size = "".join(f' {side}="{sizes[side]:g}"' for side in ("width", "height") if side in sizes)
        alt = html.escape(sizes.get("alt", ""), quote=True)
        picture = "".join("".join(data["image/png"]).split())
        return f'<p><img src="data:image/png;base64,{picture}" alt="{alt}"{size}></p>'
    if "text/html" in data:
        table = re.sub(r"<style>.*?</style>", "", "".join(data["text/html"]), flags=re.DOTALL)
        table = re.sub(r"<(table|tr|td|th)\b[^>]*>", r"<\1>", table)  # the site has its own look for tables
        return "<div>" + " ".join(table.split("\n")) + "</div>"
    return _plain("".join(data["text/plain"]))


def _plain(text: str) -> str:
    """Text that code gave, told from code by a line at its side."""
    side = "border-left: .2rem solid var(--md-primary-fg-color)"
    return f'<pre class="no-copy" style="{side}"><code>{html.escape(text.rstrip(), quote=False)}</code></pre>'


def _fenced(text: str, language: str) -> str:
    ticks = max([2, *map(len, re.findall(r"`+", text))]) + 1
    fence = "`" * ticks
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
