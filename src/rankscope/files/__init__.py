"""Every file format → the model, and the model → files; docs/formats.md describes them."""

from rankscope.files.atomic import replacing, write_bytes, write_text
from rankscope.files.found import ON_MISSING_SCORES, OnMissingScores
from rankscope.files.read import read_scores
from rankscope.files.recognise import FORMATS, Format
from rankscope.files.write import WRITE_FORMATS, WriteFormat, write_scores

__all__ = [
    "FORMATS",
    "ON_MISSING_SCORES",
    "WRITE_FORMATS",
    "Format",
    "OnMissingScores",
    "WriteFormat",
    "read_scores",
    "replacing",
    "write_bytes",
    "write_scores",
    "write_text",
]
