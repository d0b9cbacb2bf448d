"""What every contender decodes: random sentences of equal length, with a model of random weights."""

import argparse
import pathlib
import random
import resource
import time
from collections.abc import Callable

import workload

TYPES = ("int8", "f32")
WARM_UP_SENTENCES = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", choices=workload.PRESETS, default="base")
    parser.add_argument("--vocab-size", type=int, default=32000, help="entries of the shared vocabulary [32000]")
    parser.add_argument("--source-length", type=int, default=32, help="tokens of a source, </s> included [32]")
    parser.add_argument("--target-length", type=int, default=32, help="decoding steps per sentence [32]")
    parser.add_argument("--seconds", type=float, default=5.0, help="least time measured in a peer's run [5]")


def add_peer_arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="folder of the random models")
    parser.add_argument("--make", action="store_true", help="only create the models there")
    parser.add_argument("--batch", type=int, default=64, help="sentences per batch [64]")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--type", choices=TYPES, default="int8")


def sentences(arguments: argparse.Namespace, count: int, words: list[str]) -> list[list[str]]:
    """Leaves one token for </s>, which the peers add."""
    draw = random.Random(1)
    return [draw.choices(words, k=arguments.source_length - 1) for _ in range(count)]


def timed(arguments: argparse.Namespace, source: list, translate: Callable[[list], set[int]]) -> dict:
    """The speed of a call that translates the sentences and returns their lengths, after a short warm-up."""
    translate(source[:WARM_UP_SENTENCES])
    done, seconds, begin = 0, 0.0, time.perf_counter()
    while seconds < arguments.seconds:
        lengths = translate(source)
        if lengths != {arguments.target_length}:
            raise SystemExit(f"translations have {lengths} pieces, not {arguments.target_length}")
        done += len(source)
        seconds = time.perf_counter() - begin
    return {
        "tokens_per_second": done * arguments.target_length / seconds,
        "ms_per_sentence": 1000 * seconds / done,
        "sentences": done,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }
