"""Translates a file with CTranslate2, as a whole command to be timed: ctranslate2_translate.py MODEL_DIR < pieces

Input and output lines are pieces separated by spaces; with --tokenizer they are text, which SentencePiece splits and
joins. Every line gives one line, a blank line a blank one.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable

import ctranslate2


def tokenizer(file: pathlib.Path | None) -> tuple[Callable[[str], list[str]], Callable[[list[str]], str]]:
    """The functions that split a line and join pieces."""
    if file is None:
        return str.split, " ".join
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(file))
    return (lambda line: processor.encode(line, out_type=str)), processor.decode


def translate(arguments: argparse.Namespace, lines: list[str]) -> list[str]:
    split, join = tokenizer(arguments.tokenizer)
    translator = ctranslate2.Translator(str(arguments.model), compute_type=arguments.compute_type,
                                        inter_threads=arguments.inter_threads, intra_threads=arguments.intra_threads)
    # In a single call the sentences are sorted by length and the batches shared among the workers.
    results = translator.translate_batch(
        [split(line) for line in lines], beam_size=arguments.beam, length_penalty=arguments.length_penalty,
        max_batch_size=arguments.batch, batch_type=arguments.batch_type,
        max_decoding_length=arguments.max_decoding_length)
    return [join(result.hypotheses[0]) for result in results]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, metavar="MODEL_DIR", help="output of ctranslate2_convert.py")
    parser.add_argument("-i", "--input", type=pathlib.Path, help="lines to translate [standard input]")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file for the translations [standard output]")
    parser.add_argument("--tokenizer", type=pathlib.Path, metavar="FILE", help="SentencePiece model; lines are text")
    parser.add_argument("--beam", type=int, default=4, help="hypotheses kept; 1: greedy [4]")
    parser.add_argument("--length-penalty", type=float, default=0.6, help="divides a score by length to this power [0.6]")
    parser.add_argument("--compute-type", default="default", help="int8, float32, … [the model's]")
    parser.add_argument("--inter-threads", type=int, default=1, help="concurrent batches [1]")
    parser.add_argument("--intra-threads", type=int, default=1, help="threads per batch [1]")
    parser.add_argument("--batch", type=int, default=64, help="batch size [64]")
    parser.add_argument("--batch-type", choices=("examples", "tokens"), default="examples", help="what --batch counts")
    parser.add_argument("--max-decoding-length", type=int, default=256, help="longest translation, in pieces [256]")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    source = arguments.input.read_bytes() if arguments.input else sys.stdin.buffer.read()
    lines = source.decode("utf-8").removesuffix("\n").split("\n") if source else []
    try:
        text = "".join(f"{line}\n" for line in translate(arguments, lines)).encode("utf-8")
    except (RuntimeError, ValueError) as error:  # from CTranslate2, about the model or an option
        raise SystemExit(str(error)) from None
    if arguments.output:
        arguments.output.write_bytes(text)
    else:
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    main()
