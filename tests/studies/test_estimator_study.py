"""The study of estimators: its numbers against a plain loop, and the same numbers however it is run."""

import csv
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import oracles
import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.cli.progress import Progress
from rankscope.cli.study import STUDIES, study
from rankscope.cli.study_options import PUBLISHED as PUBLISHED_WORDS
from rankscope.cli.values import Sizes
from rankscope.demo import demo_scores
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.expected import ESTIMATOR_NAMES
from rankscope.inference.resampling import one_blas_thread
from rankscope.studies import estimator_blocks
from rankscope.studies.blocks import run_blocks
from rankscope.studies.estimators import PUBLISHED
from rankscope.studies.tables import best_systems, named_tables

QUICK: dict[str, Any] = {"sizes": [6, 12], "collections": 30, "resamples": 40}


@pytest.fixture(scope="module")
def tables():
    scores = demo_scores(systems_per_family=3, topics=20)
    return {"human": scores["human"], "lenient": scores["lenient"]}


@pytest.fixture(scope="module")
def once(tables):
    return rs.study_estimators(tables, jobs=1, **QUICK)


def same(one, other):
    return list(one.values) == list(other.values) and all(
        np.array_equal(one.values[name], other.values[name], equal_nan=True) for name in one.values
    )


def test_the_command_line_lists_the_published_estimators():
    assert PUBLISHED_WORDS == PUBLISHED
    assert set(PUBLISHED) < set(ESTIMATOR_NAMES)


def test_errors_and_biases_are_means_over_the_collections(once, tables):
    assert once.systems == {name: best_systems(table).values.shape[1] for name, table in tables.items()}
    assert len(once.errors) == 2 * 2 * 2 * 6
    rows = list(csv.DictReader(io.StringIO(once.collection_table().to_csv())))
    assert len(rows) == 2 * 2 * 30 * 2
    for one in once.errors:
        mine = [
            (float(r[one.estimator]), float(r["actual"]))
            for r in rows
            if (r["scores"], int(r["topics"]), r["coefficient"]) == (one.scores, one.topics, one.coefficient)
        ]
        off = np.array([estimate - actual for estimate, actual in mine])
        assert one.collections == len(mine) == 30
        assert one.error == pytest.approx(np.abs(off).mean(), abs=1e-14)
        assert one.bias == pytest.approx(off.mean(), abs=1e-14)
        assert one.bias_se == pytest.approx(off.std(ddof=1) / np.sqrt(30), abs=1e-14)
        assert one.error_se == pytest.approx(np.abs(off).std(ddof=1) / np.sqrt(30), abs=1e-14)
        actual = np.array([actual for _, actual in mine])
        assert one.actual == pytest.approx(actual.mean(), abs=1e-14)
        assert one.spread == pytest.approx(min(np.abs(actual - value).mean() for value in actual), abs=1e-14)


def test_each_collection_is_what_simulating_and_estimating_it_gives(tables):
    """A plain loop over the public functions: fit, draw, correlate with the truth, estimate."""
    found = rs.study_estimators(tables["human"], sizes=[8], collections=3, estimators=["ml", "msqd"], rng=5)
    best = best_systems(tables["human"])
    model = rs.fit_collection(best)
    digest = hashlib.sha256("×".join(map(str, best.values.shape)).encode() + best.values.astype("<f8").tobytes())
    words = np.frombuffer(digest.digest()[:16], dtype="<u4").tolist()
    for number in range(3):
        seed = np.random.SeedSequence(5, spawn_key=(*words, 8, number)).spawn(2)[0]
        matrix = rs.ScoreMatrix(model.draw(8, np.random.default_rng(seed)))
        for which, (name, slow) in enumerate((("tau", oracles.tau_a), ("tau_ap", oracles.tau_ap))):
            row = found.values["human"][0, number, which]
            assert row[0] == pytest.approx(slow(best.means, matrix.means), abs=1e-12)
            assert row[1] == rs.expected_correlation(matrix, name, "ml", resamples=9).estimate
            assert row[2] == rs.expected_correlation(matrix, name, "msqd", resamples=9).estimate


def test_jobs_change_nothing(once, tables):
    assert same(once, rs.study_estimators(tables, jobs=2, **QUICK))


