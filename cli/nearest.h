// "Did you mean": suggestions for mistyped flags and commands.
#pragma once

#include <string>
#include <vector>

namespace heed::cli {

// The candidate with the smallest edit distance, or empty if none is close.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// The flag that was probably meant, also for Marian's and CTranslate2's names; empty if none is close.
std::string nearest_flag(const std::string& flag, const std::vector<std::string>& flags);

}  // namespace heed::cli
