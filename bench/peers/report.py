"""The table and the JSON of a comparison."""

import argparse
import dataclasses
import statistics

import workload


@dataclasses.dataclass
class Results:
    """The runs of one contender at one number of threads."""

    runs: list[dict] = dataclasses.field(default_factory=list)
    failure: str = ""

    def speeds(self) -> list[float]:
        return [run["tokens_per_second"] for run in self.runs]

    def speed(self) -> float:
        return statistics.median(self.speeds())

    def peak_mb(self) -> float:
        return max(run["peak_mb"] for run in self.runs)


def threads_text(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def cells(result: Results, heed: Results | None) -> list[str]:
    """Speed with its range, heed's ratio to it, peak memory."""
    if not result.runs:
        return [f"failed: {result.failure.replace('|', '/')}", "", ""]
    speed = f"{result.speed():.0f}"
    if len(result.runs) > 1:
        speed += f" ({min(result.speeds()):.0f}–{max(result.speeds()):.0f})"
    ratio = f"{heed.speed() / result.speed():.2f}" if heed and heed.runs else ""
    return [speed, ratio, f"{result.peak_mb():.0f}"]


def row(parts: list[str]) -> str:
    return f"| {' | '.join(parts)} |"


def versions(about: dict, results: dict[tuple[str, int], Results]) -> str:
    found = {"heed": about["heed"]}
    for (name, _), result in results.items():
        for run in result.runs:
            found.setdefault(name.split()[0], run.get("version", about["heed"]))
    return ", ".join(f"{name} {version}" for name, version in found.items())


def markdown(arguments: argparse.Namespace, about: dict, results: dict[tuple[str, int], Results]) -> str:
    shape = workload.PRESETS[arguments.preset]
    header = ["training, target tokens/s"]
    for threads in arguments.threads:
        header += [threads_text(threads), "heed ÷ it", "peak MB"]
    lines = [row(header), row(["---"] + ["--:"] * (len(header) - 1))]
    for name in arguments.contenders:
        line = [name]
        for threads in arguments.threads:
            line += cells(results[name, threads], results.get(("heed", threads)))
        lines.append(row(line))
    rounds = "1 round" if arguments.rounds == 1 else f"medians of {arguments.rounds} rounds (range)"
    lines += [
        "",
        f"- Model: {arguments.preset}, {shape.layers}+{shape.layers} layers, d_model {shape.d_model}, "
        f"d_ff {shape.d_ff}, {shape.heads} heads, dropout {shape.dropout}, vocabulary {arguments.vocab_size}.",
        f"- Update: {arguments.tokens} target tokens in sentences of {arguments.length}; {rounds}.",
        f"- Machine: {about['cpu']}, {about['cores']} cores, {about['instruction_set']}; "
        f"load {about['load_at_start']:.1f} at the start.",
        f"- Versions: {versions(about, results)}.",
    ]
    return "\n".join(lines)


def as_json(arguments: argparse.Namespace, about: dict, results: dict[tuple[str, int], Results]) -> dict:
    return {
        "machine": about,
        "preset": arguments.preset,
        "vocab_size": arguments.vocab_size,
        "tokens": arguments.tokens,
        "length": arguments.length,
        "contenders": [
            {
                "name": name,
                "threads": threads,
                "tokens_per_second": result.speed() if result.runs else None,
                "peak_mb": result.peak_mb() if result.runs else None,
                "failure": result.failure or None,
                "runs": result.runs,
            }
            for (name, threads), result in results.items()
        ],
    }