def test_blas_threads_change_nothing(monkeypatch):
    """Matrices of 70 systems and more are where two BLAS threads round otherwise than one."""
    scores = demo_scores(systems_per_family=25, topics=30)["human"]
    found = []
    for threads in (1, 2):
        monkeypatch.setattr(estimator_blocks, "_fitted", {})  # or the first fit would serve both
        with threadpool_limits(threads, user_api="blas"):
            found.append(rs.study_estimators(scores, sizes=[8], collections=2, estimators=["ml", "res"], jobs=1))
    assert same(*found)


def test_a_tables_numbers_do_not_depend_on_what_else_is_studied(once, tables):
    alone = rs.study_estimators([tables["lenient"].renamed("x")], estimators=["kd", "ml"], **{**QUICK, "sizes": [12]})
    columns = [0, 1 + PUBLISHED.index("kd"), 1 + PUBLISHED.index("ml")]
    assert np.array_equal(alone.values["x"][0], once.values["lenient"][1][:, :, columns])


def test_more_collections_begin_with_the_same_ones(once, tables):
    fewer = rs.study_estimators(tables, **{**QUICK, "collections": 7})
    assert all(np.array_equal(fewer.values[name], once.values[name][:, :7]) for name in tables)


def test_another_seed_gives_other_numbers(once, tables):
    assert not same(once, rs.study_estimators(tables, rng=1, **QUICK))


def test_any_coefficient_by_the_bayesian_estimators(tables):
    found = rs.study_estimators(
        tables["human"], coefficients=["rbo(p=0.8)", "tau_gap"], estimators=["bayes", "bayes_bootstrap"], **QUICK
    )
    assert found.coefficients == ("rbo(p=0.8)", "tau_gap")
    assert all(0.0 < one.error < 0.5 for one in found.errors)
    with pytest.raises(rs.BadParameter, match="takes tau and tau_ap, not rbo"):
        rs.study_estimators(tables["human"], coefficients=["rbo"], estimators=["bayes", "ml"])


def test_curves_and_json(once):
    bias = once.curves("human", "tau", "bias")
    assert bias.columns == ("topics", *PUBLISHED)
    assert [row[0] for row in bias.rows] == [6, 12]
    found = {(e.scores, e.coefficient, e.topics, e.estimator): e.bias for e in once.errors}
    assert bias.rows[1][2] == found["human", "kendall", 12, "ml"]
    with pytest.raises(rs.BadParameter, match="rbo of 'human' was not studied"):
        once.curves("human", "rbo")
    with pytest.raises(rs.BadParameter, match="error or bias"):
        once.curves("human", "tau", "variance")
    loaded = json.loads(once.to_json())
    assert len(loaded["errors"]) == len(once.errors)
    assert "values" not in loaded
    assert loaded["settings"]["drop"] == 0.25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": []}, "sizes"),
        ({"sizes": [3]}, "each 4 or more for shw"),
        ({"sizes": [1], "estimators": ["ml"]}, "each 2 or more"),
        ({"collections": 0}, "collections=0"),
        ({"resamples": 0}, "resamples=0"),
        ({"estimators": []}, "one name at least"),
        ({"estimators": "ml"}, "sequence"),
        ({"estimators": ["ml", "ml"]}, "each once"),
        ({"estimators": ["mll"]}, "did you mean ml"),
        ({"coefficients": []}, "one name at least"),
        ({"drop": 1.0}, "drop=1.0"),
        ({"rng": -1}, "rng=-1"),
        ({"jobs": 0}, "jobs=0"),
        ({"model": "magic"}, "one of effects, margins"),
    ],
)
def test_what_is_refused(tables, options, message):
    with pytest.raises(rs.RankscopeError, match=message):
        rs.study_estimators(tables, **{**QUICK, **options})


def test_scores_that_cannot_be_studied(tables):
    with pytest.raises(rs.MissingScores, match="without topics"):
        rs.study_estimators({"board": {"a": 1.0, "b": 2.0}}, **QUICK)
    with pytest.raises(rs.BadParameter, match="no scores"):
        rs.study_estimators([], **QUICK)
    with pytest.raises(rs.BadParameter, match="two score tables are called 'scores'"):
        named_tables([tables["human"].renamed("scores.csv"), tables["lenient"].renamed("scores")])
    with pytest.raises(rs.TooFewSystems, match="--drop 0"):
        rs.study_estimators([[0.1, 0.2], [0.3, 0.5]], **{**QUICK, "drop": 0.75})
    with pytest.raises(rs.BadParameter, match="outside the range"):
        rs.study_estimators(rs.ScoreMatrix(tables["human"].values * 3.0), **QUICK)
    wide = rs.study_estimators(rs.ScoreMatrix(tables["human"].values * 3.0), bounds=(0.0, 3.0), **QUICK)
    assert wide.errors[0].error > 0.0


