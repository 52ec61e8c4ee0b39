"""A page as one HTML file: the template, its style and script, Vega and the data, with nothing from outside.

The content security policy names every script and style by its hash. Vega's expressions run in its interpreter
(`ast: true`), so the policy does not allow `eval`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from rankscope.files.kept_text import kept_text
from rankscope.report.charts import unchecked
from rankscope.report.page_model import Page, with_unbroken_texts
from rankscope.report.page_pack import packed, script_json
from rankscope.report.page_specs import page_config
from rankscope.report.references import references
from rankscope.report.theme import PAGE_COLOURS, THEMES, Theme, check_docstrings

if TYPE_CHECKING:
    import jinja2


def interactive(make: Callable[[], Page]) -> str:
    """The HTML of the page with charts that `make` makes, while Vega is bundled, which takes as long."""
    check_docstrings()
    with ThreadPoolExecutor(1) as pool, unchecked():
        library = pool.submit(vega)
        page = make()
        return rendered(page, library.result())


def rendered(page: Page, library: str | None = None) -> str:
    """The HTML of a page; one with charts needs the library that draws them."""
    from markupsafe import Markup

    page = with_unbroken_texts(page)
    style = _variables(page.theme) + _asset("page.css")
    scripts = [] if library is None else [library, _asset("page.js")]
    text = _template().render(
        page=page,
        policy=Markup(_policy(scripts, style)),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        data=Markup(script_json(packed(page)) if scripts else ""),
        references=references(method.reference for method in page.methods),
        raw=Markup,
    )
    # The name of a file may hold bytes that are not characters; the page must be written nevertheless.
    return text.encode("utf-8", "replace").decode()


@functools.cache
def _template() -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(_asset("page.html"))


def _policy(scripts: list[str], style: str) -> str:
    """The content security policy: these scripts and this style, and nothing else."""
    allowed = " ".join(map(_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; connect-src 'none'; "
        "form-action 'none'; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, with their licences."""
    text = kept_text(f"vega-{version('vl-convert-python')}.js", _bundled)
    return f"/*!\n{_asset('NOTICES.txt')}*/\n{text}"


def _bundled() -> str:
    """The script, which takes more than a second to put together."""
    import vl_convert

    text: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (files("rankscope.report") / "assets" / name).read_text(encoding="utf-8")


def _variables(theme: Theme | None) -> str:
    """The colours of page and charts as CSS variables: of a theme, or light and dark as the screen asks."""
    of_charts = page_config()[1]
    light, dark = (
        "".join(f"--{name}:{value};" for name, value in {**PAGE_COLOURS[t], **of_charts[t]}.items()) for t in THEMES
    )
    if theme is not None:
        return f":root{{{dark if theme == 'dark' else light}}}\n"
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
