// A translation, with what is known about its pieces.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct AlignedWords {
  int source;
  int target;
};

struct Translation {
  std::string text;
  std::vector<std::string> pieces;
  std::vector<float> piece_scores;            // log-probabilities; each part has one more than pieces, for its </s>
  std::vector<AlignedWords> alignment;        // of words, from 0; empty unless requested
  std::vector<AlignedWords> piece_alignment;  // of pieces, likewise
  // For each piece and </s>, the attention weights over the source pieces and </s>; empty unless requested. In a line
  // of several parts each part has its own </s> on both sides, and the weights between different parts are 0.
  std::vector<std::vector<float>> soft_alignment;
  double log_probability = 0.0;  // log P, summed over parts
  double score = 0.0;            // log P / lp of all parts together
  bool finished = true;          // false: cut off at the length limit
};

}  // namespace heed