def test_the_worst_quarter_is_left_out_as_published(data):
    """FACTS: 55 of adhoc6's 74 systems and 77 of adhoc7's 103 are left."""
    assert best_systems(data / "urbano2016" / "adhoc6.csv").values.shape == (50, 55)
    assert best_systems(data / "urbano2016" / "adhoc7.csv").values.shape == (50, 77)
    assert best_systems(data / "urbano2016" / "adhoc7.csv", 0.0).values.shape == (50, 103)


def test_few_values_and_identical_systems():
    """With 2 topics of P@2-like scores whole collections tie: nothing is estimated there, and nothing is said of it."""
    column = np.array([0.0, 0.0, 0.0, 0.5])
    values = np.stack([column, column, column[::-1] * 0.5 + 0.25 * (column > 0)], axis=1)
    found = rs.study_estimators(values, sizes=[2], collections=60, drop=0.0, estimators=["ml", "msqd"], resamples=9)
    defined = np.isfinite(found.values["scores"][0, :, 0]).all(axis=1)
    assert 0 < defined.sum() < 60
    assert all(one.collections == defined.sum() for one in found.errors)


# Checkpoints


def test_a_study_goes_on_where_it_was(tmp_path, once, tables):
    class Enough(Exception):
        pass

    def three(done, total):
        assert total == 8
        if done == 3:
            raise Enough

    with pytest.raises(Enough):
        rs.study_estimators(tables, checkpoint=tmp_path / "kept", progress=three, jobs=2, **QUICK)
    kept = sorted((tmp_path / "kept").glob("*.npz"))
    assert len(kept) == 3
    kept[0].write_bytes(kept[0].read_bytes()[:100])  # a disk that was full
    seen = []
    resumed = rs.study_estimators(tables, checkpoint=tmp_path / "kept", progress=lambda *x: seen.append(x), **QUICK)
    assert seen[0] == (2, 8)
    assert seen[-1] == (8, 8)
    assert same(once, resumed)
    larger = rs.study_estimators(tables, checkpoint=tmp_path / "kept", **{**QUICK, "sizes": [12, 6, 9]})
    assert same(once, rs.study_estimators(tables, checkpoint=tmp_path / "kept", **QUICK))
    assert all(np.array_equal(larger.values[name][1], once.values[name][0]) for name in tables)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"rng": 1}, "seed was 0 and is now 1"),
        ({"resamples": 41}, "resamples was 40 and is now 41"),
        ({"drop": 0.0}, "drop was 0.25 and is now 0.0"),
        ({"estimators": ["ml"]}, "estimators was"),
        ({"coefficients": ["tau"]}, "coefficients was"),
        ({"model": "margins"}, 'model was "effects"'),
    ],
)
def test_a_folder_of_other_settings_is_refused(tmp_path, tables, options, what):
    Checkpoint.open(tmp_path, {})  # makes the folder, not the study
    (tmp_path / "study.json").unlink()
    quick: dict[str, Any] = {"sizes": [6], "collections": 1, "resamples": 40}
    rs.study_estimators(tables["human"], checkpoint=tmp_path, **quick)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(rs.MismatchedCheckpoint, match=what):
        rs.study_estimators(tables["human"], checkpoint=tmp_path, **{**quick, **options})
    with pytest.raises(rs.MismatchedCheckpoint, match="scores was"):
        rs.study_estimators(rs.ScoreMatrix(tables["human"].values[::-1].copy()), checkpoint=tmp_path, **quick)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(rs.MismatchedCheckpoint, match="holds other things"):
        Checkpoint.open(tmp_path, {})
    (tmp_path / "study.json").write_text("{]")
    with pytest.raises(rs.UnrecognisedFormat, match="not a checkpoint"):
        Checkpoint.open(tmp_path, {})
    (tmp_path / "study.json").write_text('{"kind": "rankscope checkpoint", "settings": 3}')
    with pytest.raises(rs.UnrecognisedFormat, match="not a checkpoint"):
        Checkpoint.open(tmp_path, {})
    with pytest.raises(rs.UnwritableOutput, match="cannot be a folder"):
        Checkpoint.open(tmp_path / "thesis.tex" / "deeper", {})


