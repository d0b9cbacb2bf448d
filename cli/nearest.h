// What to say to someone who typed a flag or a command that does not exist.
#pragma once

#include <string>
#include <vector>

namespace heed::cli {

// The candidate with the fewest letters to change, or empty when nothing comes close.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// The flag that was probably meant, also for the spellings of Marian and CTranslate2; empty when nothing comes close.
std::string nearest_flag(const std::string& flag, const std::vector<std::string>& flags);

}  // namespace heed::cli
