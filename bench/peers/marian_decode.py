"""Decodes random sentences with Marian and prints the speed as one JSON object.

Marian has no option for the length of a translation except a limit. The model created here never ends by itself:
the row of </s> in the shared embedding is zero, so its logit is zero too, far below the best of thousands of others.
"""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import time

import decoding
import marian_train

# The 8-bit forms to try: intgemm, packed for this machine when loaded, and FBGEMM.
FORMATS = {"int8": ("intgemm8", "packed8avx2"), "f32": ("float32",)}
WORKSPACE_MB = 512  # per worker; Marian takes more if a batch needs it


def model_file(arguments: argparse.Namespace, form: str) -> pathlib.Path:
    return arguments.folder / "marian" / f"{form}.bin"


def pymarian(folder: pathlib.Path, *options: str) -> None:
    result = subprocess.run([sys.executable, "-m", "pymarian", *options], cwd=folder, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if result.returncode != 0:
        raise SystemExit(f"'pymarian {options[0]}' failed: {' '.join(result.stderr.split())[-160:]}")


def make(arguments: argparse.Namespace) -> None:
    """Trains for one update, zeroes the row of </s> and converts the model to each form."""
    import numpy as np

    folder = arguments.folder / "marian"
    folder.mkdir(parents=True, exist_ok=True)
    training = argparse.Namespace(preset=arguments.preset, vocab_size=arguments.vocab_size, tokens=64, length=8,
                                  threads=1)
    marian_train.write_corpus(folder, training)
    pymarian(folder, "train", *marian_train.marian_options(training), "--after", "1u")
    with np.load(folder / "model.npz") as stored:
        tensors = dict(stored)
    tensors["Wemb"][0] = 0.0
    np.savez(folder / "model.npz", **tensors)
    (folder / "model.npz.optimizer.npz").unlink()
    for form in (form for forms in FORMATS.values() for form in forms):
        pymarian(folder, "convert", "-f", "model.npz", "-t", f"{form}.bin", "-g", form)


def measure(arguments: argparse.Namespace) -> dict:
    from pymarian import Translator

    file = model_file(arguments, arguments.form)
    vocabulary = str(file.with_name("vocabulary.yml"))
    begin = time.perf_counter()
    translator = Translator(
        models=str(file), vocabs=[vocabulary, vocabulary], cpu_threads=arguments.workers, beam_size=arguments.beam,
        mini_batch=arguments.batch, maxi_batch=arguments.workers, workspace=WORKSPACE_MB, allow_unk="", quiet="",
        max_length_factor=arguments.target_length / arguments.source_length,
        **({"skip_cost": ""} if arguments.beam == 1 else {}))
    load_ms = 1000 * (time.perf_counter() - begin)
    words = [f"w{i}" for i in range(arguments.vocab_size - 2)]
    count = arguments.batch * arguments.workers  # a full batch for every worker
    source = [" ".join(pieces) for pieces in decoding.sentences(arguments, count, words)]

    def translate(lines: list[str]) -> set[int]:
        return {len(line.split()) for line in translator.translate(lines)}

    return decoding.timed(arguments, source, translate) | {
        "load_ms": load_ms, "file_mb": file.stat().st_size / 1e6, "version": importlib.metadata.version("pymarian")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    decoding.add_peer_arguments(parser)
    parser.add_argument("--workers", type=int, default=1, help="concurrent batches [1]")
    parser.add_argument("--form", default="intgemm8", help="format of the model's matrices [intgemm8]")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments)
    else:
        print(json.dumps(measure(arguments)))


if __name__ == "__main__":
    main()