def test_nothing_in_a_block_is_executed(tmp_path):
    kept = Checkpoint.open(tmp_path, {"seed": 0})
    np.savez(tmp_path / "evil.npz", values=np.array([{}], dtype=object), fingerprint=np.array(kept.fingerprint))
    assert kept.load("evil", (1,)) is None
    np.savez(tmp_path / "other.npz", values=np.zeros(2), fingerprint=np.array("another study"))
    assert kept.load("other", (1,)) is None
    kept.save("mine", np.array([np.nan, 0.1]))
    assert np.array_equal(known(kept.load("mine", (2,))), [np.nan, 0.1], equal_nan=True)
    assert set(zipfile.ZipFile(tmp_path / "mine.npz").namelist()) == {"values.npy", "fingerprint.npy"}


def test_names_that_are_no_file_names(tmp_path, tables):
    hostile = {"../../<script>\n": tables["human"], "täu/ρ": tables["lenient"]}
    found = rs.study_estimators(hostile, checkpoint=tmp_path / "kept", sizes=[6], collections=1, resamples=9)
    assert list(found.values) == list(hostile)
    assert len(list((tmp_path / "kept").glob("*.npz"))) == 2


def test_killed_and_run_again(tmp_path, tables):
    """SIGKILL in the middle of a run: what was finished is used, and the numbers are those of a run in one go."""
    rs.write_scores(tables["human"], tmp_path / "human.csv")
    words = [sys.executable, "-m", "rankscope", "study", "estimators", "human.csv", "--sizes", "40", "--seed", "3"]
    words += ["--collections", "400", "--estimator", "ml", "--estimator", "kd", "--jobs", "1", "--checkpoint", "kept"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 120
        while not list((tmp_path / "kept").glob("*.npz")) and time.monotonic() < deadline:
            time.sleep(0.002)
        running.send_signal(signal.SIGKILL)
    finally:
        running.kill()
        running.communicate()
    kept = len(list((tmp_path / "kept").glob("*.npz")))
    assert 1 <= kept < 16
    seen = []
    options: dict[str, Any] = {"sizes": [40], "collections": 400, "estimators": ["ml", "kd"], "rng": 3}
    human = {"human": rs.read_scores(tmp_path / "human.csv")}
    resumed = rs.study_estimators(human, checkpoint=tmp_path / "kept", progress=lambda *x: seen.append(x), **options)
    assert seen[0] == (kept, 16)
    assert same(resumed, rs.study_estimators(human, **options))


# The command


@pytest.fixture
def run(tmp_path, monkeypatch, tables):
    monkeypatch.chdir(tmp_path)
    for name, table in tables.items():
        rs.write_scores(table, tmp_path / f"{name}.csv")

    def invoke(*words):
        return CliRunner().invoke(main, ["study", "estimators", *map(str, words)], catch_exceptions=False)

    return invoke


SHORT = ("--sizes", "6,12", "--collections", 30, "--resamples", 40)


def test_the_command_says_what_the_library_does(run, once, tmp_path):
    done = run("human.csv", "lenient.csv", *SHORT, "--each", "each.csv", "--format", "json")
    assert done.exit_code == 0
    printed = json.loads(done.stdout)
    assert [source["role"] for source in printed["settings"].pop("inputs")] == ["scores", "scores"]
    assert printed == json.loads(once.to_json())
    assert (tmp_path / "each.csv").read_text() == once.collection_table().to_csv()
    text = run("human.csv", *SHORT).stdout
    assert "human, 9 systems, τ: mean absolute error" in text
    assert "τ_AP: bias, estimate minus actual" in text
    assert f"{once.curves('human', 'tau').rows[0][1]:.4f} ±" in text
    assert run("human.csv", *SHORT, "-o", "out.csv").stdout == ""
    assert (tmp_path / "out.csv").read_text().startswith("scores,topics,coefficient,estimator,error,")


def test_the_command_refuses_in_one_line(run):
    for words, message in (
        (("nowhere.csv",), "nowhere.csv"),
        (("human.csv", "--sizes", "3"), "each 4 or more for shw"),
        (("human.csv", "--sizes", "1O"), "'1O' is not a number of topics"),
        (("human.csv", "--cluster", "nonsense://x"), "no Dask scheduler answers there"),
        (("human.csv", "-c", "rbo"), "takes tau and tau_ap"),
    ):
        done = run(*words, *(SHORT[2:] if "--sizes" in words else SHORT))
        assert done.exit_code == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert not done.stdout


def test_an_interrupted_command_says_where_the_parts_are(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rankscope.studies.estimators.run_blocks", lambda *_, **__: interrupt())
    done = run("human.csv", *SHORT, "--checkpoint", "kept")
    assert done.exit_code == 130
    assert "finished parts are in kept" in done.stderr
    assert "nothing is kept" in run("human.csv", *SHORT).stderr


@pytest.mark.parametrize("live", [True, False])
def test_progress_tells_the_pace_of_this_run(monkeypatch, capsys, live):
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: live, raising=False)
    quiet, tell = Progress("Simulating", quiet=True), Progress("Simulating", quiet=False)
    for done, now in ((40, 0.0), (41, 1.0), (50, 100.0), (50, 100.1), (100, 200.0)):
        clock[0] = now
        tell(done, 100)
        quiet(done, 100)
    tell.close()
    said = capsys.readouterr().err
    assert said.startswith("Simulating: 40 of 100 parts are there already\n")
    assert "Simulating: 50 of 100 parts, 8 min left" in said
    assert said.count("parts") == 3
    assert said.endswith("\r\x1b[K" if live else "0 s left\n")


def test_every_study_is_there():
    context = study.make_context("study", ["--help"], resilient_parsing=True)
    for name in (one.name for one in STUDIES):
        command = known(study.get_command(context, name))
        assert command.name == name
        assert command.help
    assert study.get_command(context, "nothing") is None


@given(st.lists(st.integers(0, 500), min_size=1, max_size=8, unique=True))
def test_sizes_in_a_list(sizes):
    assert Sizes().convert(",".join(map(str, sizes)), None, None) == tuple(sizes)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 40))
