"""What is handed over for runs or judgments by mistake: the other of the two, or scores."""

from __future__ import annotations

from rankscope.files.not_scores import is_judgment_line, is_run_line
from rankscope.files.trec_eval import recognise_lines

_SAMPLE = 50
_SAMPLE_BYTES = 100_000


def what_else(data: bytes, what: str, form: str) -> str | None:
    """What a file that is not `what` ("a run", "judgments") seems to be, and where it belongs; None if nothing known.

    `form` says how `what` is written.
    """
    text = data[:_SAMPLE_BYTES].decode(errors="replace")
    lines = [line for line in text.splitlines()[:_SAMPLE] if line.strip()]
    if len(data) > _SAMPLE_BYTES:
        lines = lines[:-1] or lines  # the last may be cut
    words = [line.split() for line in lines]
    if what != "a run" and all(map(is_run_line, words)):
        return "this is a run, not judgments; give it as a run, and the judgments (topic, 0, document, grade) here"
    if what != "judgments" and all(map(is_judgment_line, words)):
        return "these look like relevance judgments, not a run; give them as the judgments (--qrels)"
    if text.lstrip().startswith(("{", "[")):
        return f"JSON, not {what}; write {form}, separated by white space"
    if recognise_lines(text) is not None:
        return f"this looks like the output of trec_eval or ir_measures: scores, not {what}; `read_scores` reads them"
    for delimiter, name in ((",", "commas"), (";", "semicolons")):
        fields = [line.split(delimiter) for line in lines]
        if all(len(each) == len(fields[0]) > 1 for each in fields) and all(len(line) == 1 for line in words[1:]):
            wanted = 6 if what == "a run" else 4
            if len(fields[0]) == wanted:
                return f"the fields are separated by {name}; write {form}, separated by white space"
            return f"a table separated by {name}, not {what}; `read_scores` reads tables of scores"
    return None
