"""Converts a heed model to CTranslate2's format: ctranslate2_convert.py MODEL_DIR OUT_DIR

Every option of heed's models has an equivalent there, except d-k and d-v that differ from d-model / heads. The weights
are copied unchanged; positions are stored as a table, so that nothing depends on how either side computes them.
"""

import argparse
import json
import pathlib

import numpy as np
from ctranslate2.specs import attention_spec, common_spec, transformer_spec

SPECIAL = ["<unk>", "<s>", "</s>"]  # ids 0, 1, 2
POSITIONS = 1024  # rows of a computed table; CTranslate2 refuses longer sentences
LAYER_NORM_EPSILON = 1e-6
ACTIVATIONS = {
    "relu": common_spec.Activation.RELU,
    "gelu": common_spec.Activation.GELU,  # the exact one, as in heed
    "swish": common_spec.Activation.SWISH,
}

Tensors = dict[str, np.ndarray]


def read_safetensors(file: pathlib.Path) -> Tensors:
    """The file's tensors: eight bytes with the length of a JSON header, the header, then the values."""
    data = file.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name == "__metadata__":
            continue
        if entry["dtype"] != "F32":
            raise SystemExit(f"'{file}': tensor '{name}' is {entry['dtype']}; pass the model in F32")
        first, last = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin + first:begin + last], "<f4").reshape(entry["shape"])
    return tensors


def read_config(folder: pathlib.Path) -> dict:
    config = json.loads((folder / "config.json").read_text())
    if config.get("format") != "heed 1":
        raise SystemExit(f"'{folder}' is not a heed model; pass a folder written by 'heed train'")
    return config


def pieces(count: int) -> list[str]:
    """A vocabulary for a model that has no tokenizer."""
    return SPECIAL + [f"t{i}" for i in range(len(SPECIAL), count)]


def read_vocabulary(folder: pathlib.Path, side: str, size: int) -> list[str]:
    files = [file for file in (folder / f"{side}.vocab", folder / "tokenizer.vocab") if file.exists()]
    if not files:
        return pieces(size)
    vocabulary = files[0].read_text(encoding="utf-8").removesuffix("\n").split("\n")
    if len(vocabulary) != size or len(set(vocabulary)) != size or vocabulary[:3] != SPECIAL:
        raise SystemExit(f"'{files[0]}' has {len(set(vocabulary))} different pieces, but {size} are needed, the first "
                         f"{' '.join(SPECIAL)}; put the model's own file back")
    return vocabulary


