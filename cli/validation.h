// Validation during training: the loss of a held-out corpus, and the scores of its translation by beam search.
#pragma once

#include <optional>

#include "data/corpus.h"
#include "decoding/search.h"
#include "metrics/bleu.h"
#include "text/tokenizer_files.h"
#include "training/log.h"
#include "training/trainer.h"

namespace heed::cli {

struct ValidationOptions {
  SearchOptions search{};
  metrics::BleuOptions bleu{};
};

class Validator {
 public:
  // Reads and encodes the corpus. Throws Error when it holds no pair.
  Validator(const CorpusFiles& files, const TokenizerPair& tokenizers, Trainer& trainer,
            const ValidationOptions& options);

  // Lines are cut at max_source_length pieces as 'heed translate' cuts them; 0: the run records no such length. Nothing
  // when a signal came in between. A model whose perplexity is not finite is not asked to translate.
  std::optional<Validation> run(Index max_source_length);

 private:
  void check_positions(const CorpusFiles& files, const std::vector<int>& source, const std::vector<int>& target) const;
  Loss loss();
  std::vector<std::string> translate(Index max_source_length);

  TokenizerPair tokenizers_;
  Trainer& trainer_;
  ValidationOptions options_;
  std::vector<std::string> sources_, references_;
  std::vector<BatchBuilder> batches_;
};

}  // namespace heed::cli
