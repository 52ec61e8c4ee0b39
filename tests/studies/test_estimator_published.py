"""Our study against the authors' own estimates (Urbano & Marrero 2016, `published-*.csv.gz`).

Their simulator keeps each system's mean logit, so that mean scores drift away from those taken for the truth
(docs/simulation.md): their actual correlations are lower and their biases higher by as much. With the same drift put
back into ours, the curves must agree within Monte-Carlo error.

`python -m tests.studies.test_estimator_published [COLLECTIONS DRIFTING [FOLDER]]` prints the tables of
docs/estimators.md: so many collections of each size with exact means, and so many drifting; FOLDER keeps checkpoints.
"""

import contextlib
import csv
import dataclasses
import gzip
import os
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from rankscope.inference import swap_probabilities
from rankscope.simulation import effects, models
from rankscope.simulation.logits import logit
from rankscope.studies import estimator_blocks
from rankscope.studies.estimators import PUBLISHED, SIZES, study_estimators

COLLECTIONS = ("adhoc6", "adhoc7")
# Their names of the estimators, and ours.
THEIRS = {"msqd": "MSQD", "ml": "ML", "res": "RES", "kd": "KD", "shw": "SHw", "shwo": "SHwo"}
FILES = {"kendall": "published-tau.csv.gz", "tau_ap": "published-tauAP.csv.gz"}


def published(folder, coefficient):
    """By collection and number of topics, a row per simulated collection: the actual value, then the estimates."""
    rows: dict[tuple[str, int], list[list[float]]] = {}
    with gzip.open(folder / FILES[coefficient], "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = [float(row["actual"]), *(float(row[THEIRS[name]]) for name in PUBLISHED)]
            rows.setdefault((row["collection"], int(row["n_t"])), []).append(values)
    return {key: np.array(values) for key, values in rows.items()}


@contextlib.contextmanager
def drifting():
    """Simulate as the published code does: each system's mean logit is kept, not its mean score."""
    fitted = dict(estimator_blocks._fitted)

    def fit_effects(values, columns, means, **options):
        return dataclasses.replace(
            effects.fit_effects(values, columns, means, **options), locations=logit(columns).mean(axis=0)
        )

    estimator_blocks._fitted.clear()
    try:
        with mock.patch.object(models, "fit_effects", fit_effects):
            yield
    finally:
        estimator_blocks._fitted.clear()
        estimator_blocks._fitted.update(fitted)


def summary(rows):
    """Mean absolute error and bias of each estimator, and the mean actual value; with their standard errors."""
    off = rows[:, 1:] - rows[:, :1]
    columns = np.column_stack([np.abs(off), off, rows[:, 0]])
    return columns.mean(axis=0), columns.std(axis=0, ddof=1) / np.sqrt(len(rows))


def differences(study, folder):
    """For each scores, coefficient and size: ours less theirs, in standard errors, as from `summary`; and plain."""
    found = {}
    for coefficient in study.coefficients:
        theirs = published(folder, coefficient)
        columns = [0, *(1 + PUBLISHED.index(name) for name in study.estimators)]
        for name, values in study.values.items():
            for place, size in enumerate(study.sizes):
                mine, my_error = summary(values[place, :, study.coefficients.index(coefficient)])
                other, other_error = summary(theirs[name, size][:, columns])
                gap = mine - other
                found[name, coefficient, size] = gap / np.hypot(my_error, other_error), gap
    return found


def test_the_published_biases_with_ten_topics(data):
    """The bias of τ at 10 topics of adhoc6 by the authors' file: .041 MSQD, .068 ML, .111 RES."""
    mean, _ = summary(published(data / "urbano2016", "kendall")["adhoc6", 10])
    bias = dict(zip(PUBLISHED, mean[len(PUBLISHED) :], strict=False))
    assert [round(bias[name], 3) for name in ("msqd", "ml", "res")] == [0.041, 0.068, 0.111]


@pytest.mark.slow
def test_with_their_drift_the_curves_agree_within_monte_carlo_error(data):
    folder = data / "urbano2016"
    estimators = ("msqd", "ml", "res", "kd")
    options: dict[str, Any] = {"sizes": [10, 50], "collections": 100, "estimators": estimators, "rng": 1}
    with drifting():
        study = study_estimators(folder / "adhoc6.csv", **options)
    apart = np.array([gap for gap, _ in differences(study, folder).values()])
    assert apart.shape == (4, 9)
    # 36 differences, of which those of one collection hang together: 3.5 standard errors is beyond chance.
    assert np.abs(apart).max() < 3.5


def bandwidths_in_r(sample, jobs):
    """The plug-in bandwidth as KernSmooth's dpik has it: its binning leaves the largest difference out of both sums."""
    n, pairs = sample.topics, np.triu_indices(sample.systems, 1)
    x = np.sort((sample.units[:, pairs[0]] - sample.units[:, pairs[1]]).T, axis=1)
    low, high = np.quantile(x, [0.25, 0.75], axis=1)
    scale = np.minimum(x.std(axis=1, ddof=1), (high - low) / 1.349)
    u = x[:, :-1] / scale[:, None]

    def functional(order, pilot):
        s = np.square((u[:, :, None] - u[:, None, :]) / pilot[:, None, None])
        polynomial = ((s - 15.0) * s + 45.0) * s - 15.0 if order == 6 else (s - 6.0) * s + 3.0
        total = (polynomial * np.exp(-0.5 * s)).sum(axis=(1, 2))
        return total / ((n - 1) ** 2 * np.sqrt(2.0 * np.pi) * pilot ** (order + 1))

    pilot = np.full(len(x), (2.0 * np.sqrt(2.0) ** 9 / (7.0 * n)) ** (1.0 / 9.0))
    pilot = (-3.0 * np.sqrt(2.0 / np.pi) / (functional(6, pilot) * n)) ** (1.0 / 7.0)
    out = np.zeros((sample.systems, sample.systems))
    out[pairs] = scale * (1.0 / (2.0 * np.sqrt(np.pi) * functional(4, pilot) * n)) ** 0.2
    return out


@pytest.mark.slow
def test_what_is_left_between_our_kd_and_theirs_is_the_bandwidth_in_r(data, monkeypatch):
    """KD less MSQD on the same collections, which is known to .0001: .0401 published, lower by the definition."""
    folder = data / "urbano2016"
    options: dict[str, Any] = {
        "sizes": [10],
        "collections": 75,
        "coefficients": ["tau"],
        "estimators": ("msqd", "kd"),
        "rng": 3,
    }
    theirs, _ = paired(published(folder, "kendall")["adhoc6", 10], 1 + PUBLISHED.index("kd"), 1)
    found = {}
    with drifting():
        for name in ("defined", "in R"):
            rows = study_estimators(folder / "adhoc6.csv", **options).values["adhoc6"][0, :, 0]
            found[name] = paired(rows, 2, 1)
            monkeypatch.setattr(swap_probabilities, "plug_in_bandwidths", bandwidths_in_r)
    assert round(theirs, 4) == 0.0401
    for name, beyond in (("defined", True), ("in R", False)):
        mean, error = found[name]
        assert bool(abs(mean - theirs) > 4.0 * error) is beyond, name


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_all_curves_agree_with_the_authors(data, name):
    """All sizes and estimators. Means exact, their actual values are lower; with their drift, as ours."""
    folder = data / "urbano2016"
    options: dict[str, Any] = {"collections": 100, "rng": 2}
    exact = study_estimators(folder / f"{name}.csv", **options)
    with drifting():
        drifted = study_estimators(folder / f"{name}.csv", **options)
    apart = np.array([gap for gap, _ in differences(drifted, folder).values()])
    assert np.abs(apart).max() < 4.0
    assert np.sqrt(np.square(apart).mean()) < 1.4
    actual = np.array([gap[-1] for _, gap in differences(exact, folder).values()])
    assert actual.mean() > 0.003


def paired(rows, first, second):
    """The mean difference between two columns of the same collections, and its standard error: very precise."""
    gap = rows[:, first] - rows[:, second]
    return gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap))


