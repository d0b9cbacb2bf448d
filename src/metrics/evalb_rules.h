// The rules by which EVALB compares trees, built in as in COLLINS.prm or read from another .prm file.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index.h"

namespace heed::metrics {

struct EvalbRules {
  using Names = std::set<std::string, std::less<>>;
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string name = "COLLINS";  // in signatures
  // Words with such a tag vanish; of brackets with such a label only the bracket does.
  Names deleted{"TOP", "-NONE-", ",", ":", "``", "''", "."};
  Names not_in_length{"-NONE-"};  // tags of words that a sentence's length leaves out
  Pairs equal_labels{{"ADVP", "PRT"}};
  Pairs equal_words;
  bool labelled = true;
  Index cutoff = 40;  // the longest sentence of the second group of figures

  // Equality is symmetric, and not transitive.
  bool same_label(std::string_view a, std::string_view b) const;
  bool same_word(std::string_view a, std::string_view b) const;
};

// Reads DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, EQ_LABEL, EQ_WORD, LABELED and CUTOFF_LEN; DEBUG and MAX_ERROR have no
// effect. Throws Error for any other key, and for values that are wrong.
EvalbRules read_evalb_rules(const std::filesystem::path& path);

}  // namespace heed::metrics
