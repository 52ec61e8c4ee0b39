"""A coverage-guided fuzzer of every reader, with atheris: `make fuzz`, or

    python fuzz/readers.py --seconds 60 scores runs

Seeds are made here; what breaks a reader is written to the folder of --found as a file, and shown. Each kind of file is
fuzzed in a process of its own for its share of the time. What a reader may do is in tests/fuzz/fuzzed_readers.py.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A read that takes longer is a hang; memory in MB, so that a hostile size is found before the machine suffers.
HANG, MEMORY = 5, 4096


def fuzz(kind: str, corpus: Path, found: Path, seconds: int) -> None:
    """Fuzz one kind of file in this process; libFuzzer ends it."""
    import atheris

    instrumented = ["rankscope.files", "rankscope.inference.rank_distance_null", "rankscope.names"]
    with atheris.instrument_imports(include=instrumented):
        import fuzzed_readers

    # In memory where that can be: a busy disk is no reader that hangs.
    tempfile.tempdir = "/dev/shm" if Path("/dev/shm").is_dir() else None
    for place, data in enumerate(fuzzed_readers.seeds()[kind]):
        (corpus / f"seed-{place}").write_bytes(data)
        fuzzed_readers.check(kind, data)  # imports what it needs before the clock runs
    words = corpus.parent / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in fuzzed_readers.WORDS if word), encoding="ascii")
    arguments = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}",
        "-max_len=2000",
        f"-dict={words}",
        f"-artifact_prefix={found}/{kind}-",
        "-print_final_stats=1",
        "-verbosity=0",
        str(corpus),
    ]

    def check(data: bytes) -> None:
        try:
            fuzzed_readers.check(kind, data)
        except BaseException:
            # libFuzzer keeps what crashes or hangs, not what raises.
            (found / f"{kind}-{hashlib.sha256(data).hexdigest()[:16]}").write_bytes(data)
            raise

    atheris.Setup(arguments, check)
    atheris.Fuzz()


def main() -> int:
    """Fuzz each kind for its share of the time, and say which broke."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "fuzz")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help="scores, runs, judgments, …; all of them by default")
    parser.add_argument("--seconds", type=int, default=300, help="in all (300)")
    parser.add_argument("--found", type=Path, default=ROOT / "build" / "fuzz", help="a folder for what breaks a reader")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one is not None:
        fuzz(chosen.kinds[0], chosen.one, chosen.found, chosen.seconds)
        return 0
    import fuzzed_readers

    kinds = chosen.kinds or list(fuzzed_readers.READERS)
    unknown = [kind for kind in kinds if kind not in fuzzed_readers.READERS]
    if unknown:
        parser.error(f"{unknown[0]}: choose from {', '.join(fuzzed_readers.READERS)}")
    chosen.found.mkdir(parents=True, exist_ok=True)
    broken = []
    for kind in kinds:
        with tempfile.TemporaryDirectory(prefix="rankscope-fuzz-") as folder:
            corpus = Path(folder, "corpus")
            corpus.mkdir()
            share = max(1, chosen.seconds // len(kinds))
            words = [sys.executable, __file__, kind, "--seconds", str(share), "--found", chosen.found, "--one", corpus]
            done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
            (chosen.found / f"{kind}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
            said = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
            print(f"{kind}: {said[0] if said else '?'} inputs, {'broken' if done.returncode else 'fine'}", flush=True)
            if done.returncode:
                broken.append(kind)
                print((done.stdout + done.stderr)[-4000:])
    return 1 if broken else 0


def _escaped(word: bytes) -> str:
    """A word as libFuzzer's dictionaries write it."""
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    sys.exit(main())
