"""Every option is declared once, and has the choices and the default of the library function that it is passed to."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import typing
from collections import defaultdict
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main, options
from rankscope.studies.null_table import null_table
from writing_commands import commands

COMMANDS = dict(commands())

# The functions that a command calls with its options, where they are not `rs.NAME` or `rs.study_NAME`.
CALLS = {
    "demo": (rs.judge,),
    "judge": (rs.judge, rs.judge_tracks),
    "metrics correlate": (rs.correlate_measures,),
    "metrics predict": (rs.predict_measures, rs.predict_deep_measures, rs.predict_measure),
    "metrics rank": (rs.rank_measures,),
    "nulls": (null_table,),
    "rank": (rs.rank, rs.evaluate),
    "show": (rs.load,),
}
READERS = (rs.read_scores, rs.read_runs, rs.read_judgments, rs.read_measures)
# The readers that take the values of several options as one mapping.
GATHERED = {options.READING: rs.read_runs, options.SCORE_READING: rs.read_scores}

# Options that the command acts on itself, and those whose keyword is called otherwise.
OWN = {
    *("style", "output", "chart", "theme", "width", "csv_safe", "quiet"),  # where the result goes
    *("which", "columns", "rows", "digits", "intervals", "each", "place"),  # which part of it, and how
    *("folder", "by_topic"),  # other outputs
    *("runs", "qrels", "truth", "error_column", "truth_measure", "estimate_measure"),  # what is read
    *(
        "only",
        "exclude",
        "names",
        "strip_prefix",
        "only_topics",
        "exclude_topics",
    ),  # which systems and topics, and their names
    "lower_is_better",  # of which measures
    *("by_depth", "by_tracks"),  # which function is called
    *(f"{role}_column" for role in (*options.COLUMN, "item", "label")),
}
KEYWORDS = {"rel": "truth_rel", "input_format": "format", "top": "tops"}

# Options of one name that mean different things in different commands, and what they mean.
MEANINGS = {
    "--by": "topics or systems that measures are correlated over; topics or documents that people label",
    "--coefficient": "one between measures; several, of which all or some are the default",
    "--depth": "of a pool; of the tops that are re-sorted",
    "--design": "the one of a plan; several to study",
    "--draws": "of samples; permutations, of which 0 leaves out the test",
    "--each": "a flag of metrics correlate; a file of study estimators",
    "--estimator": "one that gets an interval; several to study",
    "--folder": "nulls to keep; the files of the demo",
    "--format": "evaluate also writes trec_eval's; simulate writes diagnostics, whatever -o is",
    "--judge": "required where it is the question",
    "--measure": "the one to read from scores; several to compute from runs",
    "--measures": "computed from runs; kept of tables, in comma lists",
    "--model": "of collections; of predictions",
    "--on-duplicate": "documents in rankings; scores in tables; either, where a command takes both",
    "--on-missing": "a policy for scores; what becomes of scores that some measure lacks",
    "--panel": "of judges' labels; of estimates' scores",
    "--output": "the result; simulated collections",
    "--qrels": "required unless scores are ranked",
    "--resamples": "0 leaves out intervals; estimators need some",
    "--systems": "those to keep; how many to simulate",
    "--table": "the tables of each study",
    "--target": "a τ; a value of any coefficient; a measure",
    "--test": "of significance; a collection",
    "--top": "one number; several",
    "--truth": "required unless scores are corrected",
    "--topics": "paired or not; averaged over; how many to simulate",
}


def functions(name: str) -> tuple[typing.Any, ...]:
    """The library's functions that a command calls, that which answers first."""
    return (*(CALLS.get(name) or (getattr(rs, name.replace(" ", "_").replace("-", "_")),)), *READERS)


def options_of(name: str) -> list[click.Option]:
    return [option for option in COMMANDS[name].params if isinstance(option, click.Option)]


def gathering_reader(option: click.Option) -> typing.Any:
    """The reader that takes an option's value in a mapping with others."""
    callback: typing.Any = option.callback
    return GATHERED[callback.args[0]]


