"""Makes docs/gallery.md and the pictures of docs/images/gallery: every chart of every result, with what makes it.

    .venv/bin/python docs/gallery.py [RESULT…]

Everything is computed from the Deep Learning track 2019 in ../shared/data or RANKSCOPE_DATA; names of results choose
some. Needs chromium, and playwright from the extra `dev`: a browser makes WebP of the pictures, which is a tenth of
PNG. It takes two minutes.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "gallery"
_D = "dl19"
_HUMAN, _UMBRELA, _LLAMA, _BINARY = (
    f"human={_D}/qrels.human.txt",
    f"umbrela={_D}/judges/umbrela-gpt-4o.qrels",
    f"llama3={_D}/judges/four-prompts-llama3.qrels",
    f"binary={_D}/judges/binary-llama3.2.qrels",
)
_QRELS = f"{_D}/runs --qrels {_D}/qrels.human.txt -m nDCG@10"
_CSV = "human, umbrela, llama3 = 'human.csv', 'umbrela.csv', 'llama3.csv'"
_RUNS = f"runs, human, umbrela = '{_D}/runs', '{_D}/qrels.human.txt', '{_D}/judges/umbrela-gpt-4o.qrels'"
_MEASURES = (
    f"rankscope evaluate {_D}/runs --qrels {_D}/qrels.human.txt "
    "-m AP -m nDCG -m nDCG@10 -m P@10 -m RR -m bpref -o all.json"
)
_DEVELOPMENT = _MEASURES.replace("qrels.human.txt", "judges/umbrela-gpt-4o.qrels").replace("all.", "dev.")
# The tables of scores that several examples read.
TABLES = f"""import rankscope as rs
for name, labels in {{
    "human": "{_D}/qrels.human.txt",
    "umbrela": "{_D}/judges/umbrela-gpt-4o.qrels",
    "llama3": "{_D}/judges/four-prompts-llama3.qrels",
}}.items():
    rs.write_scores(rs.evaluate("{_D}/runs", labels, "nDCG@10").scores["nDCG@10"], f"{{name}}.csv")"""

# What makes each result: lines of the shell, or of Python, whose last line gives the result.
EXAMPLES: dict[str, str] = {
    "JudgeReport": f"rankscope judge {_D}/runs --truth {_HUMAN} --judge {_UMBRELA} "
    f"--judge {_LLAMA} --groups names -m nDCG@10",
    "TracksReport": "tracks = {f'track {i}': rs.simulate_track(20, 30, depth=50, rng=i) for i in range(1, 7)}\n"
    "rs.judge_tracks(tracks, 'nDCG@10')",
    "Comparison": "rankscope compare human.csv umbrela.csv llama3.csv --decisiveness",
    "ComparisonByMeasure": f"rankscope evaluate {_D}/runs --qrels {_D}/qrels.human.txt -o human.json\n"
    f"rankscope evaluate {_D}/runs --qrels {_D}/judges/umbrela-gpt-4o.qrels -o umbrela.json\n"
    "rankscope compare human.json umbrela.json -m nDCG@10 -m AP",
    "Ranking": "rankscope rank human.csv",
    "Correction": f"{_CSV}\nscores = rs.read_scores(human)\n"
    "rs.correct(scores.select(topics=scores.topics[:15]), llama3)",
    "LabelPlan": f"{_CSV}\nscores = rs.read_scores(human)\n"
    "rs.plan_topics(llama3, scores.select(topics=scores.topics[:10]), budget=20)",
    "LabelReport": f"rankscope labels {_HUMAN} {_UMBRELA} {_BINARY} {_LLAMA}",
    "LabelAgreement": f"{_RUNS}\nrs.label_agreement(human, umbrela)",
    "Evaluation": f"rankscope evaluate {_D}/runs --qrels {_D}/qrels.human.txt",
    "TopicEvaluation": f"{_RUNS}\nrs.evaluate(runs, human, 'nDCG@10').by_topic()",
    "Coverage": f"{_RUNS}\nrs.coverage(runs, human)",
    "RunOverlap": f"{_RUNS}\nchosen = ['idst_bert_p1', 'idst_bert_p2', 'p_bert', 'bm25base_p']\n"
    "rs.rbo_runs(rs.read_runs(runs).select(systems=chosen))",
    "Reliability": "rankscope reliability human.csv",
    "ExpectedCorrelation": f"{_CSV}\nrs.expected_correlation(human)",
    "NewTopicAgreement": f"{_CSV}\nrs.new_topic_agreement(human, ['kendall', 'tau_ap', 'tau_gap'])",
    "Worth": f"{_CSV}\nrs.worth(human, llama3)",
    "Bootstrap": f"{_CSV}\nrs.bootstrap(human, llama3, ['kendall', 'tau_gap'])",
    "TopicAgreement": f"{_CSV}\nrs.topic_agreement(human, llama3, ['spa', 'acc_eq', 'kendall(by=topic)'])",
    "SwapTest": f"{_CSV}\nrs.swap_test(human, umbrela, llama3, ['kendall', 'spa'], permutations=500)",
    "Permutation": f"{_CSV}\nrs.permutation_test(human, llama3)[0]",
    "Significance": f"{_CSV}\nrs.significance(human)",
    "DiscriminativePower": f"{_CSV}\nrs.discriminative_power(human, llama3)",
    "MeasurePower": f"{_CSV}\nrs.sakai_discriminative_power(human, test='t')",
    "TopicInfluence": f"{_CSV}\nrs.topic_influence(human, llama3, ['kendall'])",
    "RankDistance": f"{_CSV}\nrs.d_rank(human, llama3)",
    "RankDistanceTest": f"{_CSV}\nrs.rank_distance_test(human, llama3)",
    "RankDistanceNull": f"{_CSV}\nrs.rank_distance_null(human)",
    "NullTable": "rankscope nulls human.csv umbrela.csv llama3.csv",
    "AllowedRanks": f"{_CSV}\nrs.allowed_ranks(human, by='tau')",
    "RankContour": f"{_CSV}\nthree = rs.read_scores(human).select(systems=['idst_bert_p1', 'p_bert', 'bm25base_p'])\n"
    "rs.rank_contour(three, [0.6, 0.7, 0.5])",
    "Simulation": f"{_CSV}\nrs.simulate(human)",
    "Diagnostics": f"{_CSV}\nrs.simulate(human).diagnostics",
    "PoolDepthStudy": f"rankscope study pool-depth {_QRELS}",
    "HolesStudy": f"rankscope study holes {_QRELS} --repeats 10",
    "TopicsStudy": "rankscope study topics human.csv --repeats 20",
    "PseudoStudy": f"rankscope study pseudo {_QRELS}",
    "UniquesStudy": f"rankscope study uniques {_QRELS}",
    "PanelStudy": f"rankscope study panel {_D}/runs --truth {_HUMAN} --judge {_UMBRELA} "
    f"--judge {_BINARY} --judge {_LLAMA} -m nDCG@10",
    "DepthCostStudy": f"rankscope study depth-cost {_QRELS} --judge {_UMBRELA} --repeats 5",
    "CircularityStudy": f"rankscope study circularity {_D}/runs --truth {_HUMAN} --judge {_UMBRELA} "
    "-m nDCG@10 --groups names",
    "CorrectionStudy": f"rankscope study correction {_D}/runs --truth {_HUMAN} --judge {_LLAMA} "
    "-m nDCG@10 --repeats 10",
    "ProfilesStudy": "rankscope study profiles human.csv",
    "RepeatsStudy": f"rankscope study repeats {_D}/runs --truth {_HUMAN} "
    f"--judge umbrela={_D}/judges/umbrela-gpt-4.qrels,{_D}/judges/umbrela-gpt-4o.qrels -m nDCG@10",
    "PairWeights": "rankscope study weights human.csv -c tau_ap -c tau_gap",
    "SwapStudy": "rankscope study swaps human.csv --draws 200",
    "GapStudy": "rankscope study gaps --draws 500",
    "ReorderingStudy": "rankscope study reorderings human.csv --draws 500",
    "EstimatorStudy": "rankscope study estimators human.csv --collections 5 --sizes 10,20,40",
    "MeasureCorrelations": f"{_MEASURES}\nrankscope metrics correlate all.json",
    "MeasurePredictions": f"{_MEASURES}\n{_DEVELOPMENT}\n"
    "rankscope metrics predict all.json --dev dev.json --max-predictors 2",
    "MeasureRanking": f"{_MEASURES}\nrankscope metrics rank all.json",
    "MeasurePrediction": f"{_MEASURES}\nrankscope metrics predict all.json --given P@10=0.5 --target AP",
    "DepthPredictions": "def pooled(seed):\n"
    "    tracks = {d: rs.simulate_track(systems=20, topics=20, pool_depth=d, rng=seed) for d in (5, 10, 30)}\n"
    "    scores = {d: rs.evaluate(t.runs, t.truth, ['AP', 'P@10', 'bpref']).scores for d, t in tracks.items()}\n"
    "    return {f'{d}:{m}': table.values for d, by in scores.items() for m, table in by.items()}\n"
    "rs.predict_deep_measures(pooled(1), development=pooled(2), high=[30])",
}

_WEBP = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.85);
}"""


