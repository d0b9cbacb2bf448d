// BLEU as in sacreBLEU: precision of 1- to 4-grams with a brevity penalty.
//
// Pure functions; any thread may call them.
#pragma once

#include <array>
#include <optional>

#include "metrics/metric.h"
#include "metrics/tokenizers.h"

namespace heed::metrics {

constexpr int bleu_order = 4;

// Smoothing of orders without a match.
enum class Smoothing {
  exponential,  // halved with each such order
  floor,        // a small count
  add_k,        // k is added to the matches and totals of all orders above the first
  none,
};

struct BleuOptions {
  Tokenizer tokenizer = Tokenizer::v13a;
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exponential;
  std::optional<double> smoothing_value = {};  // by default 0.1 for floor, 1 for add_k
  bool effective_order = false;  // skip orders that the hypotheses are too short for; for single sentences
};

struct BleuScore {
  double score = 0.0;                           // 0 … 100
  std::array<double, bleu_order> precisions{};  // 0 … 100
  double brevity_penalty = 1.0;
  Index hypothesis_length = 0;  // in words
  Index reference_length = 0;   // of the reference closest in length; on a tie, the shorter one

  double ratio() const;
};

BleuScore bleu(Hypotheses hypotheses, References references, const BleuOptions& options = {});

Metric bleu_metric(const BleuOptions& options = {});

}  // namespace heed::metrics
