// Validation during training: the loss of a held-out corpus, and the scores of its translation by beam search.
#pragma once

#include <optional>

#include "data/corpus.h"
#include "text/tokenizer_files.h"
#include "training/log.h"
#include "training/trainer.h"

namespace heed::cli {

struct ValidationOptions {
  Index beam = 4;
  float alpha = 0.6f;
};

class Validator {
 public:
  // Reads and encodes the corpus. Throws Error when it holds no pair.
  Validator(const CorpusFiles& files, const TokenizerPair& tokenizers, Trainer& trainer,
            const ValidationOptions& options);

  // Nothing when a signal came in between.
  std::optional<Validation> run();

 private:
  Loss loss();
  std::vector<std::string> translate();

  TokenizerPair tokenizers_;
  Trainer& trainer_;
  ValidationOptions options_;
  std::vector<std::string> sources_, references_;
  std::vector<std::vector<int>> source_ids_;
  std::vector<BatchBuilder> batches_;
};

}  // namespace heed::cli
