// Parallel text: two line-aligned files or one TSV with a tab between the sides, each plain, .gz or .zst.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/lines.h"

namespace heed {

struct CorpusFiles {
  std::filesystem::path source;
  std::filesystem::path target;  // empty: `source` is a TSV file
  double weight = 1.0;           // how many times an epoch goes through it

  std::string name() const;  // for messages
};

enum class Side { source, target };

// Goes through the pairs in order. Throws Error for a line that is not UTF-8, a TSV line without exactly one tab, and
// for files of different lengths once the shorter one ends.
class PairReader {
 public:
  explicit PairReader(const CorpusFiles& files);

  bool next(std::string& source, std::string& target);
  double share_read() const { return source_.share_read(); }

 private:
  bool next_of_two(std::string& source, std::string& target);
  bool next_of_tsv(std::string& source, std::string& target);

  CorpusFiles files_;
  LineReader source_;
  std::optional<LineReader> target_;
};

// What one pass over a corpus tells: its size, and a fingerprint of its lines that no compression changes.
struct CorpusFacts {
  Index pairs = 0;
  std::uint64_t fingerprint = 0;
};

// Reads everything once, with `progress(share)` now and then, and throws Error for whatever training could not use:
// see PairReader.
CorpusFacts survey(const CorpusFiles& files, const std::function<void(double)>& progress);

struct SampleOptions {
  Index most = 1000000;
  std::uint64_t seed = 1;
};

// At most so many lines that are not empty, drawn by the seed alone, in the order of the text. From corpora both sides
// unless one is named.
std::vector<std::string> sample_lines(std::span<const CorpusFiles> corpora, std::optional<Side> side,
                                      const SampleOptions& options);
std::vector<std::string> sample_lines(std::span<const std::filesystem::path> files, const SampleOptions& options);

}  // namespace heed
