"""An evaluation in trec_eval's output format, for tools that read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankscope.measures.record import Measure
from rankscope.measures.registry import parse_measure

if TYPE_CHECKING:
    from rankscope.measures.evaluation import Evaluation

_ALL = "all"


def trec_eval_text(evaluation: Evaluation, *, by_topic: bool) -> str:
    """The output of `trec_eval` or `trec_eval -q` for each system in turn: four decimals, separated by tabs.

    Measures have trec_eval's names, or rankscope's where trec_eval has none. White space in names of topics and
    systems, which would make another column, becomes an underscore.
    """
    return "".join(line for system in evaluation.systems for line in _lines(evaluation, system, by_topic=by_topic))


def _lines(evaluation: Evaluation, system: str, *, by_topic: bool) -> Iterator[str]:
    measures = [parse_measure(name) for name in evaluation.measures]
    table = evaluation.scores[evaluation.measures[0]]
    s = table.systems.index(system)
    for t, topic in enumerate(table.topics if by_topic else ()):
        for m in measures:
            value = float(evaluation.scores[str(m)].values[t, s])
            # trec_eval prints neither the number of topics nor a geometric mean for one topic.
            if m.record.summary != "geometric" and m.record.name != "NumQ" and value == value:  # noqa: PLR0124 (NaN)
                yield _line(m.trec_name, topic, _number(value, m))
    yield _line("runid", _ALL, _word(system))
    for m in measures:
        value = float(evaluation.summaries[str(m)].values[s])
        if value == value:  # noqa: PLR0124 (NaN)
            yield _line(m.trec_name, _ALL, _number(value, m))


def _line(measure: str, topic: str, value: str) -> str:
    return f"{measure:<22}\t{_word(topic)}\t{value}\n"


def _number(value: float, measure: Measure) -> str:
    return f"{value:.0f}" if measure.record.summary == "sum" else f"{value:.4f}"


def _word(name: str) -> str:
    return "_".join(name.split())
