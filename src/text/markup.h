// What a translation must carry over as it is: tags, placeholders, brackets. Text must be valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// What a program fills in, sorted: %s, %1$d (without its position), %PRODUCTNAME, %(name)s, {0}, {name}, ${name},
// $name$,
// $(name).
std::vector<std::string> placeholders(std::string_view text);

// The placeholders, the tags by their names (<b>, </b>) and the square brackets, sorted.
std::vector<std::string> markup(std::string_view text);

// A tag or bracket that is opened and not closed, or closed and not opened, in words; empty if there is none.
std::string unbalanced_markup(std::string_view text);

// What one sorted list has and the other lacks, with its side: "<b> only in the source, {0} only in the target".
// Empty when they agree.
std::string markup_difference(const std::vector<std::string>& source, const std::vector<std::string>& target);

}  // namespace heed
