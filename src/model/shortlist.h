// Lexical shortlist: the target tokens that may occur in a translation of a source sentence, so that the output layer
// computes a few hundred logits instead of the whole vocabulary's.
//
// Each source token has a list of the target tokens that it is most often translated with. A sentence may use the union
// of its tokens' lists and of a list for every sentence. It depends on nothing but the sentence, so neighbours in a
// batch never change a translation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "model/config.h"
#include "model/files.h"

namespace heed {

struct Shortlist {
  std::vector<std::int32_t> always;  // for every sentence; sorted
  std::vector<std::int32_t>
      offsets;                       // source vocabulary + 1: the list of token s is tokens[offsets[s], offsets[s + 1])
  std::vector<std::int32_t> tokens;  // each list sorted

  // The tokens for a source sentence whose translation begins with the prefix: sorted, </s> among them.
  void select(std::span<const int> source, std::span<const int> prefix, Index target_vocab,
              std::vector<int>& chosen) const;
};

// The lists of every source token, in their order, in any order within a list and with repetitions. `always` likewise.
Shortlist make_shortlist(std::vector<std::int32_t> always, std::vector<std::vector<std::int32_t>> lists);

// shortlist.safetensors in a model folder. The facts are the fingerprints of the tokenizers whose ids the lists hold.
void write_shortlist(const std::filesystem::path& folder, const Shortlist& shortlist, const WeightFacts& facts);
// None if the folder has none. Throws Error for a damaged file, for one of another vocabulary and one of other facts.
std::optional<Shortlist> read_shortlist(const std::filesystem::path& folder, const Config& config,
                                        const WeightFacts& facts, Verify verify);

}  // namespace heed
