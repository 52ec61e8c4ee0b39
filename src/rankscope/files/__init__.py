"""Every file format → the model, and the model → files; docs/formats.md describes them."""

from rankscope.files.atomic import replacing, write_bytes, write_text
from rankscope.files.found import ON_MISSING_SCORES, OnMissingScores
from rankscope.files.judgments import ON_CONFLICT, OnConflict, read_judgments
from rankscope.files.read import read_scores
from rankscope.files.recognise import FORMATS, Format
from rankscope.files.runs import NAME_FROM, ON_DUPLICATE, TIES, NameFrom, OnDuplicate, Ties, read_runs
from rankscope.files.write import WRITE_FORMATS, WriteFormat, write_scores
from rankscope.files.write_trec import write_judgments, write_runs

__all__ = [
    "FORMATS",
    "NAME_FROM",
    "ON_CONFLICT",
    "ON_DUPLICATE",
    "ON_MISSING_SCORES",
    "TIES",
    "WRITE_FORMATS",
    "Format",
    "NameFrom",
    "OnConflict",
    "OnDuplicate",
    "OnMissingScores",
    "Ties",
    "WriteFormat",
    "read_judgments",
    "read_runs",
    "read_scores",
    "replacing",
    "write_bytes",
    "write_judgments",
    "write_runs",
    "write_scores",
    "write_text",
]
