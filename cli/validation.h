// Validation during training: loss on a held-out corpus, and BLEU and chrF of its translation by beam search, or the
// strict F of its trees.
#pragma once

#include <optional>

#include "data/corpus.h"
#include "decoding/codec.h"
#include "decoding/search.h"
#include "metrics/bleu.h"
#include "text/tokenizer_files.h"
#include "training/log.h"
#include "training/trainer.h"
#include "trees/linearise.h"

namespace heed::cli {

struct ValidationOptions {
  SearchOptions search{};
  metrics::BleuOptions bleu{};
  std::optional<treebank::Form> form = {};  // the corpus is a treebank, whose trees are linearised so
};

class Validator {
 public:
  // Reads and encodes the corpus. Throws Error if it is empty.
  Validator(const CorpusFiles& files, const TokenizerPair& tokenizers, Trainer& trainer,
            const ValidationOptions& options);

  // Lines longer than max_source_length pieces are split as in 'heed translate'; 0: no length recorded. Returns nullopt
  // if interrupted by a signal. If the perplexity is not finite, nothing is translated.
  std::optional<Validation> run(Index max_source_length);

 private:
  void check_positions(const CorpusFiles& files, const std::vector<int>& source, const std::vector<int>& target) const;
  Loss loss();
  std::vector<std::string> translate(Index max_source_length);
  std::unique_ptr<Codec> codec(StepModels models, Index max_source_length) const;
  void score(const std::vector<std::string>& hypotheses, Validation& validation) const;
  void read_trees(const std::filesystem::path& file);

  TokenizerPair tokenizers_;
  Trainer& trainer_;
  ValidationOptions options_;
  std::vector<std::string> sources_, references_;
  std::vector<BatchBuilder> batches_;
};

}  // namespace heed::cli
