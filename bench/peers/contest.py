"""Runs contenders one after the other, each in its own process, and estimates the remaining time."""

import argparse
import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Hashable, Iterable

HERE = pathlib.Path(__file__).resolve().parent


class Failure(Exception):
    """A contender did not run; the text says why in one line."""


def wait_for(binary: pathlib.Path, seconds: float = 60.0) -> None:
    """A build in progress removes the binary for a moment."""
    deadline = time.monotonic() + seconds
    while not os.access(binary, os.X_OK):
        if time.monotonic() > deadline:
            raise Failure(f"no program at {binary}; build heed or set --heed")
        time.sleep(1)


def add_heed_argument(parser: argparse.ArgumentParser) -> None:
    # Absolute, as a name without a folder would be searched in PATH.
    parser.add_argument("--heed", type=lambda name: pathlib.Path(name).absolute(), metavar="FILE",
                        default=HERE.parents[1] / "build/release/heed", help="heed's program [build/release/heed]")


def add_arguments(parser: argparse.ArgumentParser, contenders: Iterable[str]) -> None:
    """The arguments of every comparison."""

    def names(text: str) -> list[str]:
        chosen = [name for name in contenders if any(part.lower() in name.lower() for part in text.split(","))]
        if not chosen:
            raise argparse.ArgumentTypeError(f"choose among {', '.join(contenders)}")
        return chosen

    parser.add_argument("--rounds", type=int, default=3, help="runs of each contender [3]")
    parser.add_argument("--contenders", type=names, default=list(contenders), metavar="NAME,…",
                        help="only those whose names contain these, such as heed,marian [all]")
    add_heed_argument(parser)
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds until a run counts as failed [1800]")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every result to this file")


def flags(arguments: object, *names: str) -> list[str]:
    """The named arguments as flags for another script of this folder."""
    return [f"--{name.replace('_', '-')}={getattr(arguments, name)}" for name in names]


def run(command: list[str], environment: dict[str, str], timeout: float) -> str:
    """Runs one contender to completion and returns its output."""
    process = subprocess.Popen(command, env=environment, text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {timeout:.0f} s") from None
    finally:
        if process.poll() is None:  # a timeout or SIGTERM
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode != 0:
        lines = errors.strip().splitlines()
        raise Failure(lines[-1][:200] if lines else f"exit code {process.returncode}")
    return output


def measure(command: list[str], environment: dict[str, str], timeout: float) -> dict:
    """The JSON object that a contender printed last, with its speed and peak memory."""
    output = run(command, environment, timeout)
    try:
        result = json.loads(output.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        raise Failure("printed no JSON object") from None
    for field in ("tokens_per_second", "peak_mb"):
        if not isinstance(result.get(field), (int, float)):
            raise Failure(f"printed no {field}")
    return result


class Progress:
    """Reports what is running and the time left, estimated from earlier runs of the same kind."""

    def __init__(self, plan: list[Hashable]):
        self.rest = collections.Counter(plan)
        self.durations: dict[Hashable, list[float]] = {}

    def left(self) -> str:
        known = [seconds for kind in self.durations.values() for seconds in kind]
        if not known:
            return "time left unknown yet"
        mean = statistics.mean(known)
        seconds = sum(count * statistics.mean(self.durations.get(kind, [mean])) for kind, count in self.rest.items())
        return f"about {seconds // 60:.0f} min {seconds % 60:02.0f} s left"

    def take(self, kind: Hashable, text: str, turn: Callable[[], dict]) -> dict:
        """One run; raises Failure if there is no result, after which no more runs of the kind are expected."""
        say(f"{text} … ({self.left()})")
        started = time.monotonic()
        try:
            result = turn()
        except (Failure, OSError) as error:
            failure = " ".join(str(error).split())
            say(f"    failed: {failure}")
            self.expect(kind, 0)
            raise Failure(failure) from None
        self.rest[kind] -= 1
        self.durations.setdefault(kind, []).append(time.monotonic() - started)
        say(f"    {result['tokens_per_second']:.1f} tokens/s, {result['peak_mb']:.0f} MB")
        return result

    def expect(self, kind: Hashable, runs: int) -> None:
        self.rest[kind] = runs


def numbers(text: str) -> list[int]:
    """Parses an argument such as 1,8,64."""
    return [int(part) for part in text.split(",")]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def warn_if_busy(about: dict) -> None:
    if about["load_at_start"] > 0.5:
        say(f"the machine is busy (load {about['load_at_start']:.1f}): other load slows the contenders unequally")


def start(main: Callable[[], None]) -> None:
    """SIGTERM exits through "finally", so that no contender keeps running."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
