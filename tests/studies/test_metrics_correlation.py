"""Correlations between measures: the twins, resampling, clusters, pooling, and what is refused."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_metrics as oracles
import rankscope as rs
from narrowing import known
from rankscope.inference.resampling import generators, topic_counts
from rankscope.measure_table import read_collections
from rankscope.studies.metrics.clusters import clusters
from rankscope.studies.metrics.correlation import _drawn
from rankscope.studies.metrics.observations import correlations_from, observe

HOSTILE = ("<script>", "[red]x", "ρ, τ", "a&b_c", "=cmd()")


def collection(seed, topics=8, systems=6, names=("AP", "nDCG", "RR", "P@10"), places=2):
    random = np.random.default_rng(seed)
    ability = random.uniform(0.2, 0.8, systems)
    return {
        name: np.clip(ability + 0.2 * (1 + i) * random.standard_normal((topics, systems)), 0.0, 1.0).round(places)
        for i, name in enumerate(names)
    }


@given(st.integers(0, 500), st.sampled_from(["topics", "systems"]))
def test_pearson_by_its_definition(seed, by):
    table = collection(seed)
    found = rs.correlate_measures(table, by=by, resamples=0).parts[0]
    columns = [values.ravel() if by == "topics" else values.mean(axis=0) for values in table.values()]
    for i, j in itertools.combinations(range(4), 2):
        assert found.matrix[i, j] == pytest.approx(oracles.correlation(columns[i], columns[j]), abs=1e-12)
    assert found.observations == (48 if by == "topics" else 6)


@pytest.mark.parametrize("name", ["kendall", "spearman", "tau_ap", "rbo(p=0.8)", "tau_gap"])
@pytest.mark.parametrize("by", ["topics", "systems"])
def test_any_coefficient_with_the_first_as_the_truth(name, by):
    table = collection(1, places=6)
    found = rs.correlate_measures(table, by=by, coefficient=name, resamples=0)
    columns = [values.ravel() if by == "topics" else values.mean(axis=0) for values in table.values()]
    chosen = rs.coefficient(name)
    matrix = found.parts[0].matrix
    for i, j in itertools.permutations(range(4), 2):
        assert matrix[i, j] == pytest.approx(chosen(columns[i], columns[j]), abs=1e-12)
    assert len(found.parts[0].pairs) == (6 if chosen.symmetric else 12)


def test_pooled_collections_are_rows_of_one_table():
    first, second = collection(1), collection(2, topics=5, systems=9)
    pooled = rs.correlate_measures([first, second], resamples=0).parts
    assert [part.collection for part in pooled] == ["pooled"]
    both = {name: np.concatenate([first[name].ravel(), second[name].ravel()]) for name in first}
    np.testing.assert_allclose(pooled[0].matrix, np.corrcoef(list(both.values())))
    each = rs.correlate_measures([first, second], pooled=False, resamples=0).parts
    assert [part.collection for part in each] == ["scores (1)", "scores (2)"]
    np.testing.assert_allclose(each[1].matrix, rs.correlate_measures(second, resamples=0).parts[0].matrix)


def test_drawn_covariances_are_those_of_drawn_topics():
    """Sums over topics give what the rows of the drawn topics, written out, give."""
    first, second = collection(3), collection(4, topics=5, systems=7)
    found = observe(read_collections([first, second]), "topics")
    drawn = found.resampled_covariances(draws=7, rng=11)
    (generator, size) = next(iter(generators(11, 7)))
    assert size == 7
    counts = [topic_counts(generator, topics, 7) for topics in (8, 5)]
    for draw in range(7):
        rows = [
            row
            for table, each in zip(found.tables, counts, strict=True)
            for topic, count in zip(known(table.by_topic), each[draw], strict=True)
            for _ in range(int(count))
            for row in topic
        ]
        np.testing.assert_allclose(drawn[draw], np.cov(np.array(rows).T), atol=1e-14)


def test_drawn_systems_and_drawn_means():
    table = collection(5)
    by_systems = observe(read_collections(table), "systems")
    (generator, _) = next(iter(generators(2, 4)))
    counts = topic_counts(generator, 8, 4)
    wanted = [np.cov([(c[:, None] * cells).sum(axis=0) / 8 for cells in table.values()]) for c in counts]
    np.testing.assert_allclose(by_systems.resampled_covariances(draws=4, rng=2), wanted, atol=1e-14)
    flat = observe(read_collections({name: cells.mean(axis=0) for name, cells in table.items()}), None)
    assert (flat.unit, flat.by) == ("systems", "systems")
    (generator, _) = next(iter(generators(2, 4)))
    counts = topic_counts(generator, 6, 4)
    rows = flat.tables[0].values
    wanted = [np.cov(np.repeat(rows, c.astype(int), axis=0).T) for c in counts]
    np.testing.assert_allclose(flat.resampled_covariances(draws=4, rng=2), wanted, atol=1e-14)


def test_pearson_from_sums_is_pearson_from_rows():
    """The fast road for Pearson and the common road for all coefficients draw alike."""
    table = collection(6)
    found = observe(read_collections(table), "topics")
    fast = correlations_from(found.resampled_covariances(draws=9, rng=1))
    slow = found.resampled(lambda batch: [np.corrcoef(rows.T) for rows in batch], draws=9, rng=1)
    np.testing.assert_allclose(fast, np.concatenate(slow), atol=1e-12)


def test_systems_that_tie_exactly_tie_in_every_draw():
    """Means in draws are exact sums: a copy of a system never parts from it by rounding."""
    random = np.random.default_rng(0)
    ap = random.uniform(size=(30, 10))
    ap[:, 7] = ap[:, 2]
    found = observe(read_collections({"AP": ap, "RR": random.uniform(size=(30, 10))}), "systems")
    for batch in found.resampled(lambda rows: rows, draws=300, rng=0):
        assert (batch[:, 7, 0] == batch[:, 2, 0]).all()


def test_intervals_hold_the_value_and_narrow_with_topics():
    few, many = (rs.correlate_measures(collection(8, topics=t, systems=12), resamples=300) for t in (10, 160))
    for found in (few, many):
        for pair in found.parts[0].pairs:
            assert known(pair.interval).low <= pair.value <= known(pair.interval).high
    intervals = [[known(pair.interval) for pair in f.parts[0].pairs] for f in (few, many)]
    width = [np.mean([interval.high - interval.low for interval in of_pairs]) for of_pairs in intervals]
    assert width[1] < width[0] / 2


def test_the_number_of_jobs_changes_nothing():
    table = collection(9)
    for name in ("pearson", "kendall"):
        one, two = (rs.correlate_measures(table, coefficient=name, resamples=600, jobs=j) for j in (1, 2))
        assert one.to_json() == two.to_json()


@given(st.integers(0, 2_000), st.integers(2, 7))
def test_clusters_are_average_linkage(seed, size):
    random = np.random.default_rng(seed)
    correlations = np.atleast_2d(np.corrcoef(random.standard_normal((size, 30))))
    found = clusters(correlations, [str(i) for i in range(size)], 0.1)
    wanted = oracles.average_linkage(correlations)
    sides = [{frozenset(map(int, m.first)), frozenset(map(int, m.second))} for m in found.merges]
    assert sides == [{frozenset(a), frozenset(b)} for a, b, _ in wanted]
    np.testing.assert_allclose([m.correlation for m in found.merges], [r for *_, r in wanted], atol=1e-12)


@given(st.integers(0, 500), st.integers(2, 6))
def test_leaves_lie_as_close_as_the_tree_allows(seed, size):
    random = np.random.default_rng(seed)
    correlations = np.atleast_2d(np.corrcoef(random.standard_normal((size, 12))))
    found = clusters(correlations, [str(i) for i in range(size)], 0.5)

    def orders(members):
        if len(members) == 1:
            return [tuple(members)]
        merge = next(m for m in found.merges if {*m.first, *m.second} == set(members))
        parts = [orders(side) for side in (merge.first, merge.second)]
        return [a + b for x, y in (parts, parts[::-1]) for a in x for b in y]

    def length(order):
        return sum(1.0 - correlations[int(a), int(b)] for a, b in itertools.pairwise(order))

    everything = orders(found.order)
    assert found.order in everything
    assert length(found.order) == pytest.approx(min(map(length, everything)), abs=1e-9)


def test_groups_at_thresholds():
    names = ["a", "b", "c"]
    correlations = np.array([[1.0, 0.95, 0.2], [0.95, 1.0, 0.3], [0.2, 0.3, 1.0]])
    assert clusters(correlations, names, 0.95).groups == (("a", "b"), ("c",))
    assert clusters(correlations, names, 0.96).groups == (("a",), ("b",), ("c",))
    assert clusters(correlations, names, 0.25).groups == (("a", "b", "c"),)


def test_partners_and_the_least_correlated():
    random = np.random.default_rng(0)
    base = random.standard_normal(200)
    table = {"a": base, "b": base + 0.1 * random.standard_normal(200), "odd": random.standard_normal(200)}
    found = rs.correlate_measures(table).parts[0]
    assert [(p.measure, p.partner) for p in found.partners[:2]] == [("a", "b"), ("b", "a")]
    assert found.least == "odd"
    assert found.partners[2].mean == pytest.approx((found.matrix[2, 0] + found.matrix[2, 1]) / 2)


def test_without_topics_it_says_why_there_are_no_intervals():
    found = rs.correlate_measures({"a": [1, 2, 3, 5], "b": [2, 1, 4, 4]})
    assert found.no_interval == "no topics"
    assert found.parts[0].pairs[0].interval is None
    assert rs.correlate_measures(collection(0), resamples=0).no_interval == "no resamples"


def test_hostile_names_survive_every_format():
    found = rs.correlate_measures(collection(2, names=HOSTILE), resamples=20)
    assert json.loads(found.to_json())["measures"] == list(HOSTILE)
    assert found.to_csv().count("\n") == 11
    assert "\\_" in found.to_latex()
    assert "<script>" not in found._repr_html_()
    assert set(found.matrix_table().columns[1:]) == set(HOSTILE)
    assert len(found.partner_table().rows) == 5


@pytest.mark.parametrize(
    ("table", "kind", "problem"),
    [
        ({"AP": [0.1, 0.2, 0.3], "RR": [0.5, 0.5, 0.5]}, "ConstantMeasure", "'RR' scores all systems alike"),
        ({"AP": [0.1, 0.2, 0.3]}, "BadParameter", "one measure only"),
        ({"AP": [0.1, 0.2], "RR": [0.5, 0.4]}, "TooFewSystems", "2 systems"),
        ({"AP": {"x": 0.1, "y": 0.2, "z": 0.3}, "RR": {"x": 0.5, "y": 0.1}}, "MismatchedNames", "RR lacks 'z' of 3"),
        ({"AP": {"x": 0.1, "y": 0.2}, "RR": {"x": 0.5, "y": None}}, "MissingScores", "1 of 4 scores .*: RR of y"),
        ({"AP": [0.1, 0.2, 0.3], "RR": [0.5, 0.4]}, "MismatchedNames", "numbers differ"),
        ({"AP": {"x": 0.1, "y": 0.2}, "RR": [0.5, 0.4]}, "UnnamedData", "does not name its systems"),
        ({}, "BadParameter", "no measures"),
    ],
)
def test_bad_tables_are_refused(table, kind, problem):
    with pytest.raises(getattr(rs, kind), match=problem):
        rs.correlate_measures(table)


def test_bad_options_are_refused():
    table = collection(0)
    for options, kind, problem in (
        ({"threshold": 2.0}, rs.BadParameter, "threshold="),
        ({"level": 1.0}, rs.BadParameter, "level="),
        ({"resamples": -1}, rs.BadParameter, "resamples="),
        ({"coefficient": "tauu"}, rs.UnknownName, "tauu"),
        ({"measures": ["AP", "map"]}, rs.BadParameter, "more than once"),
        ({"measures": ["AP", "ERR"]}, rs.UnknownMeasure, "no measure 'ERR'; there is"),
    ):
        with pytest.raises(kind, match=problem):
            rs.correlate_measures(table, **options)
    with pytest.raises(rs.BadParameter, match=r"tau_gap@3 is undefined between AP and nDCG"):
        rs.correlate_measures(collection(1, topics=40), coefficient="tau_gap@3")
    with pytest.raises(rs.MissingScores, match="no scores by topic"):
        rs.correlate_measures({"a": [1, 2, 3], "b": [3, 1, 2]}, by="topics")
    with pytest.raises(rs.MismatchedNames, match="different measures"):
        rs.correlate_measures([collection(0), collection(0, names=("AP", "nDCG", "RR", "P@20"))])
    with pytest.raises(rs.BadParameter, match="no collections"):
        rs.correlate_measures([])


def gappy(seed, share, topics=6, systems=5):
    """A collection in which a share of the scores is missing, never all of a measure."""
    random = np.random.default_rng(seed)
    table = collection(seed, topics=topics, systems=systems)
    for cells in table.values():
        cells[random.uniform(size=cells.shape) < share] = np.nan
        cells[0, :2] = 0.25, 0.75
    return table


def rows_of(table, by="topics"):
    cells = np.stack(list(table.values()), axis=-1)
    return cells.reshape(-1, len(table)) if by == "topics" else cells.mean(axis=0).round(9)


@given(st.integers(0, 500), st.sampled_from([0.0, 0.1, 0.5, 0.9]), st.sampled_from(["pearson", "kendall", "tau_ap"]))
def test_every_pair_over_the_cells_that_both_have(seed, share, name):
    table, chosen = gappy(seed, share), rs.coefficient(name)
    definition = oracles.correlation if name == "pearson" else chosen
    wanted, counts = oracles.pairwise(rows_of(table).tolist(), definition)
    if np.isnan(wanted[~np.eye(4, dtype=bool)]).all():
        with pytest.raises(rs.MissingScores, match="no two measures have a correlation"):
            rs.correlate_measures(table, coefficient=name, on_missing="pairwise", resamples=0)
        return
    part = rs.correlate_measures(table, coefficient=name, on_missing="pairwise", resamples=0).parts[0]
    np.testing.assert_allclose(part.matrix, wanted, atol=1e-12)
    for pair in part.pairs:
        i, j = (list(table).index(measure) for measure in (pair.first, pair.second))
        assert pair.observations == counts[i, j]
        assert (pair.undefined is None) == np.isfinite(pair.value)
        assert (pair.undefined == "too few") == (counts[i, j] < 3)
    for group in part.clusters.groups:
        for a, b in itertools.combinations([list(table).index(measure) for measure in group], 2):
            assert len(group) > 2 or np.isfinite(wanted[a, b])


@pytest.mark.parametrize("name", ["pearson", "kendall"])
@pytest.mark.parametrize("by", ["topics", "systems"])
def test_draws_follow_the_same_rule(name, by):
    """The rows of the drawn topics, written out, then every pair over what both have."""
    table = gappy(3, 0.03 if by == "systems" else 0.4, topics=7, systems=9)
    found = observe(read_collections(table, on_missing="pairwise", pairs=True), by)
    drawn = _drawn(found, rs.coefficient(name), 6, 5, None)
    (generator, _) = next(iter(generators(5, 6)))
    definition = oracles.correlation if name == "pearson" else rs.coefficient(name)
    for counts, matrix in zip(topic_counts(generator, 7, 6), drawn, strict=True):
        again = {measure: np.repeat(cells, counts.astype(int), axis=0) for measure, cells in table.items()}
        # A system's mean is there if no topic is missing, drawn or not.
        rows = rows_of(again, by) + 0.0 * (rows_of(table, by) if by == "systems" else 0.0)
        np.testing.assert_allclose(matrix, oracles.pairwise(rows.tolist(), definition)[0], atol=1e-9)


def test_pairwise_is_the_same_as_ever_without_gaps():
    table = collection(4)
    plain, pairwise = (rs.correlate_measures(table, resamples=50, on_missing=how) for how in ("error", "pairwise"))
    assert plain.table() == pairwise.table()
    assert {pair.observations for pair in plain.parts[0].pairs} == {48}


def test_fewer_topics_give_wider_intervals_and_one_gives_none():
    table = {name: cells.copy() for name, cells in collection(8, topics=12, systems=20).items()}
    whole = rs.correlate_measures(table, resamples=200).parts[0].pairs
    table["AP"][4:] = np.nan
    table["RR"][1:] = np.nan
    pairs = rs.correlate_measures(table, resamples=200, on_missing="pairwise").parts[0].pairs
    by_name = {(pair.first, pair.second): pair for pair in pairs}
    before = known(whole[0].interval)
    after = known(by_name["AP", "nDCG"].interval)
    assert by_name["AP", "nDCG"].observations == 80
    assert after.high - after.low > before.high - before.low
    assert by_name["AP", "RR"].interval is None
    assert by_name["AP", "RR"].observations == 20


def test_a_pair_without_shared_cells_is_undefined_everywhere():
    table = collection(2, topics=6)
    table["AP"][3:] = np.nan
    table["RR"][:3] = np.nan
    found = rs.correlate_measures(table, on_missing="pairwise", resamples=0)
    (undefined,) = [pair for pair in found.parts[0].pairs if pair.undefined]
    assert (undefined.first, undefined.second, undefined.observations) == ("AP", "RR", 0)
    assert undefined.undefined == "too few"
    assert json.loads(found.to_json())["parts"][0]["matrix"][0][2] is None
    assert found.table().rows[-1][1:3] == ("AP", "RR")
    text = str(found)
    assert "36 observations, 0 to 36 shared by a pair" in text
    assert "1 of 6 pairs undefined, fewer than 3 observations shared (1): 'AP and RR'." in text
    assert '"observations"' in found.chart().to_json()


def test_leaderboards_with_gaps_as_open_llm_has():
    table = {
        "IFEval": {"a": 1.0, "b": 2.0, "c": 4.0, "d": 3.0},
        "BBH": {"b": 3.0, "c": 5.0, "d": 4.0, "e": 9.0},
        "GPQA": {"e": 1.0, "a": 2.0},
    }
    with pytest.raises(rs.MismatchedNames, match="not all measures score the same systems"):
        rs.correlate_measures(table)
    part = rs.correlate_measures(table, on_missing="pairwise").parts[0]
    assert [(p.first, p.second, p.observations) for p in part.pairs] == [
        ("IFEval", "BBH", 3), ("IFEval", "GPQA", 1), ("BBH", "GPQA", 1)
    ]  # fmt: skip
    assert part.pairs[0].value == pytest.approx(1.0)
    assert part.partners[2].partner is None
    kept = rs.read_measures(table, on_missing="keep")
    assert not kept.complete
    for study in (rs.rank_measures, rs.predict_measures):
        with pytest.raises(rs.BadParameter, match=r"every measure must have every score: use on_missing='intersect'"):
            study(table, on_missing="pairwise")  # type: ignore[arg-type]
        with pytest.raises(rs.MissingScores, match="scores are missing"):
            study(kept)
    with pytest.raises(rs.MissingScores, match="scores are missing"):
        rs.correlate_measures(kept)
    two = kept.select(["IFEval", "BBH"])
    assert rs.correlate_measures(two, on_missing="intersect").parts[0].observations == 3


def test_web2012_by_topics(data):
    """Computed once with pandas: frame.corr() over the 2,400 cells."""
    found = rs.correlate_measures(data / "web2012", resamples=0)
    assert found.measures == ("AP", "ERR@20", "nDCG@20", "P@10", "P@20", "RR")
    assert found.parts[0].observations == 2_400
    assert found.parts[0].matrix[0, 4] == pytest.approx(0.8040449090, abs=1e-9)
    assert found.parts[0].matrix[1, 2] == pytest.approx(0.7500467779, abs=1e-9)


def test_findings_of_figure_1_on_two_collections(data):
    """Section 4 of Gupta et al., on runs of two other tracks, by cells of topics × systems, pooled."""
    tables = [
        rs.measure_runs(data / name / "runs", data / name / qrels)
        for name, qrels in (("covid1", "qrels.txt"), ("dl19", "qrels.human.txt"))
    ]
    found = rs.correlate_measures(tables, resamples=0)
    part = found.parts[0]
    r = {(a, b): part.matrix[i, j] for i, a in enumerate(found.measures) for j, b in enumerate(found.measures)}
    partner = {p.measure: p.partner for p in part.partners}
    assert part.observations == 143 * 30 + 37 * 43
    assert min(r["Rprec", other] for other in ("bpref", "AP@1000", "nDCG@100")) > 0.89
    assert partner["RR"] == "RBP(p=0.5)"
    assert r["RR", "RBP(p=0.5)"] > r["RR", "RBP(p=0.8)"] > r["RR", "RBP(p=0.95)"]
    assert r["nDCG@20", "RBP(p=0.8)"] > 0.93
    assert min(r["nDCG@1000", "AP@1000"], r["nDCG@1000", "Rprec"]) > 0.9
    recalls = [r["nDCG@1000", f"R@{k}"] for k in (10, 20, 100, 1000)]
    assert recalls == sorted(recalls)
    assert (partner["P@10"], partner["P@20"]) == ("RBP(p=0.8)", "RBP(p=0.95)")
    gains = [r["RBP(p=0.5)", f"nDCG@{k}"] for k in (10, 20, 100, 1000)]
    assert gains == sorted(gains, reverse=True)
    assert part.least == "P@1000"
