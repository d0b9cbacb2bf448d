// The kinds of problems in a parallel corpus, with severity and cost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heed::corpus_check {

// In the order of the report; a pair dropped for several reasons is listed under the first.
enum class Finding {
  line_counts,
  tabs,
  invalid_utf8,
  empty,
  identical,
  duplicate,
  ratio,
  wrong_language,
  controls,
  too_long,
  markup,
  unknown_pieces,
  unbalanced,
  same_source,
};
constexpr std::size_t finding_count = 14;

enum class Severity { note, warning, error };   // error: training rejects the corpus
enum class Remedy { none, keep, strip, drop };  // the action of --fix; none: cannot be fixed line by line

struct FindingText {
  const char* name;   // in JSON and dropped.tsv
  const char* title;  // in the table
  Severity severity;
  Remedy remedy;
  const char* cost;
};

const FindingText& about(Finding finding);
const char* name_of(Severity severity);

// The findings of one pair.
class FindingSet {
 public:
  void add(Finding finding) { bits_ |= 1u << static_cast<unsigned>(finding); }
  bool has(Finding finding) const { return (bits_ >> static_cast<unsigned>(finding) & 1u) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

// Calls visit(finding) for each in order.
template <class Visit>
void for_each_finding(const Visit& visit) {
  for (std::size_t i = 0; i < finding_count; ++i) visit(static_cast<Finding>(i));
}

}  // namespace heed::corpus_check
