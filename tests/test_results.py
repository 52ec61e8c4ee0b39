"""The serialiser: strict JSON, CSV in full, LaTeX and HTML escaped."""

import csv
import io
import json
from dataclasses import dataclass

import numpy as np

import rankscope as rs
from rankscope.results import SCHEMA, Interval, Result, Table, plain


@dataclass(frozen=True, kw_only=True)
class Example(Result):
    answer: float
    interval: Interval | None
    draws: np.ndarray
    count: int

    def table(self):
        return Table(("name & co", "value"), (("a_b <i>", self.answer), ("c,\n", None)))


EXAMPLE = Example(
    answer=float("nan"),
    interval=Interval(low=0.1, high=float("inf"), level=0.95, method="percentile"),
    draws=np.array([1.5, np.nan]),
    count=10**40,
)


def test_json_is_strict_and_complete():
    read = json.loads(EXAMPLE.to_json(), parse_constant=lambda token: 1 / 0)
    header = read.pop("rankscope")
    assert (header["schema"], header["result"]) == (SCHEMA, "Example")
    assert header["versions"]["rankscope"] == rs.__version__
    assert header["not_finite"] == {"/answer": "nan", "/interval/high": "inf"}
    assert read == {
        "answer": None,
        "interval": {"low": 0.1, "high": None, "level": 0.95, "method": "percentile"},
        "draws": [1.5, None],
        "count": str(10**40),
    }


def test_csv_keeps_every_digit_and_every_name():
    table = Table(("name", "value"), (('q"x,\n', 0.1 + 0.2), ("b", None)))
    assert list(csv.reader(io.StringIO(table.to_csv()))) == [
        ["name", "value"],
        ['q"x,\n', "0.30000000000000004"],
        ["b", ""],
    ]


def test_latex_is_escaped_and_rounded():
    text = Table(("name & co", "value"), (("a_b%#{}$~^\\", 0.12345), ("c", 2))).to_latex()
    assert r"name \& co & Value \\" in text
    assert r"a\_b\%\#\{\}\$\textasciitilde{}\textasciicircum{}\textbackslash{} & 0.123 \\" in text
    assert text.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{@{}lr@{}}\n\\toprule")


def test_latex_takes_no_name_for_an_option():
    """After a line's end and a rule, [ and * would be options: \\\\[2pt], \\midrule[2pt]."""
    text = Table(("[a]", "*"), (("[red]", 1), (" *x", 2), ("x\x1b[*", 3))).to_latex()
    body = [line for line in text.splitlines() if not line.startswith(("\\", "%"))]
    assert body == [r"{}[a] & * \\", r"{}[red] & 1 \\", r"{} *x & 2 \\", r"x [* & 3 \\"]


def test_csv_safe_for_spreadsheets():
    names = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a=1", "")
    table = Table(("=name", "value"), tuple((name, -1.5) for name in names))
    rows = list(csv.reader(io.StringIO(table.to_csv(safe=True))))
    assert rows == [["'=name", "value"], *([f"'{name}", "-1.5"] for name in names[:5]), ["a=1", "-1.5"], ["", "-1.5"]]
    assert [row[0] for row in csv.reader(io.StringIO(table.to_csv()))] == ["=name", *names]


def test_html_is_escaped():
    assert "a_b &lt;i&gt;" in EXAMPLE._repr_html_()
    assert "<i>" not in EXAMPLE._repr_html_()


def test_frame_has_the_tables_columns():
    assert EXAMPLE.to_frame().columns == ["name & co", "value"]


def test_unknown_things_are_their_text():
    assert plain({1: complex(1, 2)}) == {"1": "(1+2j)"}
    assert plain(np.float32(0.5)) == 0.5
    assert plain(True) is True


def test_printed_it_is_the_text_of_the_command(tmp_path):
    tables = {"a": 0.9, "b": 0.5, "c": 0.4}, {"a": 0.8, "b": 0.3, "c": 0.6}
    result = rs.compare(*tables)
    result.save(tmp_path / "result.txt")
    assert f"{result}\n" == (tmp_path / "result.txt").read_text(encoding="utf-8")
    assert "a_b <i>" in str(EXAMPLE)


def test_a_result_without_a_table_of_its_own_has_one_of_its_fields():
    @dataclass(frozen=True, kw_only=True)
    class Bare(Result):
        answer: int
        draws: np.ndarray

    assert Bare(answer=3, draws=np.ones(2)).table() == Table(("field", "value"), (("answer", 3),))


def test_ipython_shows_the_text():
    shown = []

    class Printer:
        def text(self, text):
            shown.append(text)

    EXAMPLE._repr_pretty_(Printer(), False)
    assert shown == [str(EXAMPLE)]
