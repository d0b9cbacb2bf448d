// Word-level edit distance between hypotheses of the same length and a reference, in a band around the diagonal.
//
// The band is that of Tercom and sacreBLEU, for identical scores; for long lines that differ a lot, the distance may
// exceed the true one. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed::metrics {

using Words = std::span<const std::uint32_t>;  // words as numbers

// The alignment of a hypothesis with its reference.
struct Alignment {
  std::vector<int> hypothesis_word;   // per reference word, the last hypothesis word aligned up to it, or −1
  std::vector<bool> reference_wrong;  // per word: substituted or missing
  std::vector<bool> hypothesis_wrong;
};

class EditDistance {
 public:
  // Keeps a view of the reference, which must not be empty.
  EditDistance(Words reference, std::size_t hypothesis_length);

  // Sets the base hypothesis for later calls and returns its distance.
  int set_base(Words hypothesis);

  Alignment align_base(Words base) const;

  // The distance of a hypothesis that shares its first `same` words with the base. If it exceeds `limit`, the result
  // may be any value above `limit`.
  int distance(Words hypothesis, std::size_t same, int limit);

 private:
  // The columns of a row that are searched: [begin, end).
  struct Band {
    int begin = 0;
    int end = 0;
  };

  Band band(std::size_t row) const;
  std::span<int> base_row(std::size_t row) { return std::span(base_).subspan(row * stride_, stride_); }
  int base_cost(std::size_t row, int column) const;
  void fill_row(std::size_t row, std::uint32_t word, std::span<const int> above, std::span<int> costs) const;

  Words reference_;
  std::size_t rows_;  // words of a hypothesis
  double columns_per_row_;
  int beam_;
  std::size_t stride_;
  std::vector<int> base_;  // (rows + 1, stride): costs of each row, from the begin of its band; row 0 is unused
  std::vector<int> scratch_;
};

}  // namespace heed::metrics
