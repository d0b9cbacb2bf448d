// The flags for scoring translations; those not given default to the model's settings.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "heed/options.h"
#include "model/model_info.h"

namespace heed::cli {

struct ScoringFlags {
  explicit ScoringFlags(CLI::App& command) {
    command.add_option("--alpha", alpha, "Strength of the length penalty [the model's, or 0.6]");
    command.add_option("--length-penalty", length_penalty,
                       "paper: ((5 + length) / 6)^alpha; power: length^alpha, as in Marian [the model's, or paper]");
  }

  SearchOptions over(SearchOptions options) const {
    if (alpha) options.alpha = *alpha;
    if (length_penalty) options.length_penalty = from_name<LengthPenalty>("length-penalty", *length_penalty);
    return options;
  }

  std::optional<float> alpha;
  std::optional<std::string> length_penalty;
};

}  // namespace heed::cli
