"""Slow, literal twins of the studies of runs and judgments: edit the judgments, evaluate from scratch, compare.

Tracks are plain dicts: runs[system][topic] is a list of documents, best first; judgments[topic][document] a grade.
"""

from __future__ import annotations

import math

import numpy as np

import rankscope as rs
from rankscope.runs import Judgments, RunSet

MEASURES = ("AP", "nDCG@3", "Bpref", "P@2")
COEFFICIENTS = ("tau_b", "tau_ap", "tau_gap", "pearson_rank", "spearman")


def made_track(seed, *, systems=None, topics=None):
    """A small random track with holes of every kind: missing topics, unjudged and unretrieved documents, odd names."""
    rng = np.random.default_rng(seed)
    systems = int(rng.integers(2, 6)) if systems is None else systems
    topics = int(rng.integers(2, 6)) if topics is None else topics
    names = ["bm25", "δense", "系统", "a b", "<i>&", "run,6"][:systems]
    odd = ["d1", "d 2", "δ3", "d\t4", "d5", "d6", "d7", "d8", "d9", "文10"]
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in names}
    judgments = {}
    for topic in map(str, range(301, 301 + topics)):
        for name in names:
            if rng.random() < 0.1:
                continue
            depth = int(rng.integers(1, 9))
            runs[name][topic] = [odd[i] for i in rng.permutation(len(odd))[:depth]]
        judged = rng.permutation(len(odd))[: int(rng.integers(1, 10))]
        grades = rng.integers(-1, 4, size=len(judged)) if rng.random() < 0.8 else np.zeros(len(judged))
        judgments[topic] = {odd[i]: float(grade) for i, grade in zip(judged, grades, strict=True)}
    first = next(iter(judgments))
    runs[names[0]].setdefault(first, list(judgments[first]))
    return runs, judgments


def coded(runs, judgments) -> tuple[RunSet, Judgments]:
    return RunSet.of(runs), Judgments.of(judgments)


def scores(runs, judgments, measure):
    """Scores by topic from scratch."""
    return rs.evaluate(RunSet.of(runs), Judgments.of(judgments), [measure]).scores[measure]


def agreement(truth, estimate, coefficients=COEFFICIENTS):
    """Every coefficient and the rank distance of two score matrices."""
    values = {name: rs.coefficient(name)(truth.means, estimate.means) for name in coefficients}
    return {**values, "d_rank": distance(truth, estimate.means)}


def distance(truth, means):
    """The rank distance with Algorithm 1's ridge; infinite for an impossible order without a ridge."""
    if len(truth.topics) < 2:
        return math.nan
    ridge = 1e-5 if len(truth.systems) >= len(truth.topics) else 0.0
    return rs.d_rank(truth, rs.SystemScores(means, truth.systems), ridge=ridge, limit=1).distance


def pool(runs, topic, depth, contributing=None):
    return {
        document
        for system, by_topic in runs.items()
        if contributing is None or system in contributing
        for document in by_topic.get(topic, [])[:depth]
    }


def pooled(runs, judgments, depth, contributing=None):
    """The judgments of documents in the pool."""
    return {
        topic: {d: g for d, g in rows.items() if d in pool(runs, topic, depth, contributing)}
        for topic, rows in judgments.items()
    }


def with_holes(judgments, fraction, seed, number, rel=1):
    """A random part of the judgments: in each topic, the fraction of the relevant and of the others, at least one."""
    keys = iter(np.random.default_rng([seed, number]).random(sum(map(len, judgments.values()))))
    kept = {}
    for topic, rows in judgments.items():
        drawn = {document: next(keys) for document in rows}
        chosen = set()
        for stratum in ([d for d in rows if rows[d] >= rel], [d for d in rows if rows[d] < rel]):
            quota = max(1, math.floor(fraction * len(stratum) + 0.5))
            chosen.update(sorted(stratum, key=drawn.__getitem__)[:quota])
        kept[topic] = {d: g for d, g in rows.items() if d in chosen}
    return kept


def unique_documents(runs, judgments, group_of, group, depth, contributing):
    """(topic, document) that only this group's contributing systems have within the depth, and that are judged."""
    unique: set[tuple[str, str]] = set()
    for topic, rows in judgments.items():
        own = pool(runs, topic, depth, [s for s in contributing if group_of[s] == group])
        others = pool(runs, topic, depth, [s for s in contributing if group_of[s] != group])
        unique.update((topic, d) for d in rows if d in own - others)
    return unique


def without(judgments, left_out):
    return {t: {d: g for d, g in rows.items() if (t, d) not in left_out} for t, rows in judgments.items()}


def mixed(runs, judgments, judge, depth, contributing=None):
    """People's judgments in the pool to this depth, the judge's labels for all others; and how many of each."""
    grades, people, labels = {}, 0, 0
    for topic, rows in judgments.items():
        inside = pool(runs, topic, depth, contributing)
        own = {d: g for d, g in rows.items() if d in inside}
        other = {d: g for d, g in judge.get(topic, {}).items() if d not in own}
        grades[topic] = own | other
        people, labels = people + len(own), labels + len(other)
    return grades, people, labels


def using(runs, labels, systems, depth):
    """The runs, those of `systems` with their first `depth` documents sorted by label; no label counts as grade 0."""
    return {
        system: {
            topic: sorted(documents[:depth], key=lambda d: -max(labels.get(topic, {}).get(d, 0.0), 0.0))
            + documents[depth:]
            if system in systems
            else documents
            for topic, documents in by_topic.items()
        }
        for system, by_topic in runs.items()
    }


def ranked_by(labels):
    """The ranking of all labelled documents by label, as the run of a system."""
    return {topic: sorted(rows, key=lambda d: -rows[d]) for topic, rows in labels.items()}


def rank_of(scores, system):
    """The rank of one of the scores by name, tied ones at their mean rank."""
    own = scores[system]
    return sum(s > own for s in scores.values()) + (sum(s == own for s in scores.values()) + 1) / 2


def people_in_the_top(runs, judgments, judge, size, order):
    """The judgments of the `size` documents of least depth in any run, `order` deciding among those of the same.

    Given alone and with the judge's labels for all other documents.
    """
    ranked = []
    for topic, grades in judgments.items():
        for document in grades:
            ranks = [run[topic].index(document) for run in runs.values() if document in run.get(topic, ())]
            ranked.append((min(ranks, default=10**9), order[topic, document], topic, document))
    alone: dict[str, dict[str, float]] = {topic: {} for topic in judgments}
    filled = {topic: dict(judge.get(topic, {})) for topic in judgments}
    for _, _, topic, document in sorted(ranked)[:size]:
        alone[topic][document] = filled[topic][document] = judgments[topic][document]
    return alone, filled
