"""Tables as they are published: LaTeX, Markdown and HTML, from one layout."""

from rankscope.report.tables.formats import as_it_is, html_table, latex, markdown

__all__ = ["as_it_is", "html_table", "latex", "markdown"]
