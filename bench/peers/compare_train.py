"""Compares the training speed of heed with its peers', in target tokens per second.

The contenders run in turn, round after round, so that a slow minute of the machine affects all of them. The table of
medians goes to standard output, progress to standard error.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import contest
import machine
import report
import workload

# glibc returns large blocks to the system after each use and pays for fresh pages in every update; PyTorch is faster
# when it keeps them.
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


def peer(script: str, *flags: str):
    """The command of a peer: a script in this folder that prints one JSON object."""

    def command(arguments: argparse.Namespace, threads: int) -> list[str]:
        given = contest.flags(arguments, "preset", "vocab_size", "tokens", "length", "steps", "seconds")
        return [sys.executable, str(contest.HERE / script), *flags, *given, f"--threads={threads}"]

    return command


def heed(arguments: argparse.Namespace, threads: int) -> list[str]:
    contest.wait_for(arguments.heed)
    given = contest.flags(arguments, "preset", "vocab_size", "tokens", "length")
    return [str(arguments.heed), "bench", "train", *given, f"--threads={threads}", "--rounds=1", "--json"]


CONTENDERS = {
    "heed": heed,
    "PyTorch eager": peer("pytorch_train.py"),
    "PyTorch compiled": peer("pytorch_train.py", "--compile"),
    "Marian": peer("marian_train.py"),
}


def environment_for(name: str, folder: str) -> dict[str, str]:
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "compiled"))
    return environment | KEEP_MEMORY if name.startswith("PyTorch") else environment


def compare(arguments: argparse.Namespace) -> dict[tuple[str, int], report.Results]:
    kinds = [(name, threads) for threads in arguments.threads for name in arguments.contenders]
    results = {kind: report.Results() for kind in kinds}
    progress = contest.Progress(kinds * arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for round_ in range(1, arguments.rounds + 1):
            for kind in kinds:
                if results[kind].failure:
                    continue
                name, threads = kind

                def turn() -> dict:
                    command = CONTENDERS[name](arguments, threads)
                    return contest.measure(command, environment_for(name, folder), arguments.timeout)

                try:
                    text = f"round {round_}, {name}, {report.threads_text(threads)}"
                    results[kind].runs.append(progress.take(kind, text, turn))
                except contest.Failure as failure:
                    results[kind].failure = str(failure)
    return results


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/peers/train", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    workload.add_arguments(parser)
    parser.add_argument("--threads", type=contest.numbers, default=[1, 2], metavar="N,…", help="[1,2]")
    contest.add_arguments(parser, CONTENDERS)
    arguments = parser.parse_args()
    workload.sentences(arguments)
    return arguments


def main() -> None:
    arguments = parse()
    about = machine.describe(arguments.heed)
    contest.warn_if_busy(about)
    results = compare(arguments)
    print(report.markdown(arguments, about, results))
    if arguments.json:
        arguments.json.write_text(json.dumps(report.as_json(arguments, about, results), indent=2) + "\n")


if __name__ == "__main__":
    contest.start(main)
