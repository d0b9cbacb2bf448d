// What to say about a command line that does not fit.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heed::cli {

// One line for a failed parse of these words; unknown flags are answered with heed's own name, also for Marian's and
// CTranslate2's spellings.
std::string usage_message(const CLI::App& program, const std::vector<std::string>& words, const CLI::ParseError& error);

// What the parser says about an option, in heed's words.
std::string plain_words(const CLI::Error& error);

}  // namespace heed::cli
