"""What tests of pages share: a report with hostile names, a large one, a comparison, and how to unpack their data."""

import functools
from collections.abc import Callable
from dataclasses import replace

import rankscope as rs
from rankscope.report.own_text import unbroken
from rankscope.report.page import page
from rankscope.report.sentences import verdict_headline
from rankscope.results import Result

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (
    SCRIPT,
    "</script>\"'",
    "a.b[0]['c']",
    "<!-- <script>",
    "datum.system || true",
    "&lt;b&gt; \u2028 line",
    "{{ 7 * 7 }} ${x}",
    "naïve 検索 🙂",
)


@functools.cache
def small() -> rs.JudgeReport:
    """A dozen systems, most with names that would do harm where they are not escaped, two judges, two measures."""
    track = rs.simulate_track(systems=14, topics=12, depth=20, pool_depth=8, candidates=80, rng=3)
    names = dict(zip(track.runs.systems, HOSTILE, strict=False))
    runs = replace(track.runs, systems=tuple(names.get(system, system) for system in track.runs.systems))
    groups = {names.get(system, system): f"<i>{group}</i>" for system, group in track.groups.items()}
    judges = {SCRIPT: track.judges["careful"], "</script>\"'": track.judges["lenient"]}
    return rs.judge(
        runs, track.truth, judges, ("nDCG@10", "AP"), groups=groups, resamples=60, random_draws=5, pseudo_draws=3, top=5
    )


@functools.cache
def large() -> rs.JudgeReport:
    """143 systems × 8 judges × 2 measures, with few draws."""
    models = {f"judge {i}": rs.JudgeModel(noise=0.3 + 0.3 * i, leniency=0.1 * i) for i in range(8)}
    track = rs.simulate_track(systems=143, topics=30, depth=30, pool_depth=8, candidates=150, judges=models, rng=1)
    return rs.judge(
        track.runs,
        track.truth,
        track.judges,
        ("nDCG@10", "AP"),
        groups=track.groups,
        resamples=20,
        random_draws=3,
        pseudo_draws=2,
    )


@functools.cache
def compared() -> rs.Comparison:
    """Two estimates of a small score table, names hostile."""
    scores = {name: [0.9 - 0.08 * i + 0.02 * ((i * 7 + t * 3) % 5) for t in range(8)] for i, name in enumerate(HOSTILE)}
    other = {name: [0.5 - 0.03 * i + 0.03 * ((i * 5 + t * 2) % 7) for t in range(8)] for i, name in enumerate(HOSTILE)}
    topics = [str(t) for t in range(8)]

    def matrix(table, name):
        values = [[table[system][t] for system in HOSTILE] for t in range(8)]
        return rs.ScoreMatrix(values, systems=HOSTILE, topics=topics, name=name)

    return rs.compare(matrix(scores, "the truth"), matrix(other, SCRIPT), matrix(scores, "b.c[1]"), resamples=50)


def _table(best, step, spread, name):
    """Scores of systems with hostile names on eight topics."""
    values = [[best - step * i + spread * ((i * 7 + t * 3) % 5) for i in range(len(HOSTILE))] for t in range(8)]
    return rs.ScoreMatrix(values, systems=HOSTILE, topics=[str(t) for t in range(8)], name=name)


@functools.cache
def ranked() -> rs.Ranking:
    """Two leaderboards of systems with hostile names."""
    return rs.rank(_table(0.9, 0.08, 0.02, SCRIPT), _table(0.5, 0.03, 0.03, "b.c[1]"), resamples=50)


@functools.cache
def corrected() -> rs.Correction:
    """Systems with hostile names, of which people scored four topics and two judges all."""
    people = _table(0.9, 0.08, 0.02, "people")
    judges = _table(0.5, 0.03, 0.03, SCRIPT), _table(0.7, 0.02, 0.05, "b.c[1]")
    return rs.correct(people.select(topics=people.topics[:4]), *judges, resamples=50)


def on_page(verdict: rs.Verdict) -> str:
    """The sentence of a verdict as a page has it."""
    return unbroken(verdict_headline(verdict))


@functools.cache
def page_of(make: Callable[[], Result]) -> str:
    """The page of one of these."""
    return page(make())


def filled(common, filling):
    """The specification restored, as `page.js` does it."""
    if isinstance(common, dict):
        if common.keys() == {"$hole"}:
            return filling[common["$hole"]]
        return {key: filled(value, filling) for key, value in common.items()}
    return [filled(value, filling) for value in common] if isinstance(common, list) else common


def unpacked(store, rows):
    """The rows restored, as `page.js` does it."""
    columns = [unpacked_column(store, index) for index in rows["columns"]]
    return [{name: column[i] for name, column in zip(rows["names"], columns, strict=True)} for i in range(rows["n"])]


def unpacked_column(store, index):
    """The values of a column restored, as `page.js` does it."""
    column = store["columns"][index]
    if "w" not in column:
        return list(column["v"])
    return [None if i is None else store["words"][i] for i in column["w"]]
