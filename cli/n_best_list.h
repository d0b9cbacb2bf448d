// Lines of n-best lists as heed and Marian print them:
//
//     number ||| text [||| columns …] ||| F0= -3.2100 ||| -0.4200
//
// The number of the source line, from 0, and the text are required. The features, "NAME= value" separated by spaces,
// and the score after them are optional; other columns, such as alignments, are kept unchanged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::cli {

struct NBestLine {
  std::size_t number = 0;
  std::string text;
  std::vector<std::string> columns;  // after the text
};

// Throws Error for a malformed line.
NBestLine parse_n_best(std::string_view line);

// Sets the score and the feature, which is appended if missing.
void set_score(NBestLine& line, const std::string& feature, double log_probability, double score);

std::string format_n_best(const NBestLine& line);

}  // namespace heed::cli
