"""Decodes random sentences with CTranslate2 and prints the speed as one JSON object."""

import argparse
import json
import pathlib
import time

import ctranslate2

import decoding
import workload

COMPUTE_TYPES = {"int8": "int8", "f32": "float32"}


def shapes(config: dict) -> dict[str, tuple[int, ...]]:
    """Names and shapes of heed's tensors without attention biases and with embeddings tied to the output."""
    d, inner = config["d_model"], config["d_ff"]
    found = {"embedding.weight": (config["source_vocab_size"], d)}
    for stack in ("encoder", "decoder"):
        for i in range(config[f"{stack}_layers"]):
            for part in ("self_attention", "encoder_attention")[:1 if stack == "encoder" else 2]:
                for name in ("query", "key", "value", "output"):
                    found[f"{stack}.{i}.{part}.{name}.weight"] = (d, d)
                found |= {f"{stack}.{i}.{part}.norm.gain": (d,), f"{stack}.{i}.{part}.norm.bias": (d,)}
            layer = f"{stack}.{i}.feed_forward"
            found |= {f"{layer}.inner.weight": (inner, d), f"{layer}.inner.bias": (inner,),
                      f"{layer}.outer.weight": (d, inner), f"{layer}.outer.bias": (d,),
                      f"{layer}.norm.gain": (d,), f"{layer}.norm.bias": (d,)}
    return found


def make(arguments: argparse.Namespace) -> None:
    """Writes the random model in both types."""
    import numpy as np

    import ctranslate2_convert  # only here: it imports PyTorch if that is installed

    shape = workload.PRESETS[arguments.preset]
    config = {
        "encoder_layers": shape.layers, "decoder_layers": shape.layers, "d_model": shape.d_model, "d_ff": shape.d_ff,
        "heads": shape.heads, "d_k": shape.d_model // shape.heads, "d_v": shape.d_model // shape.heads,
        "source_vocab_size": arguments.vocab_size, "positions": "sinusoidal", "norm": "after", "tie": "all",
        "activation": "relu", "start": "token", "output_bias": False,
    }
    draw = np.random.default_rng(1)
    tensors = {}
    for name, size in shapes(config).items():
        normal = draw.standard_normal(size, np.float32) / np.sqrt(np.float32(size[-1]))
        tensors[name] = normal if len(size) == 2 else np.full(size, name.endswith("gain"), np.float32)
    vocabulary = ctranslate2_convert.pieces(arguments.vocab_size)
    for kind, quantization in COMPUTE_TYPES.items():
        spec = ctranslate2_convert.specification(config, tensors, vocabulary, vocabulary)
        ctranslate2_convert.save(spec, model_folder(arguments, kind), quantization)


def model_folder(arguments: argparse.Namespace, kind: str) -> pathlib.Path:
    return arguments.folder / f"ctranslate2-{kind}"


def measure(arguments: argparse.Namespace) -> dict:
    folder = model_folder(arguments, arguments.type)
    begin = time.perf_counter()
    translator = ctranslate2.Translator(str(folder), compute_type=COMPUTE_TYPES[arguments.type],
                                        inter_threads=arguments.workers, intra_threads=arguments.threads_each)
    load_ms = 1000 * (time.perf_counter() - begin)
    words = [f"t{i}" for i in range(3, arguments.vocab_size)]
    count = arguments.batch * arguments.workers  # a full batch for every worker
    source = decoding.sentences(arguments, count, words)

    def translate(sentences: list[list[str]]) -> set[int]:
        results = translator.translate_batch(sentences, max_batch_size=arguments.batch, beam_size=arguments.beam,
                                             min_decoding_length=arguments.target_length,
                                             max_decoding_length=arguments.target_length)
        return {len(result.hypotheses[0]) for result in results}

    return decoding.timed(arguments, source, translate) | {
        "load_ms": load_ms, "file_mb": (folder / "model.bin").stat().st_size / 1e6, "version": ctranslate2.__version__}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    decoding.add_peer_arguments(parser)
    parser.add_argument("--workers", type=int, default=1, help="concurrent batches [1]")
    parser.add_argument("--threads-each", type=int, default=1, help="threads per worker [1]")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments)
    else:
        print(json.dumps(measure(arguments)))


if __name__ == "__main__":
    main()
