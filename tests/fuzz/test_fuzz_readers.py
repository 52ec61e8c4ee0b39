"""Thousands of spoilt files: each is read as what it says, or refused with an error that a person can act on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import fuzzed_readers
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracles_scores
import rankscope as rs
from rankscope.errors import RankscopeError

KINDS = tuple(fuzzed_readers.READERS)
# Readers of text are cheap; the others write and read archives.
EXAMPLES = {"scores": 250, "runs": 200, "judgments": 200, "groups": 130}
OTHERS = 70
_SECONDS = 5


@contextmanager
def in_time() -> Iterator[None]:
    """Fail after some seconds of the processor's time, however busy the machine is."""

    def late(*_: object) -> None:
        raise TimeoutError(f"reading takes more than {_SECONDS} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@st.composite
def spoilt(draw: st.DrawFn, kind: str) -> bytes:
    """A seed after a few changes: cuts, words put in or in place of others, lines swapped, pieces of another seed."""
    seeds = fuzzed_readers.seeds()[kind]
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 12)))
        way = draw(st.sampled_from(("put", "cut", "byte", "swap", "again", "splice", "end", "word")))
        if way == "put":
            data = data[:begin] + draw(st.sampled_from(fuzzed_readers.WORDS)) + data[begin:]
        elif way == "word":
            words = data.split(b" ") if b" " in data else data.split(b",")
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(fuzzed_readers.WORDS))
            data = (b" " if b" " in data else b",").join(words)
        elif way == "cut":
            data = data[:begin] + data[end:]
        elif way == "byte":
            data = data[:begin] + draw(st.binary(min_size=1, max_size=3)) + data[end:]
        elif way == "swap":
            lines = data.split(b"\n")
            data = b"\n".join(draw(st.permutations(lines[:6])) + lines[6:])
        elif way == "again":
            data = data[:end] + data[begin:] * draw(st.integers(1, 3))
        elif way == "splice":
            other = draw(st.sampled_from(seeds))
            data = data[:begin] + other[draw(st.integers(0, len(other))) :]
        else:
            data = data[:begin]
    return data


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """Import what readers import late before the clock runs."""
    for kind, files in fuzzed_readers.seeds().items():
        for data in files:
            fuzzed_readers.check(kind, data)


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_spoilt_file_is_read_as_it_is_or_refused(kind, times):
    @settings(max_examples=times * EXAMPLES.get(kind, OTHERS), suppress_health_check=list(HealthCheck), database=None)
    @given(data=spoilt(kind))
    def reading(data: bytes) -> None:
        with in_time():
            fuzzed_readers.check(kind, data)

    reading()


@pytest.mark.parametrize("kind", KINDS)
def test_any_bytes_are_refused_or_read(kind):
    @settings(suppress_health_check=list(HealthCheck), database=None)
    @given(data=st.binary(max_size=300))
    def reading(data: bytes) -> None:
        with in_time():
            fuzzed_readers.check(kind, data)

    reading()


@pytest.mark.parametrize("kind", KINDS)
def test_the_seeds_themselves_are_read(kind):
    found = fuzzed_readers.check(kind, fuzzed_readers.seeds()[kind][0])
    assert not isinstance(found, RankscopeError), found


def _texts():
    for data in fuzzed_readers.seeds()["scores"]:
        try:
            yield data.decode()
        except UnicodeDecodeError:
            continue


@pytest.mark.parametrize("text", list(_texts()))
def test_the_literal_reading_sees_a_number_in_a_wrong_place(tmp_path, text):
    (tmp_path / "fuzzed").write_text(text, encoding="utf-8", newline="")
    try:
        scores = rs.read_scores(tmp_path / "fuzzed", on_missing="keep")
    except rs.AmbiguousMeasure:
        scores = rs.read_scores(tmp_path / "fuzzed", on_missing="keep", measure="AP")
    except rs.DuplicateScore:
        return  # refused, which is no wrong number
    assert oracles_scores.is_read_honestly(text, scores)
    values = scores.values
    wrong = [np.roll(values, 1, axis=axis) for axis in range(values.ndim)]
    wrong += [values + 1e-9, np.where(np.arange(values.size).reshape(values.shape) == 0, np.nan, values)]
    for changed in wrong:
        if not np.array_equal(changed, values, equal_nan=True):
            assert not oracles_scores.is_read_honestly(text, _with(scores, changed)), changed
    if isinstance(scores, rs.ScoreMatrix) and len(scores.topics) > 1:
        topics = scores.topics[1:] if scores.topics_named else None
        systems = scores.systems if scores.systems_named else None
        fewer = rs.ScoreMatrix(values[1:], systems, topics, measure=scores.measure)
        assert not oracles_scores.is_read_honestly(text, fewer), "a topic is left out"


def _with(scores, values):
    systems = scores.systems if scores.systems_named else None
    if isinstance(scores, rs.SystemScores):
        return rs.SystemScores(values, systems, measure=scores.measure)
    topics = scores.topics if scores.topics_named else None
    return rs.ScoreMatrix(values, systems, topics, measure=scores.measure)