def takers(name: str, option: click.Option) -> list[tuple[typing.Any, str]]:
    """The functions that an option is passed to, each with its keyword."""
    keywords = {option.name, KEYWORDS.get(option.name)}
    candidates = functions(name) if option.expose_value else [gathering_reader(option)]
    pairs = [(f, k) for f in candidates for k in inspect.signature(f).parameters if k in keywords]
    return [pair for pair in pairs if pair[0] not in READERS] or pairs[:1]


def passed(name: str) -> list[tuple[click.Option, typing.Any, str]]:
    return [(o, function, k) for o in options_of(name) if o.name not in OWN for function, k in takers(name, o)]


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_the_commands_own_or_keywords_of_the_library(name):
    assert not [option.opts for option in options_of(name) if option.name not in OWN and not takers(name, option)]


def plain(value: object) -> object:
    return tuple(value) if isinstance(value, list | range) else value


@pytest.mark.parametrize("name", COMMANDS)
def test_defaults_are_those_of_the_library(name):
    context = click.Context(COMMANDS[name])
    for option, function, keyword in passed(name):
        default = option.get_default(context)
        if isinstance(default, str | int | float | tuple):  # without one, the library's own is taken
            value = option.type_cast_value(context, default)
            assert plain(value) == plain(inspect.signature(function).parameters[keyword].default), option.opts


def literals(function: typing.Any, keyword: str) -> set[str]:
    """The values of the Literals that the annotation of a keyword names."""
    function = inspect.unwrap(function)
    names = re.findall(r"\w+", function.__annotations__[keyword])
    types = [getattr(sys.modules[function.__module__], name, None) for name in names]
    return {value for kind in types if typing.get_origin(kind) is typing.Literal for value in typing.get_args(kind)}


@pytest.mark.parametrize("name", COMMANDS)
def test_choices_are_those_of_the_library(name):
    for option, function, keyword in passed(name):
        known = literals(function, keyword) - {"keep"}  # gaps are kept in Python alone
        assert known == (set(option.type.choices) if isinstance(option.type, click.Choice) else set()), option.opts


def declaration(option: click.Option) -> tuple[object, ...]:
    """All of an option but its default."""
    kind = tuple(sorted((key, str(value)) for key, value in vars(option.type).items()))
    return (
        *(tuple(option.opts), tuple(option.secondary_opts), option.help, type(option.type), kind, option.metavar),
        *(option.nargs, option.multiple, option.required, option.is_flag),
    )


def test_an_option_is_declared_once_unless_it_means_different_things():
    by_flag = defaultdict(set)
    for option in (option for name in COMMANDS for option in options_of(name)):
        for flag in (*option.opts, *option.secondary_opts):
            if flag.startswith("--"):
                by_flag[flag].add(declaration(option))
    assert {flag for flag, declared in by_flag.items() if len(declared) > 1} == set(MEANINGS)


def test_one_module_says_how_options_are_declared():
    folder = Path(options.__file__).parent
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    assert {name for name, text in texts.items() if "click.Option" in text or "click.option" in text} == {
        "declaring.py"
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_have_help(name):
    assert COMMANDS[name].help
    for option in options_of(name):
        assert option.help, option.opts
        assert option.help.endswith("."), option.opts


def test_help_of_no_command_loads_anything_heavy():
    code = (
        "import sys; from click.testing import CliRunner; from rankscope.cli import main\n"
        f"for words in {[name.split() for name in COMMANDS]!r}:\n"
        "    done = CliRunner().invoke(main, [*words, '--help']); assert done.exit_code == 0, words\n"
        "heavy = ('numpy', 'scipy', 'polars', 'altair', 'rich', 'joblib', 'ir_measures', 'sklearn')\n"
        "print(*[name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_an_option_that_takes_one_value_is_refused_when_given_twice():
    done = CliRunner().invoke(main, ["reliability", "a.csv", "-m", "nDCG@10", "--measure", "AP"])
    assert done.exit_code == 2
    assert "--measure is given twice ('nDCG@10' and 'AP')" in done.stderr
