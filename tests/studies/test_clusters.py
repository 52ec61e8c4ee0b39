"""Groups that nobody named: systems that move together, and families by names."""

from dataclasses import replace
from typing import Any

import clustered
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_panels as oracle
import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.inference.residual_clusters import joined_systems
from rankscope.studies.clusters import most_favoured


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_clusters_are_those_of_the_literal_twin(seed):
    """Joined while closer than 95 of 99 closest pairs of dealt, and of shuffled, residuals: the twin's height."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((12, 6))
    table[:, 1:4] += rng.uniform(0.0, 3.0) * rng.standard_normal((12, 1))
    found = joined_systems(table, alpha=0.05, rng=seed, permutations=99)

    def scaled(residuals):
        centred = residuals - np.median(residuals, axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True))

    centred = scaled(table)
    generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    highest: list[list[float]] = [[], []]
    for _ in range(99):
        drawn = generator.permuted(centred, axis=1), scaled(generator.permuted(table, axis=0))
        for own, residuals in zip(highest, drawn, strict=True):
            matrix = np.corrcoef(residuals.T)
            own.append(max(matrix[i, j] for i in range(6) for j in range(i)))
    height = max(sorted(own)[-5] for own in highest)  # 4 drawn tables and the observed one are 5 of 100
    twin = oracle.average_linkage(np.asarray(np.corrcoef(centred.T)).tolist(), height)
    assert {frozenset(cluster.systems) for cluster in found} == twin
    assert all(cluster.pvalue <= 0.05 for cluster in found)


def moved(shift=0.0, seed=0, topics=40, systems=24):
    """A truth, and an estimate that moves the first five systems together from topic to topic, by `shift`."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.5, 0.1, systems) + rng.normal(0.0, 0.1, (topics, systems))
    estimate = truth + rng.normal(0.0, 0.03, (topics, systems))
    estimate[:, :5] += shift + 0.15 * rng.standard_normal((topics, 1))
    names = [f"team-{i}" if i < 5 else f"s{i}x" for i in range(systems)]
    where = [f"t{i}" for i in range(topics)]
    return rs.ScoreMatrix(truth, names, where, name="human"), rs.ScoreMatrix(estimate, names, where, name="llm")


@pytest.mark.parametrize(("shift", "favoured"), [(0.0, False), (0.15, True)])
def test_systems_that_move_together_are_found_and_tested_as_a_group_is(shift, favoured):
    truth, estimate = moved(shift)
    result = rs.compare(truth, estimate, clusters=True, resamples=50)
    (cluster,) = known(result.estimates[0].clusters)
    assert set(cluster.systems) == {f"team-{i}" for i in range(5)}
    assert (known(cluster.shift.pvalue) <= 0.05) == favoured
    named = {name: "team" if name.startswith("team") else "other" for name in truth.systems}
    group = rs.compare(truth, estimate, groups=named, resamples=50).estimates[0].groups[0]
    assert cluster.shift.advantage == group.advantage
    assert "5 systems move together under llm, in 1 cluster" in str(result)
    assert result.tables()["clusters"].rows[0][1] == "team-0, team-1, team-2, team-3, team-4"
    assert rs.compare(truth, estimate, resamples=0).estimates[0].clusters is None


def test_nothing_to_find_is_said():
    truth, estimate = moved()
    alone = [name for name in truth.systems if not name.startswith("team")]
    sides = [side.select(systems=alone) for side in (truth, estimate)]
    result = rs.compare(*sides, clusters=True, resamples=0)
    assert result.estimates[0].clusters == ()
    assert "moves no systems together more than chance" in str(result)
    constant = rs.ScoreMatrix(np.ones((4, 5)), [*"vwxyz"], [*"abcd"])
    assert joined_systems(constant.values, alpha=0.05, rng=0) == ()


@pytest.mark.parametrize(
    ("few", "why", "said"),
    [
        ({"most": 20}, "many systems", "there are more than 500 systems"),
        ({"topics": 2}, "few", "that needs 3 topics and 3 systems at least"),
        ({"constant": True}, "one score", "a side gives all systems the same mean"),
        ({"other": True}, "no shared topics", "that needs means over the same topics"),
    ],
)
def test_what_was_not_sought_is_not_called_absent(few, why, said, monkeypatch, tmp_path):
    """Absence of evidence: above the most systems nobody looked, so the text must not read as if none were found."""
    monkeypatch.setattr("rankscope.studies.clusters.MOST_SYSTEMS", few.get("most", 500))
    truth, estimate = moved(topics=few.get("topics", 40))
    if "constant" in few:
        estimate = rs.ScoreMatrix(np.ones(truth.values.shape), truth.systems, truth.topics, name="llm")
    topics: Any = "independent" if "other" in few else "auto"
    result = rs.compare(truth, estimate, clusters=True, resamples=0, topics=topics)
    (own,) = result.estimates
    assert (own.clusters, own.no_clusters) == (None, why)
    assert f"Systems that llm moves together were not sought: {said}" in str(result)
    assert "more than chance" not in str(result)
    if "most" in few:
        result.save(tmp_path / "page.html")
        assert "were not sought" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert rs.compare(truth, estimate, resamples=0).estimates[0].no_clusters is None