def test_sizes_in_ranges(first, more, step):
    assert Sizes().convert(f"{first}..{first + more}:{step}", None, None) == tuple(range(first, first + more + 1, step))
    assert Sizes().convert(f" {first}..{first + more} ", None, None) == tuple(range(first, first + more + 1, 10))


@pytest.mark.parametrize("text", ["", "10,", "10-20", "10..", "20..10", "10..20:0", "-5", "ten", "1e2", "²"])
def test_sizes_that_are_none(text):
    with pytest.raises(click.BadParameter):
        Sizes().convert(text, None, None)


# Blocks


class Square:
    shape = (1,)

    def __init__(self, number, fail=False):
        self.number, self.fail, self.name = number, fail, f"square-{number}"

    def run(self):
        if self.fail:
            raise rs.BadParameter("no such square")
        return np.array([self.number**2.0])


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_blocks_come_back_in_order(jobs):
    assert [float(x[0]) for x in run_blocks([Square(k) for k in range(9)], jobs=jobs)] == [k**2 for k in range(9)]
    assert run_blocks([], jobs=jobs) == []
    with pytest.raises(rs.BadParameter, match="no such square"):
        run_blocks([Square(1), Square(2, fail=True), Square(3)], jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_libraries_are_looked_for_once(monkeypatch, jobs):
    """While they are, in C, an interrupt would be lost."""
    looked = []

    def look(*args, **options):
        looked.append(1)
        return threadpool_limits(1)

    monkeypatch.setattr("threadpoolctl.threadpool_limits", look)
    run_blocks([Square(k) for k in range(9)], jobs=jobs)
    assert looked == [1]


def test_blas_threads_are_restored():
    def threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == before


def test_first_results_come_early_and_are_those_of_fewer_collections():
    scores = demo_scores()["human"]
    said: list[rs.EstimatorStudy] = []
    options: dict[str, Any] = {"sizes": [12, 10], "estimators": ["ml", "msqd"], "jobs": 2}
    whole = rs.study_estimators(scores, collections=60, early=said.append, **options)
    few = rs.study_estimators(scores, collections=25, early=said.append, **options)
    assert [study.to_dict() for study in said] == [few.to_dict()]
    (values,) = whole.values.values()
    (first,) = few.values.values()
    np.testing.assert_array_equal(values[:, :25], first)


def test_first_results_are_said_line_by_line(tmp_path):
    rs.write_scores(demo_scores()["human"], tmp_path / "human.csv")
    words = ["study", "estimators", str(tmp_path / "human.csv"), "--sizes", "10", "--collections", "30"]
    said = CliRunner().invoke(main, [*words, "--estimator", "ml"]).stderr
    assert said.startswith("rankscope: first results, the rest follows\nError and bias of estimators")
    assert "\\n" not in said
    assert CliRunner().invoke(main, [*words, "--estimator", "ml", "--quiet"]).stderr == ""
