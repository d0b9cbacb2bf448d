// How translations are searched for: plain structs that begin with the paper's choices.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

// Chance in place of search: each token is drawn from the model's distribution.
struct Sampling {
  bool on = false;
  float temperature = 1.0f;  // the distribution's logits are divided by it
  int top_k = 0;             // draw from the most probable tokens alone; 0: from all
  float top_p = 1.0f;        // draw from the fewest tokens that hold this probability together
  std::uint64_t seed = 1;    // the same seed and the same sentence give the same translation, in any company
};

// A translation Y has the score log P(Y) / lp(Y), where |Y| counts </s>: lp = ((5 + |Y|) / 6)^alpha in the paper, and
// |Y|^alpha with power, as Marian has it.
enum class LengthPenalty { paper, power };

struct SearchOptions {
  static constexpr int most_beam = 1024;

  int beam = 4;  // hypotheses kept; 1: the most probable token at every step
  float alpha = 0.6f;
  LengthPenalty length_penalty = LengthPenalty::paper;
  int n_best = 1;         // translations of a sentence: at most the beam; with sampling, as many draws
  int extra_length = 50;  // a translation has at most this many pieces more than the source, </s> not counted
  int min_length = 0;     // pieces that a translation has at least
  int max_length = 0;     // and at most, whatever the source; 0: as extra_length says
  int no_repeat = 0;      // no run of this many pieces comes twice in a translation; 0: any may
  // After the forced prefix, take the n_best most probable next tokens and complete each greedily.
  bool alternatives = false;
  bool suppress_unk = false;    // never produce <unk>
  bool alignment = false;       // which piece of the source each piece attends to most
  bool soft_alignment = false;  // how much each piece, and </s>, attends to each piece of the source
  // The decoder layer that both alignments are taken from, from 1, by the mean of its heads; of several models the
  // first one's. 0: the last but one.
  int alignment_layer = 0;
  // Log-probabilities of the translation and its pieces. Greedy search without them leaves the softmax out; they are 0.
  bool scores = true;
  Sampling sampling = {};
};

// Throws Error that names the first option that does not fit, its value and what would.
__attribute__((visibility("default"))) void check(const SearchOptions& options);

enum class NumberType { stored, f32, int8 };  // stored: what the file holds

struct ModelOptions {
  std::string checkpoint = {};  // of a training: average (model.safetensors, as when empty), best or last
  NumberType type = NumberType::stored;
  int threads = 0;      // 0: the cores that this process may use
  int batch = 64;       // sentences of a batch; each thread has one when there are enough
  bool verify = false;  // compare the checksum of every byte before use
  // Source pieces translated at once, </s> not counted: a longer line is cut at its sentence ends. 0: the length that
  // the model records, of several models the smallest; for models that record none 512.
  int max_source_length = 0;
};

}  // namespace heed
