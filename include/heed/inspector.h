// Looks inside a model while it translates one sentence: attention, hidden states, the search, and what the translation
// would be without a head.
//
//     heed::Inspector inspector("model");
//     const heed::Inspection seen = inspector.inspect("A sentence.");
//     seen.maps.cross[3].at(head, target_piece, source_piece)
//
// One Inspector may be used by any number of threads at once. Every failure throws heed::Error.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/error.h"
#include "heed/head_place.h"
#include "heed/options.h"

namespace heed {

// The pieces of a text, </s> included, and the words that they belong to.
struct PieceText {
  std::vector<std::string> pieces;
  std::vector<int> word;  // of each piece: an index into words
  std::vector<std::string> words;
};

// Softmax rows of all heads of a layer; each row sums to 1. Empty for a layer that has no attention.
struct AttentionMaps {
  int heads = 0;
  int queries = 0;
  int keys = 0;
  std::vector<float> weights;  // (heads, queries, keys)

  float at(int head, int query, int key) const {
    return weights[(static_cast<std::size_t>(head) * static_cast<std::size_t>(queries) +
                    static_cast<std::size_t>(query)) *
                       static_cast<std::size_t>(keys) +
                   static_cast<std::size_t>(key)];
  }
};

// A list for each layer. Row i of the decoder's and of the cross maps is for the prediction of target piece i; the
// decoder reads the target shifted right by one, so its key j is target piece j − 1, and key 0 the start.
struct AllMaps {
  std::vector<AttentionMaps> encoder, decoder, cross;
};

// |x| of the hidden state of every position: of the embeddings, then after each layer.
struct HiddenNorms {
  std::vector<std::vector<float>> encoder, decoder;
};

struct PieceChoice {
  std::string piece;
  float probability = 0.0f;
};

struct FoundTranslation {
  std::string text;
  std::vector<std::string> pieces;
  std::vector<float> piece_log_probabilities;  // of </s> as well
  double log_probability = 0.0;
  double penalty = 1.0;  // lp of its length, </s> counted
  double score = 0.0;    // log_probability / penalty
  bool finished = true;  // false: it was ended at the length limit
};

// A continuation that the search looked at.
struct SearchNode {
  // live: extended in the next step; ended: by </s>, and among the results; dropped: by </s>, but worse than the
  // results so far; pruned: not kept.
  enum class State { live, ended, dropped, pruned };

  int parent = -1;  // a node of the step before; −1: the empty start
  std::string piece;
  double log_probability = 0.0;  // of the piece
  double sum = 0.0;              // of the hypothesis so far
  double score = 0.0;            // sum / lp
  State state = State::live;
};

// One list for each step of the search, best first.
using SearchTree = std::vector<std::vector<SearchNode>>;

// What comes out where the output of one head is 0.
struct SilencedHead {
  HeadPlace place;
  std::string text;
  double log_probability = 0.0;  // of that text, by the silenced model
  double of_translation = 0.0;   // of the translation that is looked at, by the silenced model
};

// The numbers that attention of one head is computed from, a row for each position.
struct HeadNumbers {
  HeadPlace place;
  int d_k = 0;
  int d_v = 0;
  std::vector<float> query, key, value;
};

struct Inspection {
  std::string text;
  std::string translation;  // the model's best, or the one given
  bool given = false;
  PieceText source, target;
  double log_probability = 0.0;
  double score = 0.0;
  std::vector<float> piece_log_probabilities;
  std::vector<std::vector<PieceChoice>> choices;  // for each target piece the most probable ones, best first
  std::vector<FoundTranslation> n_best;
  AllMaps maps;
  HiddenNorms norms;
  // Attention rollout, heads averaged: (target pieces, target pieces + source pieces); row i holds the shares of the
  // decoder's inputs, then of the source. Empty unless every layer has attention.
  std::vector<float> rollout;
  SearchTree search;
  std::vector<SilencedHead> silenced;
  std::vector<HeadNumbers> numbers;
};

struct InspectOptions {
  SearchOptions search = {};            // beam, alpha, n_best and the like; sampling and alignments are not looked at
  std::string target = {};              // looks at this translation instead of the model's own
  bool silence = false;                 // translates once more for every head
  std::vector<HeadPlace> numbers = {};  // heads whose queries, keys and values are wanted
  bool all_numbers = false;
  std::function<void(double share)> progress = {};  // on the calling thread
};

class __attribute__((visibility("default"))) Inspector {
 public:
  // Pieces of a sentence, </s> included, that can be looked into.
  static constexpr int most_pieces = 256;

  struct LayerKind {
    std::string mixer;  // attention, window, ssru
    int heads = 0;      // 0: no attention
    int window = 0;
  };
  struct Model {
    std::string source_language, target_language;
    long long parameters = 0;
    NumberType type = NumberType::f32;
    int d_model = 0, heads = 0, d_k = 0, d_v = 0;
    std::string positions;
    int position_start = 0;
    std::vector<LayerKind> encoder, decoder;
  };

  explicit Inspector(const std::filesystem::path& folder, const ModelOptions& options = {});
  Inspector(Inspector&&) noexcept;
  Inspector& operator=(Inspector&&) noexcept;
  ~Inspector();

  const Model& model() const;
  // What the model's config.json says about searching.
  SearchOptions default_options() const;

  // Throws Error for a blank text, one of more than most_pieces pieces, and a target that the tokenizer cannot write.
  Inspection inspect(std::string_view text, const InspectOptions& options) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heed
