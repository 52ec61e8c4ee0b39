"""`rankscope metrics` as a user meets it: what it prints, where it goes, and errors in one line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.studies.metrics.nonlinear import MODELS


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words):
        return CliRunner().invoke(main, ["metrics", *(str(word) for word in words)], catch_exceptions=False)

    return invoke


@pytest.fixture
def tables(tmp_path):
    """Three leaderboards and two folders of topics × systems, one table a measure."""
    paths = []
    for seed, name in enumerate(("train", "wt12", "wt13")):
        random = np.random.default_rng(seed)
        ability = random.uniform(size=15)
        columns = {m: (ability + 0.2 * random.uniform(size=15)).round(4) for m in ("map", "P_10", "bpref", "ndcg")}
        lines = [",".join(["system", *columns])]
        lines += [",".join([f"s{i}", *(str(column[i]) for column in columns.values())]) for i in range(15)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "web"
    inner.mkdir()
    random = np.random.default_rng(9)
    ability = random.uniform(size=8)
    for name in ("ap", "p10", "rr"):
        cells = np.clip(ability + 0.3 * random.standard_normal((10, 8)), 0, 1).round(3)
        lines = [",".join(["topic", *(f"s{i}" for i in range(8))])]
        lines += [",".join([str(t), *map(str, row)]) for t, row in enumerate(cells, 1)]
        (inner / f"web_{name}.csv").write_text("\n".join(lines) + "\n")
    return inner


def test_correlate_from_a_folder(run, folder):
    done = run("correlate", folder, "--resamples", 50)
    assert done.exit_code == 0
    assert done.stdout.startswith("How 3 measures correlate (pearson) over cells of topics × systems: web\n")
    assert "95 % interval" in done.stdout
    assert not done.stderr
    by_systems = run("correlate", folder, "--by", "systems", "-c", "kendall", "--resamples", 0, "--threshold", 0.5)
    assert "(kendall) over systems" in by_systems.stdout
    assert "Groups at a mean of 0.5" in by_systems.stdout


def test_json_equals_the_librarys(run, folder, tables):
    done = run("correlate", folder, "--resamples", 50, "--format", "json")
    assert json.loads(done.stdout) == json.loads(rs.correlate_measures(folder, resamples=50).to_json())
    done = run("predict", tables[0], "--dev", tables[1], "--test", tables[2], "--max-predictors", 2, "--format", "json")
    wanted = rs.predict_measures(tables[0], development=tables[1], tests=tables[2], max_predictors=2)
    assert json.loads(done.stdout) == json.loads(wanted.to_json())
    done = run("rank", *tables, "--format", "json", "--resamples", 20)
    assert json.loads(done.stdout) == json.loads(rs.rank_measures(tables, resamples=20).to_json())


def test_each_collection_or_all_pooled(run, tables):
    pooled = json.loads(run("correlate", *tables, "--format", "json").stdout)
    each = json.loads(run("correlate", *tables, "--each", "--format", "json").stdout)
    assert [part["collection"] for part in pooled["parts"]] == ["pooled"]
    assert [part["collection"] for part in each["parts"]] == ["train", "wt12", "wt13"]


def test_predict_with_a_split(run, tables):
    done = run(
        "predict",
        tables[0],
        "--dev",
        tables[1],
        "--test",
        tables[2],
        "-t",
        "map",
        "--using",
        "P_10,bpref",
        "--max-predictors",
        2,
        "--choose",
        "r2",
    )
    assert done.exit_code == 0
    assert "τ wt12" in done.stdout
    assert "The best of 3 subsets for each target and size, by R² on wt12" in done.stdout
    assert "nDCG" not in done.stdout


def test_predict_by_cross_validation(run, tables):
    done = run("predict", *tables, "-t", "AP", "-m", "AP,P@10,bpref", "--max-predictors", 1, "--format", "csv")
    assert done.stdout.splitlines()[0] == "target,size,predictors,model,tau,r2"
    assert len(done.stdout.splitlines()) == 2


def test_a_number_that_a_paper_lacks(run, tables):
    done = run("predict", *tables, "--given", "P@10=0.51,bpref=0.7", "--target", "AP", "--level", 0.8)
    assert done.exit_code == 0
    assert done.stdout.startswith("AP ≈ 0.")
    assert "80 % interval" in done.stdout
    assert "Given P@10 = 0.51, bpref = 0.7. Fitted on 45 systems of train, wt12, wt13" in done.stdout


def test_other_models(run, tables):
    pytest.importorskip("sklearn")
    done = run(
        "predict",
        tables[0],
        "--dev",
        tables[1],
        "-t",
        "AP",
        "--max-predictors",
        1,
        "--model",
        "linear",
        "--model",
        "svr",
        "--model",
        "boosting",
    )
    assert done.exit_code == 0
    assert all(f" {model} " in done.stdout for model in MODELS)


def test_rank_with_every_method(run, tables):
    done = run(
        "rank",
        *tables,
        "--method",
        "backward",
        "--method",
        "forward",
        "--method",
        "row_sums",
        "--top",
        2,
        "--resamples",
        20,
        "--matrix",
        "correlation",
    )
    assert done.exit_code == 0
    assert "row sums (the authors' script)" in done.stdout
    assert "in top 2" in done.stdout
    assert "draws of systems (there are no topics)" in done.stdout


def write_runs(folder, seed):
    runs = folder / "runs"
    runs.mkdir(parents=True)
    random = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(60)]
    relevant = {t: set(random.choice(documents, 12, replace=False)) for t in "1234"}
    for s in range(9):
        lines = []
        for topic, good in relevant.items():
            scores = {d: random.uniform() + (d in good) * 0.1 * s for d in documents}
            order = sorted(documents, key=scores.__getitem__, reverse=True)[:40]
            lines += [f"{topic} Q0 {d} {i} {60 - i} t" for i, d in enumerate(order)]
        (runs / f"sys{s}.run").write_text("\n".join(lines) + "\n")
    lines = [f"{t} 0 {d} {int(d in good) * (1 + int(d[1:]) % 2)}" for t, good in relevant.items() for d in documents]
    (folder / "qrels").write_text("\n".join(lines) + "\n")
    return runs, folder / "qrels"


def test_three_analyses_from_runs(run, tmp_path):
    first, second = write_runs(tmp_path / "robust", 1), write_runs(tmp_path / "web", 2)
    both = ("--runs", *first, "--runs", *second)
    done = run("correlate", *both, "-m", "gupta2019", "--resamples", 20, "--format", "json")
    assert len(json.loads(done.stdout)["measures"]) == 23
    assert json.loads(done.stdout)["collections"] == ["robust", "web"]
    done = run("rank", *both, "-m", "AP,nDCG@10,RR", "--resamples", 20)
    assert "3 measures by the determinant of their covariance" in done.stdout
    done = run("predict", *both, "-m", "AP,nDCG@10,RR,P@10", "--dev", "web", "-t", "AP")
    assert done.exit_code == 0
    assert "fitted on robust\n" in done.stdout
    assert "τ web" in done.stdout
    by_depth = ("--by-depth", "--low", 5, "--low", 10, "--high", 40)
    done = run("predict", *both, "-m", "AP,P@1000,nDCG", *by_depth, "--max-predictors", 1)
    assert done.exit_code == 0
    assert "Measures at depth 40" in done.stdout


def test_by_depth_from_tables(run, data):
    tables = [data / "gupta2019" / f"result_web{year}_low_to_high.csv" for year in (2012, 2013, 2014)]
    done = run("predict", tables[0], "--dev", tables[0], "--test", tables[1], "--test", tables[2], "--by-depth")
    assert done.exit_code == 0
    assert "τ, R² web2013" in done.stdout


def test_output_files(run, tables, tmp_path):
    for name in ("x.json", "x.csv", "x.tex", "x.txt", "x.svg", "x.png", "x.html"):
        done = run("rank", *tables, "--resamples", 0, "-o", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        assert done.stdout == ""
        assert (tmp_path / name).stat().st_size > 100


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("correlate",), "no collections; give score tables, or runs"),
        (("correlate", "nowhere.csv"), "nowhere.csv"),
        (("correlate", "train.csv", "-m", "AP,RR"), "no measure 'RR'; there is"),
        (("correlate", "train.csv", "--by", "topics"), "no scores by topic"),
        (("correlate", "train.csv", "-c", "tauu"), "tauu"),
        (("predict", "train.csv"), "the only training collection"),
        (("predict", "train.csv", "wt12.csv", "--max-predictors", "4"), "only 3 other measures"),
        (("predict", "train.csv", "--given", "P@10=0.5"), "say which, once: --target"),
        (("predict", "train.csv", "--given", "P@10", "-t", "AP"), "gives no score"),
        (("predict", "train.csv", "--given", "AP=1", "-t", "map"), "both given and asked for"),
        (("predict", "train.csv", "--by-depth", "--given", "AP=1"), "use one of the two"),
        (
            ("predict", "train.csv", "wt12.csv", "--low", "10"),
            "the depths of --by-depth; add it",
        ),
        (("predict", "train.csv", "--given", "P@10=1", "-t", "AP", "--choose", "r2"), "--given does not take --choose"),
        (("predict", "train.csv", "--by-depth", "--model", "svr"), "--by-depth does not take --model"),
        (("predict", "train.csv", "wt12.csv", "--by-depth"), "names no judging depth"),
        (("rank", "train.csv", "-m", "AP"), "one measure only (AP)"),
    ],
)
def test_errors_are_one_line_and_exit_2(run, tables, words, problem):
    done = run(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("rankscope: ")
    assert done.stderr.count("\n") == 1
    assert problem in done.stderr


def test_constant_missing_and_few(run, tmp_path):
    for text, problem in (
        ("system,map,P_10\na,0.1,0.5\nb,0.2,0.5\nc,0.3,0.5\n", "'P@10' scores all systems alike"),
        ("system,map,P_10\na,0.1,0.5\nb,,0.4\nc,0.3,0.6\n", "1 of 6 scores are missing: AP of b"),
        ("system,map,P_10\na,0.1,0.5\n", "1 systems; measures correlate over three at least"),
    ):
        (tmp_path / "bad.csv").write_text(text)
        done = run("rank", tmp_path / "bad.csv")
        assert done.exit_code == 2
        assert problem in done.stderr
    (tmp_path / "gap.csv").write_text("system,map,P_10\na,0.1,0.5\nb,,0.4\nc,0.3,0.6\nd,0.2,0.9\n")
    assert run("rank", tmp_path / "gap.csv", "--on-missing", "intersect").exit_code == 0


def test_what_is_left_out_is_remarked_on_stderr(run, tmp_path):
    folder = tmp_path / "evals"
    folder.mkdir()
    for s in range(4):
        lines = [f"{m}\t{t}\t{(s + 1) * t * w % 7 / 10}" for t in (1, 2, 3) for m, w in (("map", 1), ("P_10", 3))]
        (folder / f"s{s}.eval").write_text("\n".join([*lines, "gm_map\tall\t0.1"]) + "\n")
    done = run("correlate", folder, "--resamples", 0)
    assert done.exit_code == 0
    assert done.stderr == "evals: left out, since they have no scores by topic: GMAP\n"


def test_correlate_pairwise_where_some_systems_lack_a_measure(run, tmp_path):
    rows = ["a,1,2,", "b,2,4,5", "c,3,5,4", "d,4,,3", "e,5,9,"]
    (tmp_path / "open.csv").write_text("\n".join(["system,IFEval,BBH,GPQA", *rows]) + "\n")
    refused = run("correlate", "open.csv")
    assert refused.exit_code == 2
    assert "scores are missing" in refused.stderr
    done = run("correlate", "open.csv", "--on-missing", "pairwise", "--format", "json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert [pair["observations"] for pair in result["parts"][0]["pairs"]] == [4, 3, 2]
    assert [pair["undefined"] for pair in result["parts"][0]["pairs"]] == [None, None, "too few"]
    assert result["settings"]["on_missing"] == "pairwise"
    text = run("correlate", "open.csv", "--on-missing", "pairwise").stdout
    assert "5 observations, 2 to 4 shared by a pair" in text
    assert run("rank", "open.csv", "--on-missing", "pairwise").exit_code == 2
