"""Translates pieces with a Marian model in CTranslate2, since pymarian 1.12.42 decodes it badly (see README.md).

    python marian_translate.py MODEL_NPZ VOCABULARY SOURCE OUTPUT

Needs ctranslate2, numpy and pyyaml.
"""
import pathlib
import sys
import tempfile

import ctranslate2
import yaml


def without_zeros(load):
    """The settings in a model end in a NUL byte, which YAML rejects."""
    return lambda text: load(text.replace(b"\0", b"") if isinstance(text, bytes) else text)


def main() -> None:
    model, vocabulary, source, output = sys.argv[1:]
    yaml.safe_load = without_zeros(yaml.safe_load)
    lines = [line.split() for line in pathlib.Path(source).read_text(encoding="utf-8").split("\n")[:-1]]
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2.converters.MarianConverter(model, [vocabulary, vocabulary]).convert(folder, force=True)
        translator = ctranslate2.Translator(folder, inter_threads=2, intra_threads=1)
        results = translator.translate_batch(lines, beam_size=4, length_penalty=0.6, max_batch_size=32,
                                             max_decoding_length=200)
    translations = (" ".join(result.hypotheses[0]) for result in results)
    pathlib.Path(output).write_text("".join(line + "\n" for line in translations), encoding="utf-8")


if __name__ == "__main__":
    main()
