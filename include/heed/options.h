// Options of search and loading: plain structs whose defaults are the paper's choices.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

// Sampling instead of search: each token is drawn from the model's distribution.
struct Sampling {
  bool on = false;
  float temperature = 1.0f;  // logits are divided by it
  int top_k = 0;             // draw only from the k most probable tokens; 0: from all
  float top_p = 1.0f;        // nucleus sampling: draw from the fewest tokens that reach this probability
  std::uint64_t seed = 1;    // the same seed and the same sentence give the same translation, in any batch
};

// A translation Y has the score log P(Y) / lp(Y), where |Y| counts </s>: lp = ((5 + |Y|) / 6)^alpha in the paper, and
// |Y|^alpha with power, as in Marian.
enum class LengthPenalty { paper, power };

struct SearchOptions {
  static constexpr int most_beam = 1024;

  int beam = 4;  // hypotheses kept; 1: greedy search
  float alpha = 0.6f;
  LengthPenalty length_penalty = LengthPenalty::paper;
  int n_best = 1;         // translations per sentence: at most the beam; with sampling, the number of draws
  int extra_length = 50;  // a translation has at most this many pieces more than the source, </s> not counted
  int min_length = 0;     // fewest pieces of a translation
  int max_length = 0;     // and most, whatever the source; 0: by extra_length
  int no_repeat = 0;      // no n-gram of this many pieces occurs twice in a translation; 0: any may
  // After the forced prefix, take the n_best most probable next tokens and complete each greedily.
  bool alternatives = false;
  bool suppress_unk = false;  // never produce <unk>
  // Consider only the tokens of the model's lexical shortlist, if it has one (in an ensemble, that of the first model):
  // faster, and log-probabilities are those among them.
  bool shortlist = true;
  bool alignment = false;       // which piece of the source each piece attends to most
  bool soft_alignment = false;  // how much each piece, and </s>, attends to each piece of the source
  // The decoder layer, from 1, whose attention, averaged over heads, gives both alignments; in an ensemble, that of the
  // first model. 0: the second-to-last.
  int alignment_layer = 0;
  // Log-probabilities of the translation and its pieces. Without them greedy search skips the softmax, and they are 0.
  bool scores = true;
  Sampling sampling = {};
};

// Throws a SettingError that names the first invalid option, its value and the valid range.
__attribute__((visibility("default"))) void check(const SearchOptions& options);

// stored: what the file holds. int8 converts an f32 model while loading; a folder of 'heed model quantize' holds int8
// and is ready sooner, and f32 of such a folder is an error.
enum class NumberType { stored, f32, int8 };

struct ModelOptions {
  std::string checkpoint = {};  // of a training run: average (model.safetensors; also if empty), best or last
  NumberType type = NumberType::stored;
  int threads = 0;      // 0: the cores that this process may use
  int batch = 64;       // sentences in a batch; each thread has a batch of its own when there are enough
  bool verify = false;  // verify the checksum over all bytes before use: it notices damage, but is not a signature
  // Most source pieces translated at once, </s> not counted: a longer line is split at sentence ends. 0: the length
  // recorded in the model, in an ensemble the smallest; 512 if none is recorded.
  int max_source_length = 0;
};

}  // namespace heed
