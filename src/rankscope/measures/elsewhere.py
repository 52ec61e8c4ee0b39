"""Measures without a kernel in rankscope, computed by ir_measures and its providers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.errors import BadParameter
from rankscope.measures.record import Measure, Record
from rankscope.scores import Floats

if TYPE_CHECKING:
    from rankscope.runs import Judgments, RunSet


def names() -> list[str]:
    """The names that ir_measures knows."""
    import ir_measures

    return list(ir_measures.measures.registry)


def find(name: str) -> Measure | None:
    """The measure of ir_measures with this name; None if it has none.

    >>> str(find("Accuracy@5")), find("Accuracy@5").provider, find("nonsense")
    ('Accuracy@5', 'ir_measures (accuracy)', None)
    """
    measure = parsed(name)
    if measure is None:
        return None
    try:
        measure.validate_params()
    except AssertionError as error:
        raise BadParameter(f"{name}: {error} (ir_measures)") from None
    kind = type(measure)
    record = Record(
        name=str(measure),
        label=str(kind.PRETTY_NAME),
        looks_at=str(kind.SHORT_DESC),
        reference="ir_measures",
        binary="rel" in measure.SUPPORTED_PARAMS,
        range=(float("-inf"), float("inf")),
        provider=f"ir_measures ({_provider(measure)})",
    )
    return Measure(record)


def parsed(name: str) -> Any:
    """The measure of this name as an object of ir_measures, None if there is none.

    ir_measures' own parser does not work from Python 3.14 on.

    >>> str(parsed("nDCG(dcg='exp-log2') @ 10")), parsed("nDCG@-1"), parsed("nDCG(10)"), parsed("nonsense@5")
    ("nDCG(dcg='exp-log2')@10", None, None, None)
    """
    import ir_measures

    try:
        node = ast.parse(name.strip(), mode="eval").body
        cutoff: Any = None
        parameters: dict[str, Any] = {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cutoff, node = _value(node.right), node.left
        if isinstance(node, ast.Call) and not node.args:
            parameters = {str(keyword.arg): _value(keyword.value) for keyword in node.keywords}
            node = node.func
    except (ValueError, SyntaxError, TypeError):
        return None
    kind: Any = ir_measures.measures.registry.get(node.id) if isinstance(node, ast.Name) else None
    if kind is None:
        return None
    if cutoff is not None:
        parameters[kind.AT_PARAM] = cutoff
    return kind(**parameters)


def _value(node: ast.expr | None) -> Any:
    if isinstance(node, ast.Constant) and node.value is not ... and not isinstance(node.value, bytes):
        return node.value
    if isinstance(node, ast.Dict):
        return dict(zip(map(_value, node.keys), map(_value, node.values), strict=True))
    raise ValueError("a parameter is a number, a text, True, False, None or a mapping of these")


def _provider(measure: Any) -> str:
    """The provider that computes a measure, or an error that names the one to install."""
    import ir_measures

    default: Any = ir_measures.DefaultPipeline
    for provider in default.providers:
        if provider.is_available() and provider.supports(measure):
            return str(provider.NAME)
    possible = [p for p in default.providers if p.supports(measure)]
    if not possible:
        raise BadParameter(f"{measure}: no provider of ir_measures computes it with these parameters; see its docs")
    way = " or ".join(f"{p.install_instructions()}" for p in possible if p.install_instructions())
    raise BadParameter(f"{measure}: computed through ir_measures by {possible[0].NAME}, which is not installed: {way}")


def compute(runs: RunSet, judgments: Judgments, measures: list[Measure], topics: tuple[str, ...]) -> dict[str, Floats]:
    """Topics × systems for each measure; 0 where ir_measures returns no value."""
    import ir_measures

    whole = judgments.grades == np.rint(judgments.grades)
    if not whole.all():
        named = ", ".join(map(str, measures))
        raise BadParameter(
            f"{named}: computed through ir_measures, which takes whole grades only; round the judgments first"
        )
    qrels: dict[str, dict[str, int]] = {}
    for t, topic in enumerate(judgments.topics):
        first, last = int(judgments.starts[t]), int(judgments.starts[t + 1])
        grades = judgments.grades[first:last].astype(int).tolist()
        qrels[topic] = dict(zip(judgments.ids.names(first, last), grades, strict=True))
    wanted = {parsed(str(m)): str(m) for m in measures}
    evaluator: Any = ir_measures.evaluator(list(wanted), qrels)
    out = {str(m): np.zeros((len(topics), len(runs.systems))) for m in measures}
    row_of = {topic: t for t, topic in enumerate(topics)}
    known = set(runs.topics)
    for s, system in enumerate(runs.systems):
        run = {
            # These scores only carry the order of the run set.
            topic: {document: float(-rank) for rank, document in enumerate(runs.retrieved(system, topic))}
            for topic in topics
            if topic in known
        }
        run = {topic: ranked for topic, ranked in run.items() if ranked}
        try:
            metrics = list(evaluator.iter_calc(run))
        except Exception as error:  # providers raise errors of all kinds
            named = ", ".join(map(str, measures))
            problem = f"ir_measures failed on {system} ({type(error).__name__}: {error})"
            raise BadParameter(f"{named}: {problem}; leave the measure out") from error
        for metric in metrics:
            if metric.query_id in row_of:
                out[wanted[metric.measure]][row_of[metric.query_id], s] = metric.value
    return out
