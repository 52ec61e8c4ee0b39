"""From a result to what a person looks at: text for a terminal, a chart, a page, a file."""

from rankscope.report.charts import chart
from rankscope.report.saving import save

__all__ = ["chart", "save"]
