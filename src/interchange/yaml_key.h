// One key of a YAML mapping, taken literally.
#pragma once

#include <string>
#include <string_view>

namespace heed::interchange {

// A plain key as it stands, or the text of a quoted one with its escapes resolved. False for a damaged key.
bool parse_yaml_key(std::string_view key, std::string& text);

}  // namespace heed::interchange
