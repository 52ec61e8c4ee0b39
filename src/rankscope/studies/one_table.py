"""One of a study's tables as a result of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.results import Result, Table, plain


@dataclass(frozen=True, kw_only=True)
class OneTable(Result):
    """One of a study's tables, to be written like any result."""

    content: Table

    def table(self) -> Table:
        """The table."""
        return self.content

    def to_dict(self) -> dict[str, Any]:
        """Rows, each a dict by column."""
        return {"rows": [plain(dict(zip(self.content.columns, row, strict=True))) for row in self.content.rows]}