def made(example: str, folder: Path) -> Any:
    """The result that the lines of an example give."""
    from click.testing import CliRunner

    import rankscope as rs
    from rankscope.cli import main

    *before, last = example.splitlines()
    if example.startswith("rankscope"):
        for line in (*before, f"{last} -o result.json"):
            done = CliRunner().invoke(main, shlex.split(line)[1:])
            if done.exit_code:
                raise SystemExit(f"{line}\n{done.output}")
        return rs.load(folder / "result.json")
    names: dict[str, Any] = {"rs": rs}
    exec("\n".join(before), names)
    return eval(last, names)


def page() -> str:
    """The gallery: every chart of every result with its picture and what makes it."""
    from rankscope.report.kinds import KINDS

    charts = {kind.result: kind.charts for kind in KINDS}
    parts = [
        "# Gallery\n",
        "Every chart, made by `docs/gallery.py` from the passage task of the TREC Deep Learning track 2019: 37 runs, "
        "43 topics, human judgments and those of LLMs. The files are in the folder dl19, and tables of scores are "
        "made by\n",
        *(f"    {line}" for line in TABLES.splitlines()),
        "\n[Charts](charts.md) says how they look and how to change them.\n",
    ]
    for result, example in EXAMPLES.items():
        shell = example.startswith("rankscope")
        parts.append(f"## {result}\n")
        for number, chart in enumerate(charts[result]):
            *before, last = example.splitlines()
            name = f"{chart.name}.svg"
            if shell:
                last = f"{last} -o {name}" + (f" --chart {chart.name}" if number else "")
            else:
                last = f'{last}.save("{name}"' + (f', chart="{chart.name}")' if number else ")")
            said = f"{chart.shows[0].upper()}{chart.shows[1:]}."
            lines = [*before, last] if number == 0 or shell else [last]
            parts.append("\n".join([f"**`{chart.name}`** {said}\n", *(f"    {line}" for line in lines), ""]))
            parts.append(f"![{chart.shows}](images/gallery/{result}-{chart.name}.webp)\n")
    return "\n".join(parts)


