// A corpus as token ids in a memory-mapped file, encoded once.
//
// The file name contains a hash of the corpus content, the tokenizers and the limits, so a stale file is never used.
// Pairs with an empty side or with more pieces than the limit are skipped and counted.
#pragma once

#include <filesystem>
#include <functional>

#include "base/files.h"
#include "base/thread_pool.h"
#include "data/corpus.h"
#include "text/tokenizer_files.h"

namespace heed {

struct EncodingOptions {
  Index max_length = 256;  // pieces per side, not counting </s>
};

struct EncodingCounts {
  Index pairs = 0;
  Index empty = 0;     // skipped: one side has no text
  Index too_long = 0;  // skipped: one side has more than max_length pieces
  Index source_tokens = 0;
  Index target_tokens = 0;
  Index unknown = 0;  // tokens that are <unk>
};

class EncodedCorpus {
 public:
  // Throws Error if the file is damaged.
  explicit EncodedCorpus(const std::filesystem::path& file);

  const EncodingCounts& counts() const { return counts_; }
  // The tokens of one side of a pair, ending in </s>.
  std::span<const int> source(Index pair) const { return between(2 * pair); }
  std::span<const int> target(Index pair) const { return between(2 * pair + 1); }

 private:
  std::span<const int> between(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    return tokens_.subspan(offsets_[at], offsets_[at + 1] - offsets_[at]);
  }

  MappedFile file_;
  EncodingCounts counts_;
  std::span<const std::uint64_t> offsets_;  // 2 · pairs + 1
  std::span<const int> tokens_;
};

// The 99.9th percentile of source lengths in pieces, not counting </s>; 0 if there are no pairs.
Index usual_source_length(std::span<const EncodedCorpus> corpora);

// The path of the encoded corpus in a folder.
std::filesystem::path encoded_file(const std::filesystem::path& folder, const CorpusFacts& facts,
                                   const TokenizerPair& tokenizers, const EncodingOptions& options);

// Encodes on all threads, calling `progress(share)` now and then.
void encode_corpus(const CorpusFiles& files, const TokenizerPair& tokenizers, const EncodingOptions& options,
                   const std::filesystem::path& file, ThreadPool& threads, const std::function<void(double)>& progress);

}  // namespace heed
