// Parallel text: two line-aligned files or one file whose lines hold both sides, each plain, .gz or .zst.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/lines.h"

namespace heed {

// Splits a line, which comes in `source`, into both sides. Throws Error, with file and line number, if it cannot.
using SplitLine = void (*)(const std::string& file, Index number, std::string& source, std::string& target);

// At its tab; there must be exactly one.
void split_at_tab(const std::string& file, Index number, std::string& source, std::string& target);

struct CorpusFiles {
  std::filesystem::path source;
  std::filesystem::path target = {};  // empty: each line of `source` holds both sides
  double weight = 1.0;                // passes per epoch
  SplitLine split = split_at_tab;

  std::string name() const;  // for messages
};

enum class Side { source, target };

// Reads the pairs in order. Throws Error for a line that is not UTF-8 or cannot be split, and, at the end of the
// shorter file, for files of different lengths.
class PairReader {
 public:
  explicit PairReader(const CorpusFiles& files);

  bool next(std::string& source, std::string& target);
  double share_read() const { return source_.share_read(); }

 private:
  bool next_of_two(std::string& source, std::string& target);
  bool next_of_one(std::string& source, std::string& target);

  CorpusFiles files_;
  LineReader source_;
  std::optional<LineReader> target_;
};

// The size of a corpus, and a fingerprint of its lines that does not depend on compression.
struct CorpusFacts {
  Index pairs = 0;
  std::uint64_t fingerprint = 0;
};

// Reads the whole corpus once, calling `progress(share)` now and then. Throws Error like PairReader.
CorpusFacts survey(const CorpusFiles& files, const std::function<void(double)>& progress);

struct SampleOptions {
  Index most = 1000000;
  std::uint64_t seed = 1;
};

// At most options.most non-empty lines, drawn at random from the seed, in the order of the text. From corpora it
// samples both sides unless one is named.
std::vector<std::string> sample_lines(std::span<const CorpusFiles> corpora, std::optional<Side> side,
                                      const SampleOptions& options);
std::vector<std::string> sample_lines(std::span<const std::filesystem::path> files, const SampleOptions& options);

}  // namespace heed
