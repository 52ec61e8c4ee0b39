"""`read_measures` goes by the same steps and checks as `read_scores`, and takes every measure."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankscope as rs
from rankscope.files.scores import read_every_measure

WRONG = {
    "run": ("301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 9.1 bm25\n", "this is a run, not scores"),
    "judgments": ("301 0 d1 2\n301 0 d2 0\n", "these look like relevance judgments"),
    "array": ('[["a", 0.1]]', "a JSON array of arrays"),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("read", [rs.read_scores, rs.read_measures])
def test_what_is_not_scores_is_refused_alike(tmp_path, kind, read):
    text, problem = WRONG[kind]
    path = tmp_path / "given.txt"
    path.write_text(text)
    with pytest.raises(rs.UnrecognisedFormat, match=f"given.txt:1: {problem}"):
        read(path)


def test_a_folder_of_tables_that_ir_measures_wrote(tmp_path):
    for system, value in (("x", 0.25), ("y", 0.5)):
        rows = [f'{{"query_id": "{t}", "measure": "{m}", "value": {value}}}' for t in "12" for m in ("AP", "P@10")]
        (tmp_path / f"{system}.jsonl").write_text("\n".join(rows) + "\n")
    table = rs.read_measures(tmp_path)
    assert (table.systems, table.measures, table.topics) == (("x", "y"), ("AP", "P@10"), ("1", "2"))
    assert table.values.tolist() == [[0.25, 0.25], [0.5, 0.5]]


def test_frames_and_files_have_the_same_labels(tmp_path):
    columns = {"system": ["x", "y"], "map": [0.1, 0.2], "ndcg_cut_10": [0.3, 0.4]}
    pl.DataFrame(columns).write_csv(tmp_path / "board.csv")
    for source in (tmp_path / "board.csv", pl.DataFrame(columns), pd.DataFrame(columns)):
        assert list(read_every_measure(source)) == ["AP", "nDCG@10"]


def test_each_measure_is_what_choosing_it_gives(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "system": [s for s in "abc" for _ in range(4)],
            "topic": [str(t) for _ in range(3) for t in range(4)],
            **{name: rng.random(12).round(4) for name in ("AP", "nDCG@10", "mine")},
        }
    )
    frame.write_csv(tmp_path / "long.csv")
    for label, scores in read_every_measure(tmp_path / "long.csv").items():
        assert scores == rs.read_scores(tmp_path / "long.csv", measure=label)
