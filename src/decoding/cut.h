// Where to split a text that is too long to be translated at once.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

// A position in the middle half, as close to the middle as possible: after the end of a sentence; failing that, at
// white space; failing that, between any two characters. The text is valid UTF-8. 0 for a single character.
std::size_t cut_position(std::string_view text);

}  // namespace heed