def draw(results: list[str]) -> None:
    """The pictures of these results."""
    import vl_convert
    from playwright.sync_api import sync_playwright
    from screenshot import chromium

    from rankscope.report.charts import charts_of, specification
    from rankscope.report.charts.widths import with_fitting_legend

    IMAGES.mkdir(exist_ok=True)
    data = Path(os.environ.get("RANKSCOPE_DATA", HERE.parent / ".." / "shared" / "data")).resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), sync_playwright() as driver:
        tab = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"]).new_page()
        Path(_D).symlink_to(data / _D)
        exec(TABLES, {})
        for name in results:
            result = made(EXAMPLES[name], Path(folder))
            if type(result).__name__ != name:
                raise SystemExit(f"{EXAMPLES[name]}: {type(result).__name__} instead of {name}")
            for chart in charts_of(result):
                spec = specification(result, chart.name)
                with_fitting_legend(spec)  # as in a picture that is saved
                png = vl_convert.vegalite_to_png(spec, scale=1.5)
                url = tab.evaluate(_WEBP, base64.b64encode(png).decode())
                (IMAGES / f"{name}-{chart.name}.webp").write_bytes(base64.b64decode(url.partition(",")[2]))
            print(name, flush=True)


def main() -> None:
    """Draw what is asked for, and write the page."""
    draw(sys.argv[1:] or list(EXAMPLES))
    (HERE / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
