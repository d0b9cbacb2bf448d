// Messages for invalid command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heed::cli {

// One line for a failed parse of these words. For an unknown flag it suggests heed's, also for the names that Marian
// and CTranslate2 use.
std::string usage_message(const CLI::App& program, const std::vector<std::string>& words, const CLI::ParseError& error);

// The parser's message about an option, reworded.
std::string plain_words(const CLI::Error& error);

}  // namespace heed::cli
