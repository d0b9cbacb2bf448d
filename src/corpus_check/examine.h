// Checks a single pair, independently of the others. Any number of threads may share an Examiner.
#pragma once

#include "corpus_check/findings.h"
#include "corpus_check/lenient_pairs.h"
#include "text/tokenizer_files.h"

namespace heed::corpus_check {

struct ExamineOptions {
  std::string source_language;  // empty: not checked
  std::string target_language;
  TokenizerPair tokenizers;  // null: tokens are estimated from characters
  Index max_length = 256;    // in tokens, for either side
  double max_ratio = 9.0;    // of the longer side to the shorter, in tokens
};

struct TextSize {
  Index words = 0;
  Index characters = 0;
  Index tokens = 0;
  Index unknown = 0;  // out-of-vocabulary tokens: <unk> or byte fallback
};

struct PairFacts {
  FindingSet findings;
  TextSize source;
  TextSize target;
  // Details of a finding beyond its title: the byte, the language, the tags.
  std::vector<std::pair<Finding, std::string>> details;

  void add(Finding finding, std::string detail = {});
};

class Examiner {
 public:
  // Throws Error for a language that the detector does not know.
  explicit Examiner(ExamineOptions options);

  // Control characters are recorded and removed from the pair; all other checks run without them.
  PairFacts examine(LenientPair& pair) const;

 private:
  struct SideRules {
    const char* name;
    std::string language;
    std::shared_ptr<const Tokenizer> tokenizer;
    std::vector<bool> stands_for_unknown;  // by token id
  };
  static SideRules make_side(const char* name, const std::string& language, std::shared_ptr<const Tokenizer> tokenizer);
  TextSize measure(const std::string& text, const SideRules& side) const;
  void check_lengths(PairFacts& facts) const;
  void check_language(const std::string& text, const SideRules& side, PairFacts& facts) const;

  ExamineOptions options_;
  SideRules source_;
  SideRules target_;
};

}  // namespace heed::corpus_check