def agreement(title, study, folder):
    """In one line, how far our means are from theirs, in standard errors: 1 is chance."""
    apart = np.array([gap for gap, _ in differences(study, folder).values()])
    count = len(PUBLISHED)
    parts = {"error": apart[:, :count], "bias": apart[:, count : 2 * count], "actual": apart[:, -1]}
    words = ", ".join(f"{what} {rms(values):.2f}" for what, values in parts.items())
    pairs = []
    for coefficient in study.coefficients:
        theirs, which = published(folder, coefficient), study.coefficients.index(coefficient)
        for name, values in study.values.items():
            for place, size in enumerate(study.sizes):
                for other in (1 + PUBLISHED.index(one) for one in ("ml", "res", "kd")):
                    mine, my_se = paired(values[place, :, which], other, 1)
                    gap, se = paired(theirs[name, size], other, 1)
                    pairs.append(((mine - gap) / np.hypot(my_se, se), mine - gap))
    z, gaps = np.array(pairs).T
    say(f"{title}: root mean square difference in standard errors: {words}; largest {np.abs(apart).max():.1f}")
    say(f"  ml, res, kd less msqd, paired: {rms(z):.2f}; largest {np.abs(z).max():.1f}, {np.abs(gaps).max():.4f}")


def tables(collections, drifted, checkpoints):
    folder = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")) / "urbano2016"
    paths = [folder / f"{name}.csv" for name in COLLECTIONS]
    kept = {which: None if checkpoints is None else Path(checkpoints, which) for which in ("exact", "drifting")}
    exact = study_estimators(paths, collections=collections, checkpoint=kept["exact"])
    agreement("means exact", exact, folder)
    with drifting():
        agreement("drifting", study_estimators(paths, collections=drifted, checkpoint=kept["drifting"]), folder)
    for which, coefficient in enumerate(exact.coefficients):
        theirs = published(folder, coefficient)
        for what, part in (("error", 0), ("bias", len(PUBLISHED))):
            head = ("", "topics", "actual", *(["spread"] if what == "error" else []), *PUBLISHED)
            say(f"\n{coefficient}, {what}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
            for name in COLLECTIONS:
                for place, size in enumerate(SIZES):
                    rows = exact.values[name][place, :, which]
                    mine, other = summary(rows)[0], summary(theirs[name, size])[0]
                    columns = [-1, *range(part, part + len(PUBLISHED))]
                    cells = [f"{short(mine[k])} ({short(other[k])})" for k in columns]
                    if what == "error":
                        cells.insert(1, short(np.abs(rows[:, 0] - np.median(rows[:, 0])).mean()))
                    say(f"| {name if size == SIZES[0] else ''} | {size} | " + " | ".join(cells) + " |")


def say(text):
    sys.stdout.write(text + "\n")


def rms(values):
    return float(np.sqrt(np.square(values).mean()))


def short(value):
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", "−").replace("+", "")


if __name__ == "__main__":
    exact_means, drifted_means = map(int, sys.argv[1:3] or (1_000, 1_000))
    tables(exact_means, drifted_means, sys.argv[3] if len(sys.argv) > 3 else None)
