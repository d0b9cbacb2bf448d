// Small packages of models, as Firefox and OPUS-MT publish them.
#pragma once

#include <string>
#include <vector>

#include "interchange/make_archive.h"
#include "interchange/small_marian.h"
#include "interchange/small_shortlist.h"
#include "text/small_sentencepiece.h"

namespace heed::interchange {

// </s>, <unk>, then pieces: nine in all.
inline std::string small_vocab_spm() {
  std::string model = piece_field("</s>", 0.0f, PieceKind::control) + piece_field("<unk>", 0.0f, PieceKind::unknown);
  float score = -1.0f;
  for (const char* piece : {"\u2581", "a", "b", "c", "ab", "bc", "d"}) {
    model += piece_field(piece, score -= 0.5f, PieceKind::normal);
  }
  return model + proto_field(2, proto_field(3, std::uint64_t{1})) + proto_field(3, proto_field(1, std::string("x")));
}

inline SmallMarian student() {
  return SmallMarian({.ssru = true, .activation = "relu", .source_vocab = 9, .target_vocab = 9});
}

inline std::vector<ArchiveFile> firefox_package() {
  return {{"enpt/model.enpt.intgemm.alphas.bin", student().bin(true)},
          {"enpt/vocab.enpt.spm", small_vocab_spm()},
          {"enpt/lex.50.50.enpt.s2t.bin", small_shortlist(9, {{}, {}, {2, 3}, {4}, {}, {}, {}, {}, {}})},
          {"enpt/config.intgemm8bitalpha.yml",
           "models:\n  - model.enpt.intgemm.alphas.bin\nvocabs:\n  - vocab.enpt.spm\n  - vocab.enpt.spm\nbeam-size: 2\n"
           "normalize: 1.0\nword-penalty: 0\nshortlist:\n  - lex.50.50.enpt.s2t.bin\n  - false\n"}};
}

// Text, SentencePiece models of both languages, a joint vocabulary in another order.
inline std::vector<ArchiveFile> opus_package() {
  return {{"opus.npz", SmallMarian({.source_vocab = 12, .target_vocab = 12}).npz()},
          {"opus.vocab.yml",
           "</s>: 0\n<unk>: 1\n\u2581: 2\na: 3\nbc: 4\nab: 5\nd: 6\nc: 7\nx: 8\n>>fra<<: 9\ny: 10\n\"\\xe9\": 11\n"},
          {"source.spm", small_vocab_spm()},
          {"target.spm", small_vocab_spm()},
          {"decoder.yml",
           "relative-paths: true\nmodels:\n  - opus.npz\nvocabs:\n  - opus.vocab.yml\n  - opus.vocab.yml\n"
           "beam-size: 6\nnormalize: 1\nword-penalty: 0\n"},
          {"preprocess.sh", "exit 1\n"},
          {"LICENSE", "\nAttribution 4.0 International\n\nmore\n"}};
}

}  // namespace heed::interchange
