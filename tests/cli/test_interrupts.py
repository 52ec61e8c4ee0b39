"""Ctrl-C is told as such wherever it strikes."""

import signal
import subprocess
import sys
import time

import click
import pytest

from rankscope.cli import interrupts
from rankscope.cli.lazy import LazyGroup
from rankscope.cli.progress import Progress


@pytest.fixture(autouse=True)
def restored():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)
    interrupts._PRESSED.clear()


def as_compiled_code_does(cause):
    raise SystemError("CPUDispatcher returned a result with an exception set") from cause


def test_what_compiled_code_makes_of_it_is_an_interrupt_again():
    with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
        as_compiled_code_does(KeyboardInterrupt())
    deeper = SystemError("boxing")
    deeper.__context__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
        as_compiled_code_does(deeper)
    with pytest.raises(SystemError), interrupts.interruptible():
        as_compiled_code_does(ValueError())
    interrupts._PRESSED.set()  # pressed, and no trace of it left in the error
    with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
        as_compiled_code_does(None)


@pytest.mark.parametrize("quiet", [True, False])
def test_one_that_got_lost_strikes_at_the_next_part_or_step(quiet):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupts.listen()
    progress = Progress("Simulating", quiet=quiet)
    progress(0, 3)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        progress(1, 3)
    with pytest.raises(KeyboardInterrupt):
        progress.begin("Dealing labels: draw 7 of 100")


def test_a_clock_for_a_person_and_remarks_on_their_own_line(monkeypatch, capsys):
    monkeypatch.setattr("rankscope.cli.progress._PATIENCE", 0.0)
    monkeypatch.setattr("rankscope.cli.progress._CLOCK", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Progress("Reading", quiet=True):
        time.sleep(0.05)
    assert not capsys.readouterr().err
    with Progress("Reading", quiet=False) as progress:
        time.sleep(0.1)
        progress.remark("one topic is missing")
        progress.begin("Scoring")
        time.sleep(0.1)
    said = capsys.readouterr().err
    assert said.startswith("\rReading … 0 s\x1b[K")
    assert "\r\x1b[Kone topic is missing\n\rScoring … 0 s\x1b[K" in said
    assert said.endswith("\r\x1b[K")


def test_who_ignores_it_may_go_on_to():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as nohup and shells do for commands in the background
    interrupts.listen()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_every_command_is_aborted(monkeypatch, capsys):
    command = click.Command("compare", callback=lambda: as_compiled_code_does(KeyboardInterrupt()))
    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: command)
    with pytest.raises(SystemExit) as left:
        LazyGroup("rankscope", names=["compare"]).main(["compare"], prog_name="rankscope")
    assert left.value.code == 1
    assert capsys.readouterr().err.strip() == "Aborted!"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_while_files_are_read():
    """Before there is anything to keep: one line, no traceback."""
    code = (
        "import os, signal, time; import rankscope.files; from rankscope.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background process inherits that it is ignored
        "rankscope.files.read_scores = lambda *_, **__: (os.kill(os.getpid(), signal.SIGINT), time.sleep(30))\n"
        "main(['compare', 'a.csv', 'b.csv'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (1, "Aborted!")
