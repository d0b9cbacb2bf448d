// Complements, which come between subject and verb in Korean and after the verb in English, and expressions of time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "synthetic/verb_phrase.h"

namespace heed::synthetic {

struct Complement {
  std::string english, korean;
};

// Appends or prepends words to a text, separated by a space; either may be empty.
void append(std::string& text, std::string_view words);
void prepend(std::string& text, std::string_view words);

struct Time {
  std::string_view english, korean;
};

std::span<const Time> times_of(Mood mood);  // "yesterday" for the past …
std::span<const Time> frequencies();        // "often": before the English verb

}  // namespace heed::synthetic
