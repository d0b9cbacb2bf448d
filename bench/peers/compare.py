"""Compares the training speed of heed with its peers', in target tokens a second.

The contenders run in turn, round after round, so that a slow minute of the machine falls on all of them. The table of
medians goes to standard output, progress to standard error.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import machine
import report
import workload

HERE = pathlib.Path(__file__).resolve().parent

# glibc hands large blocks back to the system after each use and pays for fresh pages in every update; PyTorch gains
# when it keeps them.
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


class Failure(Exception):
    """A contender did not run; the text says why in one line."""


def peer(script: str, *flags: str):
    """The command of a peer: a script of this folder that prints one JSON object."""

    def command(arguments: argparse.Namespace, threads: int) -> list[str]:
        given = [f"--{name.replace('_', '-')}={getattr(arguments, name)}"
                 for name in ("preset", "vocab_size", "tokens", "length", "steps", "seconds")]
        return [sys.executable, str(HERE / script), *flags, *given, f"--threads={threads}"]

    return command


def heed(arguments: argparse.Namespace, threads: int) -> list[str]:
    wait_for(arguments.heed)
    return [str(arguments.heed), "bench", "train", "--preset", arguments.preset,
            "--vocab-size", str(arguments.vocab_size), "--tokens", str(arguments.tokens),
            "--length", str(arguments.length), "--threads", str(threads), "--rounds", "1", "--json"]


def wait_for(binary: pathlib.Path, seconds: float = 60.0) -> None:
    """A build that is under way takes the binary away for a moment."""
    deadline = time.monotonic() + seconds
    while not os.access(binary, os.X_OK):
        if time.monotonic() > deadline:
            raise Failure(f"no program at {binary}; build heed or give --heed")
        time.sleep(1)


CONTENDERS = {
    "heed": heed,
    "PyTorch eager": peer("pytorch_train.py"),
    "PyTorch compiled": peer("pytorch_train.py", "--compile"),
    "Marian": peer("marian_train.py"),
}


def run(command: list[str], environment: dict[str, str], timeout: float) -> dict:
    """Runs one contender to its end and returns what it printed."""
    process = subprocess.Popen(command, env=environment, text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {timeout:.0f} s") from None
    finally:
        if process.poll() is None:  # a timeout, or a signal to end
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode != 0:
        lines = errors.strip().splitlines()
        raise Failure(lines[-1][:200] if lines else f"exit code {process.returncode}")
    try:
        return json.loads(output.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        raise Failure("printed no JSON object") from None


def environment_for(name: str, folder: str) -> dict[str, str]:
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "compiled"))
    return environment | KEEP_MEMORY if name.startswith("PyTorch") else environment


class Progress:
    """Says what runs and how long the rest will take, from the time that runs of the same kind took."""

    def __init__(self, plan: list[tuple[str, int]]):
        self.rest = list(plan)
        self.durations: dict[tuple[str, int], list[float]] = {}

    def left(self) -> str:
        known = [seconds for kind in self.durations.values() for seconds in kind]
        if not known:
            return "time left unknown yet"
        mean = statistics.mean(known)
        seconds = sum(statistics.mean(self.durations.get(kind, [mean])) for kind in self.rest)
        return f"about {seconds // 60:.0f} min {seconds % 60:02.0f} s left"

    def begin(self, round_: int, kind: tuple[str, int]) -> None:
        say(f"round {round_}, {kind[0]}, {report.threads_text(kind[1])} … ({self.left()})")
        self.started = time.monotonic()

    def end(self, kind: tuple[str, int], outcome: str) -> None:
        self.rest.remove(kind)
        self.durations.setdefault(kind, []).append(time.monotonic() - self.started)
        say(f"    {outcome}")

    def drop(self, kind: tuple[str, int]) -> None:
        self.rest = [other for other in self.rest if other != kind]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def compare(arguments: argparse.Namespace) -> dict[tuple[str, int], report.Results]:
    kinds = [(name, threads) for threads in arguments.threads for name in arguments.contenders]
    results = {kind: report.Results() for kind in kinds}
    progress = Progress(kinds * arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for round_ in range(1, arguments.rounds + 1):
            for kind in kinds:
                if results[kind].failure:
                    continue
                name, threads = kind
                progress.begin(round_, kind)
                try:
                    command = CONTENDERS[name](arguments, threads)
                    result = run(command, environment_for(name, folder), arguments.timeout)
                    results[kind].runs.append(result)
                    progress.end(kind, f"{result['tokens_per_second']:.1f} tokens/s, {result['peak_mb']:.0f} MB")
                except (Failure, OSError, KeyError) as error:
                    results[kind].failure = " ".join(str(error).split())
                    progress.end(kind, f"failed: {results[kind].failure}")
                    progress.drop(kind)
    return results


def parse() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",")]

    def names(text: str) -> list[str]:
        chosen = [name for name in CONTENDERS if any(part.lower() in name.lower() for part in text.split(","))]
        if not chosen:
            raise argparse.ArgumentTypeError(f"choose among {', '.join(CONTENDERS)}")
        return chosen

    parser = argparse.ArgumentParser(prog="bench/peers/train", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    workload.add_arguments(parser)
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="N,…", help="numbers of threads [1,2]")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contender [3]")
    parser.add_argument("--contenders", type=names, default=list(CONTENDERS), metavar="NAME,…",
                        help="parts of names, such as heed,eager,marian [all]")
    parser.add_argument("--heed", type=pathlib.Path, default=HERE.parents[1] / "build/release/heed",
                        help="heed's program [build/release/heed]")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds after which a run has failed [1800]")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every run's numbers there")
    arguments = parser.parse_args()
    workload.sentences(arguments)
    return arguments


def main() -> None:
    arguments = parse()
    about = machine.describe(arguments.heed)
    if about["load_at_start"] > 0.5:
        say(f"the machine is busy (load {about['load_at_start']:.1f}): other work slows the contenders unequally")
    results = compare(arguments)
    print(report.markdown(arguments, about, results))
    if arguments.json:
        arguments.json.write_text(json.dumps(report.as_json(arguments, about, results), indent=2) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of "finally", so that no contender is left behind
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
