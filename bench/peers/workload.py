"""What every contender trains: the model's shape, the batch, and how long to measure."""

import argparse
import dataclasses


@dataclasses.dataclass(frozen=True)
class Shape:
    layers: int  # per stack
    d_model: int
    d_ff: int
    heads: int
    dropout: float


# The same presets as heed's.
PRESETS = {
    "tiny": Shape(layers=4, d_model=128, d_ff=256, heads=4, dropout=0.1),
    "small": Shape(layers=4, d_model=256, d_ff=1024, heads=4, dropout=0.1),
    "base": Shape(layers=6, d_model=512, d_ff=2048, heads=8, dropout=0.1),
    "big": Shape(layers=6, d_model=1024, d_ff=4096, heads=16, dropout=0.3),
}

LABEL_SMOOTHING = 0.1
ADAM = {"betas": (0.9, 0.98), "eps": 1e-9}
LEARNING_RATE = 1e-4
WARM_UP_STEPS = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", choices=PRESETS, default="base")
    parser.add_argument("--vocab-size", type=int, default=8002, help="entries of the shared vocabulary [8002]")
    parser.add_argument("--tokens", type=int, default=2000, help="target tokens per update [2000]")
    parser.add_argument("--length", type=int, default=25, help="tokens of a sentence, </s> included, both sides [25]")
    parser.add_argument("--steps", type=int, default=4, help="least number of updates timed in a peer's run [4]")
    parser.add_argument("--seconds", type=float, default=5.0, help="least time measured in a peer's run [5]")


def sentences(arguments: argparse.Namespace) -> int:
    """Sentences per update, all of equal length, so that no contender computes on padding."""
    count, rest = divmod(arguments.tokens, arguments.length)
    if rest or not count:
        raise SystemExit(f"--tokens {arguments.tokens} is not a multiple of --length {arguments.length}")
    return count
