"""Trains the Transformer in Marian for a few updates and prints its speed as one JSON object.

Marian runs in its own process and is stopped once its log shows enough updates, so that neither start-up nor
the saving of the model is timed.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import workload

CORPUS_BATCHES = 100
WORKSPACE_MB = 4000  # per worker; more than base needs, and Marian takes more if a model needs it

# "Ep. 1 : Up. 3 : Sen. 240 : Cost 9.41 * 2,000 @ 2,000 after 6,000 : Time 6.10s : …": "after" counts target tokens
# with </s> since the start.
UPDATE = re.compile(r"Up\. ([\d,]+) : .* Cost (\S+) .* after ([\d,]+) : Time")
VERSION = re.compile(r"Marian v(\S+)")


def write_corpus(folder: pathlib.Path, arguments: argparse.Namespace) -> None:
    words = [f"w{i}" for i in range(arguments.vocab_size - 2)]
    vocabulary = ["</s>", "<unk>", *words]
    (folder / "vocabulary.yml").write_text("".join(f"{word}: {i}\n" for i, word in enumerate(vocabulary)))
    draw = random.Random(1)
    for side in ("source", "target"):
        with open(folder / side, "w") as corpus:
            for _ in range(CORPUS_BATCHES * workload.sentences(arguments)):
                corpus.write(" ".join(draw.choices(words, k=arguments.length - 1)) + "\n")  # Marian adds </s>


def marian_options(arguments: argparse.Namespace) -> list[str]:
    shape = workload.PRESETS[arguments.preset]
    options = {
        "type": "transformer",
        "model": "model.npz",
        "train-sets": ["source", "target"],
        "vocabs": ["vocabulary.yml", "vocabulary.yml"],
        "enc-depth": shape.layers,
        "dec-depth": shape.layers,
        "dim-emb": shape.d_model,
        "transformer-dim-ffn": shape.d_ff,
        "transformer-heads": shape.heads,
        "transformer-ffn-activation": "relu",
        "transformer-preprocess": "",
        "transformer-postprocess": "dan",  # dropout, add, norm
        "transformer-postprocess-emb": "d",
        "transformer-dropout": shape.dropout,
        "tied-embeddings-all": [],
        "output-omit-bias": [],
        "label-smoothing": workload.LABEL_SMOOTHING,
        "optimizer": "adam",
        "optimizer-params": [*workload.ADAM["betas"], workload.ADAM["eps"]],
        "learn-rate": workload.LEARNING_RATE,
        "clip-norm": 0,
        # With synchronous updates a mini-batch is split among the workers, so this is the whole update's.
        "sync-sgd": [],
        "mini-batch": workload.sentences(arguments),
        "cpu-threads": arguments.threads,
        "workspace": WORKSPACE_MB,
        "shuffle": "none",
        "maxi-batch-sort": "none",
        "max-length": arguments.length + 1,
        "data-threads": 1,
        "disp-freq": "1u",
        "overwrite": [],
        "seed": 1,
        "sigterm": "exit-immediately",
        "tempdir": ".",
    }
    line = ["--mini-batch-round-up=false"]
    for name, value in options.items():
        line += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    return line


def peak_mb(process: subprocess.Popen) -> float:
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 1e6


def measure(process: subprocess.Popen, arguments: argparse.Namespace) -> dict:
    """Reads Marian's log until enough updates have passed after the warm-up."""
    result = {}
    last_lines = collections.deque(maxlen=3)
    for line in process.stderr:
        last_lines.append(line.strip())
        if version := VERSION.search(line):
            result["version"] = version[1]
        update = UPDATE.search(line)
        if not update:
            continue
        now = time.perf_counter()
        count, tokens = (int(update[i].replace(",", "")) for i in (1, 3))
        if count == workload.WARM_UP_STEPS:
            begin, first_tokens = now, tokens
        steps = count - workload.WARM_UP_STEPS
        if steps >= arguments.steps and now - begin >= arguments.seconds:
            if tokens - first_tokens != steps * arguments.tokens:
                raise SystemExit(f"{tokens - first_tokens} target tokens in {steps} updates of {arguments.tokens}")
            return result | {"tokens_per_second": (tokens - first_tokens) / (now - begin), "steps": steps,
                             "peak_mb": peak_mb(process), "loss": float(update[2])}
    raise SystemExit(f"Marian ended early: {' | '.join(last_lines)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    workload.add_arguments(parser)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(pathlib.Path(folder), arguments)
        command = [sys.executable, "-m", "pymarian", "train", *marian_options(arguments)]
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              text=True) as process:
            try:
                print(json.dumps(measure(process, arguments)))
            finally:
                process.kill()


if __name__ == "__main__":
    main()
