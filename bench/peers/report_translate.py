"""The tables and the JSON of a comparison of translation speed."""

import argparse
import dataclasses
import statistics

import report
import workload
from report import Results, row


@dataclasses.dataclass(frozen=True)
class Case:
    batch: int
    beam: int
    type: str

    def __str__(self) -> str:
        return f"batch {self.batch}, {'greedy' if self.beam == 1 else f'beam {self.beam}'}, {self.type}"


@dataclasses.dataclass
class Outcome:
    """One contender in one case: its results by setting."""

    commands: dict[str, list[str]] = dataclasses.field(default_factory=dict)  # of the settings that are still tried
    settings: dict[str, Results] = dataclasses.field(default_factory=dict)

    def best(self) -> tuple[str, Results]:
        """The fastest setting that ran in all rounds, or a failed one if none ran."""
        return max(self.settings.items(), key=lambda item: (len(item[1].runs), item[1].speed() if item[1].runs else 0))

    def keep_fastest(self) -> None:
        """Drops settings that are clearly slower than the best; runs of one setting differ by less than that."""
        speeds = {setting: results.speed() for setting, results in self.settings.items() if not results.failure}
        self.commands = {setting: command for setting, command in self.commands.items()
                         if speeds.get(setting, 0.0) > 0.9 * max(speeds.values())}


Outcomes = dict[tuple[str, Case], Outcome]


def cases(outcomes: Outcomes) -> list[Case]:
    return list(dict.fromkeys(case for _, case in outcomes))


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    return [row(header), row(["---"] + ["--:"] * (len(header) - 1)), *map(row, rows), ""]


def speed_cells(name: str, outcome: Outcome, heed: Outcome | None) -> list[str]:
    """Speed with its range and setting and, for a peer, heed's ratio to it."""
    setting, results = outcome.best()
    speed, ratio, _ = report.cells(results, heed.best()[1] if heed else None)
    if setting and results.runs:
        speed += f", {setting}"
    return [speed] if name == "heed" else [speed, ratio]


def speeds(names: list[str], outcomes: Outcomes) -> list[str]:
    header = ["translation, target tokens/s"]
    for name in names:
        header += [name] if name == "heed" else [name, "heed ÷ it"]
    return table(header, [[str(case)] + [cell for name in names for cell in speed_cells(
        name, outcomes[name, case], outcomes.get(("heed", case)))] for case in cases(outcomes)])


def figure(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{statistics.median(known):.0f}" if known else ""


def memory(names: list[str], outcomes: Outcomes) -> list[str]:
    """Peak memory of each process and, for a batch of 1, the time per sentence."""
    header = ["case"] + [f"{name}, peak MB" for name in names] + [f"{name}, ms/sentence" for name in names]
    rows = []
    for case in cases(outcomes):
        runs = [outcomes[name, case].best()[1].runs for name in names]
        peaks = [figure([max(run["peak_mb"] for run in each)] if each else []) for each in runs]
        times = [figure([run.get("ms_per_sentence") for run in each] if case.batch == 1 else []) for each in runs]
        rows.append([str(case), *peaks, *times])
    return table(header, rows)


def files(names: list[str], outcomes: Outcomes) -> list[str]:
    """What a type costs before the first sentence."""
    header = ["type"] + [f"{name}, {what}" for what in ("load ms", "file MB") for name in names]
    rows = []
    for type_ in dict.fromkeys(case.type for case in cases(outcomes)):
        rows.append([type_] + [
            figure([run.get(field) for case in cases(outcomes) if case.type == type_
                    for run in outcomes[name, case].best()[1].runs])
            for field in ("load_ms", "file_mb") for name in names])
    return table(header, rows)


def markdown(arguments: argparse.Namespace, about: dict, outcomes: Outcomes) -> str:
    names = arguments.contenders
    shape = workload.PRESETS[arguments.preset]
    rounds = "1 round" if arguments.rounds == 1 else f"medians of {arguments.rounds} rounds (range)"
    best = {key: outcome.best()[1] for key, outcome in outcomes.items()}
    return "\n".join([
        *speeds(names, outcomes), *memory(names, outcomes), *files(names, outcomes),
        f"- Model: {arguments.preset}, {shape.layers}+{shape.layers} layers, d_model {shape.d_model}, "
        f"d_ff {shape.d_ff}, {shape.heads} heads, vocabulary {arguments.vocab_size}, random weights.",
        f"- Sentences: {arguments.source_length} source tokens, {arguments.target_length} steps; {rounds}; "
        f"{report.threads_text(arguments.threads)}; CTranslate2 at its best workers × threads.",
        f"- Machine: {about['cpu']}, {about['cores']} cores, {about['instruction_set']}; "
        f"load {about['load_at_start']:.1f} at the start.",
        f"- Versions: {report.versions(about, best)}.",
    ])


def as_json(arguments: argparse.Namespace, about: dict, outcomes: Outcomes) -> dict:
    fields = ("preset", "vocab_size", "source_length", "target_length", "threads", "rounds")
    return {
        "machine": about,
        **{field: getattr(arguments, field) for field in fields},
        "contenders": [
            {
                "name": name,
                **dataclasses.asdict(case),
                "setting": setting,
                "best": setting == outcome.best()[0] and bool(results.runs),
                "tokens_per_second": results.speed() if results.runs else None,
                "peak_mb": results.peak_mb() if results.runs else None,
                "failure": results.failure or None,
                "runs": results.runs,
            }
            for (name, case), outcome in outcomes.items() for setting, results in outcome.settings.items()
        ],
    }
