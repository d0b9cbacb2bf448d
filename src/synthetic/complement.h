// What stands between subject and verb in a Korean sentence and behind the verb in an English one, and the words for
// time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "synthetic/verb_phrase.h"

namespace heed::synthetic {

struct Complement {
  std::string english, korean;
};

// Puts words behind or before a text, with a blank between them; either may be empty.
void append(std::string& text, std::string_view words);
void prepend(std::string& text, std::string_view words);

struct Time {
  std::string_view english, korean;
};

std::span<const Time> times_of(Mood mood);  // "yesterday" for the past …
std::span<const Time> frequencies();        // "often": before the English verb

}  // namespace heed::synthetic
