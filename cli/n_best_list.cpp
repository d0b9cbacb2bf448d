#include "cli/n_best_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "heed/error.h"

namespace heed::cli {
namespace {

constexpr std::string_view separator = " ||| ";

std::vector<std::string> split(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + at.size());
  }
}

bool is_name(const std::string& word) { return word.size() > 1 && word.ends_with('='); }

bool holds_features(const std::string& column) {
  const std::vector<std::string> words = split(column, " ");
  return std::any_of(words.begin(), words.end(), is_name);
}

// The features with one of them replaced, or appended if missing.
std::string with_feature(const std::string& features, const std::string& name, const std::string& value) {
  std::vector<std::string> words = split(features, " ");
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return fmt::format("{} {} {}", features, name, value);
  const auto old_value = words.erase(found + 1, std::find_if(found + 1, words.end(), is_name));
  words.insert(old_value, value);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

NBestLine parse_n_best(std::string_view line) {
  // An empty text may have lost the space after the last separator.
  const std::string spaced = line.ends_with(" |||") ? std::string(line) + ' ' : std::string(line);
  std::vector<std::string> parts = split(spaced, separator);
  NBestLine parsed;
  const char* const end = parts[0].data() + parts[0].size();
  const auto [stop, error] = std::from_chars(parts[0].data(), end, parsed.number);
  if (parts.size() < 2 || error != std::errc() || stop != end) {
    throw Error("not of the form 'number ||| text'; pass a list as printed by 'heed translate --n-best'");
  }
  parsed.text = std::move(parts[1]);
  parsed.columns.assign(std::make_move_iterator(parts.begin() + 2), std::make_move_iterator(parts.end()));
  return parsed;
}

void set_score(NBestLine& line, const std::string& feature, double log_probability, double score) {
  const std::string name = feature + '=';
  const std::string value = fmt::format("{:.4f}", log_probability);
  auto features = std::find_if(line.columns.begin(), line.columns.end(), holds_features);
  if (features == line.columns.end()) {
    features = line.columns.insert(features, fmt::format("{} {}", name, value));
  } else {
    *features = with_feature(*features, name, value);
  }
  if (features + 1 == line.columns.end()) features = line.columns.insert(features + 1, "") - 1;
  *(features + 1) = fmt::format("{:.4f}", score);
}

std::string format_n_best(const NBestLine& line) {
  std::string text = fmt::format("{} ||| {}", line.number, line.text);
  for (const std::string& column : line.columns) text.append(separator).append(column);
  return text;
}

}  // namespace heed::cli
