// Markup that a translation must preserve: tags, placeholders, brackets. Text must be valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// The placeholders, sorted: %s, %1$d (without its position), %PRODUCTNAME, %(name)s, {0}, {name}, ${name}, $name$,
// $(name).
std::vector<std::string> placeholders(std::string_view text);

// The placeholders, the tags by name (<b>, </b>) and the square brackets, sorted.
std::vector<std::string> markup(std::string_view text);

// Describes a tag or bracket that is opened but not closed, or closed but not opened; empty if there is none.
std::string unbalanced_markup(std::string_view text);

// The difference between two sorted lists: "<b> only in the source, {0} only in the target".
// Empty if they are equal.
std::string markup_difference(const std::vector<std::string>& source, const std::vector<std::string>& target);

}  // namespace heed
