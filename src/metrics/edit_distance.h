// Word-level edit distance between hypotheses of one length and a reference, searched in a band around the diagonal.
//
// Tercom and sacreBLEU search the same band, so that a distance may be above the true one where lines are long and very
// different; scores that are to be the same need the same band. Not for several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed::metrics {

using Words = std::span<const std::uint32_t>;  // words by number

// How a hypothesis lies beside its reference.
struct Alignment {
  std::vector<int> hypothesis_word;  // for each word of the reference, the last one of the hypothesis up to it, or −1
  std::vector<bool> reference_wrong;  // by word: substituted or missing
  std::vector<bool> hypothesis_wrong;
};

class EditDistance {
 public:
  // Keeps a view of the reference, which must have a word at least.
  EditDistance(Words reference, std::size_t hypothesis_length);

  // The distance of a hypothesis, which later calls start from.
  int set_base(Words hypothesis);

  Alignment align_base(Words base) const;

  // The distance of a hypothesis whose first `same` words are those of the base; anything above `limit` where it is
  // above it.
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
  std::vector<int> base_;  // (rows + 1, stride): costs of each row from its band's begin on; the first row is not used
  std::vector<int> scratch_;
};

}  // namespace heed::metrics
