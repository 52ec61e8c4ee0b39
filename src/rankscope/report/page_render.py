"""A page as one HTML file: the template, its looks, its script, Vega, and the data, with nothing from outside.

The content security policy names every script and style by its hash. Vega's expressions run in its interpreter
(`ast: true`), so that the policy need not allow `eval`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

from rankscope.report.page_pack import script_json
from rankscope.report.page_specs import page_config
from rankscope.report.page_views import Page, packed
from rankscope.report.theme import check_docstrings


def interactive(make: Callable[[], Page]) -> str:
    """The HTML of the page that `make` makes, while Vega is bundled, which takes as long."""
    check_docstrings()
    from altair.utils import schemapi

    # Charts are checked against Vega-Lite's schema by tests; a page has dozens, and each check takes tens of ms.
    with ThreadPoolExecutor(1) as pool, schemapi.debug_mode(False):
        library = pool.submit(vega)
        page = make()
        return rendered_page(page, library.result())


def rendered_page(page: Page, library: str) -> str:
    """The HTML of a page that draws with this library."""
    import jinja2
    import markupsafe

    style = _variables() + _asset("page.css")
    scripts = [library, _asset("page.js")]
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string(_asset("page.html"))
    text = template.render(
        page=page,
        policy=markupsafe.Markup(policy(scripts, style)),
        style=markupsafe.Markup(style),
        scripts=[markupsafe.Markup(script) for script in scripts],
        data=markupsafe.Markup(script_json(packed(page))),
        raw=markupsafe.Markup,
    )
    # A file's name may hold bytes that are no characters; the page must be written all the same.
    return text.encode("utf-8", "replace").decode()


def policy(scripts: list[str], style: str) -> str:
    """The content security policy: these scripts and this style, and nothing else."""
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; connect-src 'none'; "
        "form-action 'none'; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, under their licences."""
    import vl_convert

    text: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    text = text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f"/*!\n{_asset('NOTICES.txt')}*/\n{text}"


def _asset(name: str) -> str:
    return (files("rankscope.report") / "assets" / name).read_text(encoding="utf-8")


def _variables() -> str:
    """The charts' colours as CSS variables: light, and dark where a screen asks for it."""
    values = page_config()[1]
    light, dark = ("".join(f"{name}:{value};" for name, value in values[theme].items()) for theme in ("light", "dark"))
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
