"""Compares heed's imports and exports with Hugging Face's and CTranslate2's own numbers.

    bench/peers/in_venv torch,transformers,sentencepiece,ctranslate2 check_interchange.py HEED [--folder DIR]

Nothing is downloaded: models are random, of several shapes, and their SentencePiece models are trained here. Every line
names a check, the largest difference and what it may be at most; the exit code is 1 if one is too large.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"

import ctranslate2
import numpy as np
import sentencepiece
import torch
import transformers

MOST = 1e-4
MOST_ROUNDED = 1e-3  # where the file's table of positions is rounded to half precision and heed computes it
SHAPES = {
    "swish": dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
                  encoder_ffn_dim=64, decoder_ffn_dim=64, activation_function="swish", scale_embedding=True),
    "relu_deep": dict(d_model=64, encoder_layers=4, decoder_layers=1, encoder_attention_heads=8,
                      decoder_attention_heads=8, encoder_ffn_dim=96, decoder_ffn_dim=160, activation_function="relu",
                      scale_embedding=True),
    "gelu_untied": dict(d_model=48, encoder_layers=1, decoder_layers=3, encoder_attention_heads=6,
                        decoder_attention_heads=6, encoder_ffn_dim=80, decoder_ffn_dim=80, activation_function="gelu",
                        scale_embedding=False, tie_word_embeddings=False),
    "two_embeddings": dict(d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
                           decoder_attention_heads=2, encoder_ffn_dim=40, decoder_ffn_dim=40,
                           activation_function="silu", scale_embedding=True, share_encoder_decoder_embeddings=False),
}
KINDS = ("unigram", "bpe", "unigram", "bpe")
# A row of <pad> that is not zero, as fine-tuning leaves it.
TRAINED_PAD = ("relu_deep",)
failures = 0


def report(name: str, difference: float, most: float) -> None:
    global failures
    failures += not difference <= most
    print(f"{'ok    ' if difference <= most else 'FAILED'} {name}: {difference:.2e} (at most {most:.0e})", flush=True)


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def sentences(count: int, seed: int, letters: str) -> list[str]:
    draw = random.Random(seed)
    words = ["".join(draw.choice(letters) for _ in range(draw.randint(1, 6))) for _ in range(200)]
    return [" ".join(draw.choice(words) for _ in range(draw.randint(1, 12))) for _ in range(count)]


def train_pieces(lines: list[str], prefix: pathlib.Path, kind: str) -> pathlib.Path:
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_prefix=str(prefix), vocab_size=120,
                                             model_type=kind, minloglevel=2)
    return prefix.with_suffix(".model")


def make_folder(folder: pathlib.Path, shape: dict, kind: str, trained_pad: bool, source: list[str], target: list[str]) -> None:
    """A random MarianMT model without weights files, as converters of Marian's models lay it out."""
    folder.mkdir(parents=True)
    pieces: list[str] = []
    for name, lines in (("source", source), ("target", target)):
        train_pieces(lines, folder / name, kind).rename(folder / f"{name}.spm")
        (folder / f"{name}.vocab").unlink()
        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
        pieces += [model.id_to_piece(i) for i in range(3, model.get_piece_size())]
    # Real vocabularies lack some pieces of the SentencePiece models.
    kept = [piece for i, piece in enumerate(dict.fromkeys(pieces)) if i % 17 != 5]
    tokens = ["</s>", "<unk>", *kept, "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"source_lang": "en", "target_lang": "pt", "separate_vocabs": False}))
    pad = len(tokens) - 1
    torch.manual_seed(len(tokens) + shape["d_model"])
    config = transformers.MarianConfig(**shape, vocab_size=len(tokens), decoder_vocab_size=len(tokens),
                                       pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0, bos_token_id=0,
                                       forced_eos_token_id=0, max_position_embeddings=256, init_std=0.3)
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias") or "layer_norm" in name:
                parameter.add_(0.2 * torch.randn_like(parameter))
        if not trained_pad:
            model.model.decoder.embed_tokens.weight[pad] = 0
        model.final_logits_bias.normal_()
        model.final_logits_bias[0, pad] = 0
    model.generation_config.num_beams = 4
    model.generation_config.bad_words_ids = [[pad]]
    model.save_pretrained(folder)


def known_lines(folder: pathlib.Path, source: list[str], target: list[str]) -> tuple[list[str], list[str]]:
    """Pairs without unknown pieces in the target, which heed never produces and Hugging Face reads as <unk>."""
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    pairs = [pair for pair in zip(source, target, strict=True)
             if tokenizer.unk_token_id not in tokenizer(text_target=pair[1])["input_ids"]][:40]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def save_forms(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """The same model in both containers, in single and half precision."""
    import safetensors.torch
    forms = {}
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    for form, dtype in (("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16)):
        numbers = {name: tensor.to(dtype).contiguous() for name, tensor in tensors.items()}
        for container in ("safetensors", "bin", "old-bin"):
            other = folder.with_name(f"{folder.name}-{form}-{container}")
            other.mkdir()
            for file in folder.iterdir():
                if file.name != "model.safetensors":
                    (other / file.name).write_bytes(file.read_bytes())
            if container == "safetensors":
                safetensors.torch.save_file(numbers, other / "model.safetensors", metadata={"format": "pt"})
            else:
                torch.save(numbers, other / "pytorch_model.bin",
                           _use_new_zipfile_serialization=container == "bin")
            forms[f"{form} {container}"] = other
    return forms


def peer_scores(folder: pathlib.Path, source: list[str], target: list[str]) -> list[list[float]]:
    """Log-probabilities of the target tokens; <pad>, which is never produced, takes no part."""
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    model = transformers.MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
    pad = model.config.pad_token_id
    scores = []
    for one, other in zip(source, target, strict=True):
        inputs = tokenizer(one, return_tensors="pt")
        labels = tokenizer(text_target=other, return_tensors="pt")["input_ids"]
        first = torch.full((1, 1), model.config.decoder_start_token_id)
        with torch.no_grad():
            logits = model(**inputs, decoder_input_ids=torch.cat([first, labels[:, :-1]], 1)).logits[0]
        logits[:, pad] = -torch.inf
        scores.append(logits.log_softmax(-1).gather(1, labels[0][:, None])[:, 0].tolist())
    return scores


def heed_scores(heed: pathlib.Path, model: pathlib.Path, source: list[str], target: list[str]) -> list[list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("source", "target")]
        for file, lines in zip(files, (source, target), strict=True):
            file.write_text("".join(line + "\n" for line in lines))
        lines = run(heed, "rescore", "-m", model, *files, "--token-scores", "--type", "f32").splitlines()
    return [[float(score) for score in line.split(" ||| ")[1].split()] for line in lines]


def largest_difference(ours: list[list[float]], theirs: list[list[float]]) -> float:
    """Relative, of all tokens; heed prints four decimals."""
    if [len(line) for line in ours] != [len(line) for line in theirs]:
        return float("inf")
    pairs = [(a, b) for line, other in zip(ours, theirs, strict=True) for a, b in zip(line, other, strict=True)]
    return max(max(abs(a - b) - 5e-5, 0.0) / max(abs(b), 1.0) for a, b in pairs)


def check_hugging_face(heed: pathlib.Path, folder: pathlib.Path, source: list[str], target: list[str]) -> None:
    for (name, shape), kind in zip(SHAPES.items(), KINDS, strict=True):
        make_folder(folder / name, shape, kind, name in TRAINED_PAD, source, target)
        lines = known_lines(folder / name, source, target)
        for form, other in save_forms(folder / name).items():
            imported = other.with_name(f"{other.name}-heed")
            run(heed, "model", "import", other, "-o", imported)
            report(f"Hugging Face {name} {form}",
                   largest_difference(heed_scores(heed, imported, *lines), peer_scores(other, *lines)), MOST)


def pieces_of(folder: pathlib.Path, side: str, lines: list[str]) -> list[list[str]]:
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
    return [model.encode(line, out_type=str) for line in lines]


def ctranslate2_scores(model: pathlib.Path, pieces: pathlib.Path, source: list[str],
                       target: list[str]) -> list[list[float]]:
    translator = ctranslate2.Translator(str(model), compute_type="float32", intra_threads=1)
    scored = translator.score_batch(pieces_of(pieces, "source", source), pieces_of(pieces, "target", target))
    return [one.log_probs for one in scored]


def check_ctranslate2(heed: pathlib.Path, folder: pathlib.Path, source: list[str], target: list[str]) -> None:
    """Models that CTranslate2's own converter writes; integers are compared as the f32 that they stand for."""
    for name in SHAPES:
        lines = known_lines(folder / name, source, target)
        for form in ("float32", "float16", "int16", "int8"):
            other = folder / f"{name}-ct2-{form}"
            converter = ctranslate2.converters.TransformersConverter(str(folder / name),
                                                                     copy_files=["source.spm", "target.spm"])
            try:
                converter.convert(str(other), quantization=form)
            except Exception as error:  # its own converter does not know every shape
                print(f"       CTranslate2 {name} {form}: not converted ({str(error).splitlines()[0][:80]})")
                continue
            imported = folder / f"{name}-ct2-{form}-heed"
            run(heed, "model", "import", other, "-o", imported, "--type", "f32")
            report(f"CTranslate2 {name} {form}",
                   largest_difference(heed_scores(heed, imported, *lines),
                                      ctranslate2_scores(other, folder / name, *lines)),
                   MOST_ROUNDED if form == "float16" else MOST)


def check_ids(heed: pathlib.Path, folder: pathlib.Path, source: list[str]) -> None:
    """How text becomes ids: heed's pieces against MarianTokenizer's, with pieces that the vocabulary lacks."""
    for name in SHAPES:
        tokenizer = transformers.MarianTokenizer.from_pretrained(folder / name)
        vocabulary = json.loads((folder / name / "vocab.json").read_text())
        file = folder / "lines"
        file.write_text("".join(line + "\n" for line in source))
        pieces = run(heed, "tokenizer", "encode", "-m", folder / f"{name}-f32-safetensors-heed", "-i", file)
        ours = [[vocabulary.get(piece, vocabulary["<unk>"]) for piece in line.split()] for line in pieces.splitlines()]
        theirs = [tokenizer(line)["input_ids"][:-1] for line in source]
        report(f"ids of {name}: share of {len(source)} lines that differ",
               sum(a != b for a, b in zip(ours, theirs, strict=True)) / len(source), 0.0)


def train(heed: pathlib.Path, folder: pathlib.Path, source: list[str], target: list[str]) -> pathlib.Path:
    """A model of heed's own, after a few updates: other positions and start than MarianMT's, and no attention biases."""
    files = [folder / f"train.{side}" for side in ("source", "target")]
    for file, lines in zip(files, (source, target), strict=True):
        file.write_text("".join(line + "\n" for line in lines))
    run(heed, "train", "--source", files[0], "--target", files[1], "--valid-source", files[0], "--valid-target",
        files[1], "--model", folder / "trained", "--preset", "tiny", "--encoder-layers", 2, "--decoder-layers", 2,
        "--vocab-size", 320, "--updates", 20, "--warmup", 10, "--batch-tokens", 500, "--threads", 1)
    return folder / "trained"


def check_exports(heed: pathlib.Path, folder: pathlib.Path, source: list[str], target: list[str]) -> None:
    models = {name: folder / f"{name}-f32-safetensors-heed" for name in SHAPES}
    models["trained"] = train(heed, folder, source, target)
    for name, model in models.items():
        lines = (source[:40], target[:40]) if name == "trained" else known_lines(folder / name, source, target)
        ours = heed_scores(heed, model, *lines)
        peer = {}
        for program in ("ctranslate2", "huggingface"):
            peer[program] = folder / f"{name}-for-{program}"
            run(heed, "model", "export", "-m", model, "--to", program, "-o", peer[program])
        pieces = folder / f"{name}-for-huggingface"
        report(f"exported to CTranslate2: {name}",
               largest_difference(ours, ctranslate2_scores(peer["ctranslate2"], pieces, *lines)), MOST)
        # Layer norms add 1e-5 there and 1e-6 in models that were trained here.
        report(f"exported to Hugging Face: {name}",
               largest_difference(ours, peer_scores(peer["huggingface"], *lines)),
               MOST_ROUNDED if name == "trained" else MOST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=pathlib.Path, help="the program")
    parser.add_argument("--folder", type=pathlib.Path, help="an empty folder to keep the models in [a temporary one]")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    source = sentences(400, 1, "abcdefghij")
    target = sentences(400, 2, "klmnopqrst")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        check_hugging_face(arguments.heed, folder, source, target)
        check_ctranslate2(arguments.heed, folder, source, target)
        check_ids(arguments.heed, folder, sentences(1000, 3, "abcdefghijkl"))
        check_exports(arguments.heed, folder, source, target)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