def test_many_answers_have_a_line_each_with_holm_over_answers():
    """Found, none found and not sought; Holm over the two that were sought: 2 × .02, and none counts as p = 1."""
    result = rs.compare(*moved(0.15), clusters=True, resamples=0)
    (cluster,) = known(result.estimates[0].clusters)
    track = rs.simulate_track(6, 8, depth=10, rng=1)
    quick: dict[str, Any] = {"resamples": 0, "random_draws": 0, "pseudo_draws": 0}
    report = rs.judge(track.runs, track.truth, dict.fromkeys("abc", track.truth), "AP", **quick)
    assert "move together" not in str(report)

    def text(pvalue: float) -> str:
        found = (replace(cluster, shift=replace(cluster.shift, pvalue=pvalue)),)
        clusters: list[dict[str, Any]] = [{"clusters": found}, {"clusters": ()}, {"no_clusters": "many systems"}]
        answers = [
            replace(own, agreement=replace(own.agreement, **given))
            for own, given in zip(report.answers, clusters, strict=True)
        ]
        return str(replace(report, answers=tuple(answers)))

    favoured, not_favoured = text(0.02), text(0.03)
    assert "Systems that move together (smallest p of a favour, by Holm over 2 answers)" in favoured
    assert "It favours team-0, team-1, team-2, team-3 and 1 more" in favoured
    assert "p = 0.0400" in favoured
    assert "None is significantly favoured or disfavoured (smallest p = 0.0600)" in not_favoured
    assert "• AP: b moves no systems together more than chance does" in favoured
    assert "• AP: Systems that c moves together were not sought: there are more than 500 systems" in favoured
    untested = replace(cluster, shift=replace(cluster.shift, pvalue=None))
    assert most_favoured([(untested,), ()]) == [None, None]
    assert most_favoured([]) == []


def test_families_by_names():
    names = [
        "ICT-BERT2",
        "ict_x",
        "runid2",
        "runid3",
        "meta-llama/Llama-3-8B",
        "vicuna-7b",
        "llama2",
        "solo",
        "12",
        "-",
    ]
    assert rs.name_families(names) == {
        **dict.fromkeys(names[:2], "ICT"),
        **dict.fromkeys(names[2:4], "runid"),
        **dict.fromkeys(["meta-llama/Llama-3-8B", "llama2"], "llama"),
        **dict.fromkeys(["vicuna-7b", "solo", "12", "-"], "other"),
    }
    with pytest.raises(rs.BadParameter, match="no two systems share a family"):
        rs.name_families(["a", "b"])


def test_groups_by_names_in_compare_and_judge():
    truth, estimate = moved(0.2)
    named = rs.compare(truth, estimate, groups="names", resamples=0).estimates[0].groups
    assert [(group.group, group.systems) for group in named] == [("team", 5), ("other", 19)]
    track = rs.simulate_track(6, 8, depth=10, rng=1)
    quick: dict[str, Any] = {"resamples": 0, "random_draws": 0, "pseudo_draws": 0}
    report = rs.judge(track.runs, track.truth, track.truth, "AP", groups="names", clusters=True, **quick)
    assert report.groups == rs.name_families(track.runs.systems)
    assert report.answers[0].agreement.clusters is not None


def test_on_the_command_line(tmp_path):
    for side in moved(0.2):
        rs.write_scores(side, tmp_path / f"{side.name}.csv")
    files = [str(tmp_path / "human.csv"), str(tmp_path / "llm.csv")]
    done = CliRunner().invoke(main, ["compare", *files, "--groups", "names", "--clusters", "--resamples", "20"])
    assert done.exit_code == 0, done.output
    assert "Systems that move together" in done.stdout
    assert "team " in done.stdout


def test_teams_of_dl19_are_found_without_a_file(data):
    """TREC DL 2019: near-copies of one team move together under every judge (names of runs tell the teams)."""
    folder = data / "dl19"
    quick: dict[str, Any] = {"resamples": 0, "random_draws": 0, "pseudo_draws": 0}
    report = rs.judge(
        folder / "runs",
        folder / "qrels.human.txt",
        folder / "judges" / "umbrela-gpt-4o.qrels",
        "nDCG@10",
        clusters=True,
        **quick,
    )
    found = [set(cluster.systems) for cluster in known(report.answers[0].agreement.clusters)]
    assert {"idst_bert_p1", "idst_bert_p2", "idst_bert_p3"} in found
    assert {"TUW19-p1-f", "TUW19-p1-re", "TUW19-p3-f", "TUW19-p3-re"} in found


def test_the_simulations_of_level_and_power_run():
    rng = np.random.default_rng(0)
    own = rng.standard_normal((20, 8))
    assert (clustered.level(lambda _: own, 3, permutations=19) <= 1.0).all()
    part, whole = clustered.power(own, 0.95, 3, permutations=39)
    assert part >= whole