def position_table(config: dict, tensors: Tensors, side: str) -> np.ndarray:
    d_model = config["d_model"]
    if config["positions"] == "learned":
        return tensors[f"{side}_positions.weight"]
    if config["positions"] == "none":
        return np.zeros((POSITIONS, d_model), np.float32)
    halves = config["positions"] == "halves"
    exponents = np.arange(d_model // 2) / (max(d_model / 2 - 1, 1) if halves else d_model / 2)
    angles = np.arange(POSITIONS)[:, None] / 10000.0 ** exponents
    parts = np.sin(angles), np.cos(angles)
    table = np.concatenate(parts, axis=1) if halves else np.stack(parts, axis=-1).reshape(POSITIONS, d_model)
    return table.astype(np.float32)


class Filler:
    """Copies heed's tensors into CTranslate2's model specification."""

    def __init__(self, config: dict, tensors: Tensors):
        self.config = config
        self.tensors = tensors

    def matrix(self, name: str) -> np.ndarray:
        """A copy: CTranslate2 quantises in place."""
        return self.tensors[f"{name}.weight"].copy()

    def table(self, side: str) -> np.ndarray:
        return self.matrix("embedding" if self.config["tie"] == "all" else f"{side}_embedding")

    def linear(self, spec: common_spec.LinearSpec, *names: str) -> None:
        """Stacks the projections of one input."""
        spec.weight = np.concatenate([self.matrix(name) for name in names])
        if f"{names[0]}.bias" in self.tensors:
            spec.bias = np.concatenate([self.tensors[f"{name}.bias"] for name in names])

    def norm(self, spec: common_spec.LayerNormSpec, name: str) -> None:
        spec.gamma, spec.beta = self.tensors[f"{name}.gain"], self.tensors[f"{name}.bias"]

    def attention(self, spec: attention_spec.MultiHeadAttentionSpec, name: str, groups: list[list[str]]) -> None:
        for linear, parts in zip(spec.linear, groups, strict=True):
            self.linear(linear, *(f"{name}.{part}" for part in parts))
        self.norm(spec.layer_norm, f"{name}.norm")

    def feed_forward(self, spec: transformer_spec.FeedForwardSpec, name: str) -> None:
        self.linear(spec.linear_0, f"{name}.inner")
        self.linear(spec.linear_1, f"{name}.outer")
        self.norm(spec.layer_norm, f"{name}.norm")

    def stack(self, spec: transformer_spec.TransformerEncoderSpec | transformer_spec.TransformerDecoderSpec,
              name: str, side: str) -> None:
        spec.position_encodings.encodings = position_table(self.config, self.tensors, side)
        for i, layer in enumerate(spec.layer):
            self.attention(layer.self_attention, f"{name}.{i}.self_attention", [["query", "key", "value"], ["output"]])
            if name == "decoder":
                self.attention(layer.attention, f"{name}.{i}.encoder_attention",
                               [["query"], ["key", "value"], ["output"]])
            self.feed_forward(layer.ffn, f"{name}.{i}.feed_forward")
        if self.config["norm"] == "before":
            self.norm(spec.layer_norm, f"{name}.norm")

    def output(self, spec: common_spec.LinearSpec) -> None:
        spec.weight = self.matrix("output") if self.config["tie"] == "none" else self.table("target")
        if self.config["output_bias"]:
            spec.bias = self.tensors["output.bias"]


def specification(config: dict, tensors: Tensors, source: list[str],
                  target: list[str]) -> transformer_spec.TransformerSpec:
    d_k = config["d_model"] // config["heads"]
    if (config["d_k"], config["d_v"]) != (d_k, d_k):
        raise SystemExit(f"d-k is {config['d_k']} and d-v {config['d_v']}; CTranslate2 needs d-model / heads, {d_k}")
    spec = transformer_spec.TransformerSpec.from_config(
        (config["encoder_layers"], config["decoder_layers"]), config["heads"], pre_norm=config["norm"] == "before",
        activation=ACTIVATIONS[config["activation"]])
    fill = Filler(config, tensors)
    spec.encoder.embeddings[0].weight = fill.table("source")  # both sides multiply by √d_model by default
    spec.decoder.embeddings.weight = fill.table("target")
    spec.decoder.start_from_zero_embedding = config["start"] == "zero"
    fill.stack(spec.encoder, "encoder", "source")
    fill.stack(spec.decoder, "decoder", "target")
    fill.output(spec.decoder.projection)
    spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
    spec.config.add_source_eos = True
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    return spec


def save(spec: transformer_spec.TransformerSpec, folder: pathlib.Path, quantization: str) -> None:
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


def convert(model: pathlib.Path, folder: pathlib.Path, quantization: str = "float32") -> None:
    try:
        config = read_config(model)
        vocabularies = [read_vocabulary(model, side, config[f"{side}_vocab_size"]) for side in ("source", "target")]
        tensors = read_safetensors(model / "model.safetensors")
    except (OSError, ValueError) as error:
        raise SystemExit(f"'{model}' cannot be read: {error}; pass a folder written by 'heed train'") from None
    save(specification(config, tensors, *vocabularies), folder, quantization)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, metavar="MODEL_DIR", help="heed's model folder")
    parser.add_argument("folder", type=pathlib.Path, metavar="OUT_DIR", help="folder to write CTranslate2's model to")
    parser.add_argument("--type", choices=("float32", "int8"), default="float32", help="type of the weights [float32]")
    arguments = parser.parse_args()
    convert(arguments.model, arguments.folder, arguments.type)


if __name__ == "__main__":
    main()
