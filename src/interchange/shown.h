// Text from a file that is not trusted, for messages.
#pragma once

#include <string>
#include <string_view>

#include "base/one_line.h"
#include "text/utf8.h"

namespace heed::interchange {

inline std::string shown(std::string_view text) { return one_line(replace_invalid_utf8(text)); }

}  // namespace heed::interchange
