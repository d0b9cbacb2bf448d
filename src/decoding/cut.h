// Where to cut a text that is too long to be translated in one go.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

// A place in the middle half, as near to the middle as can be: behind the end of a sentence; if there is none at white
// space; if there is none either, between any two characters. The text is valid UTF-8. 0 when it is a single character.
std::size_t cut_position(std::string_view text);

}  // namespace heed
