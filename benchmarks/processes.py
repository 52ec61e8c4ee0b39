"""A command as a process of its own: what it takes, from outside."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_MAIN = "from rankscope.cli import main; main()"


@dataclass(frozen=True)
class Usage:
    """What a command took; `failed` is its last line where it failed or was stopped, otherwise empty."""

    seconds: float
    processor: float  # seconds of all its threads
    peak: float  # GB
    failed: str


def measure(words: list[str], patience: float) -> Usage:
    """Run `rankscope` with these words; it is stopped after `patience` seconds."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", _MAIN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak, processor = 0, 0.0
    while process.poll() is None:
        peak, processor = max(peak, _peak(process.pid)), max(processor, _processor(process.pid))
        if time.monotonic() - began > patience:
            process.kill()
            process.wait()
            return Usage(patience, processor, peak / 1e6, f"stopped after {patience:.0f} s")
        time.sleep(0.01)
    seconds = time.monotonic() - began
    said = (process.stderr.read() if process.stderr else b"").decode().strip().splitlines()
    failed = "" if process.returncode == 0 else said[-1][:90] if said else "failed"
    return Usage(seconds, processor, peak / 1e6, failed)


def _peak(pid: int) -> int:
    """The peak memory of a process so far, in kB; what `wait4` tells begins with the parent's."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def _processor(pid: int) -> float:
    """The processor time of a process so far, in seconds."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
