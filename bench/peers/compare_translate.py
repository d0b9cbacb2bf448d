"""Compares the translation speed of heed with its peers', in target tokens per second.

A peer with several settings tries all of them in the first round and keeps the fastest; the best of them
counts. The contenders run in turn, round after round. Tables of medians go to standard output, progress to standard
error.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import contest
import decoding
import machine
import marian_decode
import report_translate
from report import Results
from report_translate import Case, Outcome

WORKLOAD = ("preset", "vocab_size", "source_length", "target_length")
Commands = dict[str, list[str]]  # by setting


def heed(arguments: argparse.Namespace, case: Case, _: pathlib.Path) -> Commands:
    given = contest.flags(arguments, *WORKLOAD, "threads") + contest.flags(case, "batch", "beam", "type")
    return {"": [str(arguments.heed), "bench", "translate", *given, "--json"]}


def peer(script: str, arguments: argparse.Namespace, case: Case, folder: pathlib.Path, *flags: str) -> list[str]:
    given = contest.flags(arguments, *WORKLOAD, "seconds") + contest.flags(case, "batch", "beam", "type")
    return [sys.executable, str(contest.HERE / script), f"--folder={folder}", *given, *flags]


def ctranslate2(arguments: argparse.Namespace, case: Case, folder: pathlib.Path) -> Commands:
    """Workers and the threads of each. A single sentence cannot use a second worker."""
    splits = [(arguments.threads, 1), (1, arguments.threads), (1, 1)]
    splits = [split for split in dict.fromkeys(splits) if case.batch > 1 or split[0] == 1]
    return {f"{workers} × {threads}": peer("ctranslate2_decode.py", arguments, case, folder,
                                           f"--workers={workers}", f"--threads-each={threads}")
            for workers, threads in splits}


def marian(arguments: argparse.Namespace, case: Case, folder: pathlib.Path) -> Commands:
    """Threads are workers, so a single sentence runs on one."""
    workers = arguments.threads if case.batch > 1 else 1
    return {form: peer("marian_decode.py", arguments, case, folder, f"--workers={workers}", f"--form={form}")
            for form in marian_decode.FORMATS[case.type]}


CONTENDERS = {"heed": heed, "CTranslate2": ctranslate2, "Marian": marian}
MAKERS = {"CTranslate2": "ctranslate2_decode.py", "Marian": "marian_decode.py"}  # make the random models


class Comparison:
    """Every case of every contender, with what was measured so far."""

    def __init__(self, arguments: argparse.Namespace, folder: pathlib.Path):
        self.arguments = arguments
        self.folder = folder
        self.cases = [Case(batch, beam, type_) for type_ in arguments.types for beam in arguments.beams
                      for batch in arguments.batches]
        self.outcomes = {(name, case): Outcome() for case in self.cases for name in arguments.contenders}

    def prepare(self) -> None:
        """Creates the random models and lists what each contender will run."""
        for name in self.arguments.contenders:
            failure = self.failure_to_prepare(name)
            for case in self.cases:
                outcome = self.outcomes[name, case]
                outcome.commands = {} if failure else CONTENDERS[name](self.arguments, case, self.folder)
                outcome.settings = {setting: Results() for setting in outcome.commands} or {"": Results([], failure)}

    def failure_to_prepare(self, name: str) -> str:
        try:
            if name == "heed":
                contest.wait_for(self.arguments.heed)
            else:
                contest.say(f"creating a random model for {name} …")
                contest.run([sys.executable, str(contest.HERE / MAKERS[name]), f"--folder={self.folder}", "--make",
                             *contest.flags(self.arguments, *WORKLOAD)], dict(os.environ), self.arguments.timeout)
        except contest.Failure as failure:
            contest.say(f"    failed: {failure}")
            return str(failure)
        return ""

    def plan(self) -> contest.Progress:
        """How many settings will be kept is not known yet, so only the first is planned."""
        progress = contest.Progress([])
        for key, outcome in self.outcomes.items():
            for i, setting in enumerate(outcome.commands):
                progress.expect((key, setting), self.arguments.rounds if i == 0 else 1)
        return progress

    def run_all(self) -> None:
        progress = self.plan()
        for round_ in range(1, self.arguments.rounds + 1):
            for key, outcome in self.outcomes.items():
                for setting in outcome.commands:
                    self.take_turn(progress, round_, key, setting)
                    progress.expect((key, setting), 0)
                outcome.keep_fastest()
                for setting in outcome.commands:
                    progress.expect((key, setting), self.arguments.rounds - round_)

    def take_turn(self, progress: contest.Progress, round_: int, key: tuple[str, Case], setting: str) -> None:
        name, case = key
        results = self.outcomes[key].settings[setting]
        text = f"round {round_}, {case}, {name}" + (f" {setting}" if setting else "")

        def turn() -> dict:
            if name == "heed":
                contest.wait_for(self.arguments.heed)
            command = self.outcomes[key].commands[setting]
            return contest.measure(command, dict(os.environ), self.arguments.timeout)

        try:
            results.runs.append(progress.take((key, setting), text, turn))
        except contest.Failure as failure:
            results.failure = str(failure)


def parse() -> argparse.Namespace:
    def types(text: str) -> list[str]:
        chosen = [name for name in decoding.TYPES if name in text.split(",")]
        if not chosen:
            raise argparse.ArgumentTypeError(f"choose among {', '.join(decoding.TYPES)}")
        return chosen

    parser = argparse.ArgumentParser(prog="bench/peers/translate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    decoding.add_arguments(parser)
    parser.add_argument("--threads", type=int, default=2, help="threads of every contender [2]")
    parser.add_argument("--batches", type=contest.numbers, default=[1, 8, 64], metavar="N,…", help="[1,8,64]")
    parser.add_argument("--beams", type=contest.numbers, default=[1, 4], metavar="N,…", help="1: greedy [1,4]")
    parser.add_argument("--types", type=types, default=list(decoding.TYPES), metavar="TYPE,…", help="[int8,f32]")
    contest.add_arguments(parser, CONTENDERS)
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    about = machine.describe(arguments.heed)
    contest.warn_if_busy(about)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, pathlib.Path(folder))
        comparison.prepare()
        comparison.run_all()
    print(report_translate.markdown(arguments, about, comparison.outcomes))
    if arguments.json:
        document = report_translate.as_json(arguments, about, comparison.outcomes)
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    contest.start(main)
