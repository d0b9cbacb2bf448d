// Beam search by definition: every prefix runs through the whole decoder again, the vocabulary is sorted, nothing is
// shared, and only the length limit ends it.
#pragma once

#include "decoding/search.h"
#include "model/transformer.h"

namespace heed {

// The log-probabilities of the token that follows the prefix.
std::vector<double> next_log_probabilities(const Transformer& model, const std::vector<int>& source,
                                           const std::vector<int>& prefix, const Workspace& workspace);

std::vector<Hypothesis> slow_search(const Transformer& model, const std::vector<int>& source,
                                    const SearchOptions& options, const Workspace& workspace);

double score_of(double log_probability, std::size_t pieces, const SearchOptions& options = {});

}  // namespace heed
