#include "metrics/evalb_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/files.h"
#include "base/one_line.h"
#include "heed/error.h"

namespace heed::metrics {
namespace {

bool same(const EvalbRules::Pairs& equal, std::string_view a, std::string_view b) {
  return a == b || std::any_of(equal.begin(), equal.end(), [&](const auto& pair) {
           return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
         });
}

class RuleReader {
 public:
  explicit RuleReader(const std::filesystem::path& path) : file_(path.string()) {
    rules_.name = path.filename().string();
    rules_.deleted.clear();
    rules_.not_in_length.clear();
    rules_.equal_labels.clear();
  }

  void add_line(const std::string& line) {
    ++line_;
    std::istringstream words(line);
    std::string key;
    if (!(words >> key) || key.starts_with('#')) return;
    std::vector<std::string> values;
    for (std::string value; words >> value;) values.push_back(std::move(value));
    add(key, values);
  }

  EvalbRules rules() && { return std::move(rules_); }

 private:
  void add(const std::string& key, const std::vector<std::string>& values) {
    if (key == "DELETE_LABEL") {
      rules_.deleted.insert(only(key, values));
    } else if (key == "DELETE_LABEL_FOR_LENGTH") {
      rules_.not_in_length.insert(only(key, values));
    } else if (key == "EQ_LABEL") {
      rules_.equal_labels.push_back(pair(key, values));
    } else if (key == "EQ_WORD") {
      rules_.equal_words.push_back(pair(key, values));
    } else if (key == "LABELED") {
      rules_.labelled = number(key, values) != 0;
    } else if (key == "CUTOFF_LEN") {
      rules_.cutoff = number(key, values);
    } else if (key == "QUOTE_LABEL") {
      refuse("QUOTE_LABEL is not supported: words that one side lacks are never added; delete the line");
    } else if (key != "DEBUG" && key != "MAX_ERROR") {
      refuse(fmt::format("the key '{}' is unknown; delete the line", one_line(key)));
    }
  }

  const std::string& only(const std::string& key, const std::vector<std::string>& values) const {
    if (values.size() != 1) refuse(fmt::format("{} takes one value, not {}", key, values.size()));
    return values[0];
  }
  std::pair<std::string, std::string> pair(const std::string& key, const std::vector<std::string>& values) const {
    if (values.size() != 2) refuse(fmt::format("{} takes two values, not {}", key, values.size()));
    return {values[0], values[1]};
  }
  Index number(const std::string& key, const std::vector<std::string>& values) const {
    const std::string& text = only(key, values);
    Index value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
      refuse(fmt::format("{} is '{}'; give a whole number", key, one_line(text)));
    }
    return value;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(fmt::format("'{}': line {}: {}", file_, line_, what));
  }

  std::string file_;
  Index line_ = 0;
  EvalbRules rules_;
};

}  // namespace

bool EvalbRules::same_label(std::string_view a, std::string_view b) const { return same(equal_labels, a, b); }
bool EvalbRules::same_word(std::string_view a, std::string_view b) const { return same(equal_words, a, b); }

EvalbRules read_evalb_rules(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  RuleReader reader(path);
  for (std::string line; std::getline(lines, line);) reader.add_line(line);
  return std::move(reader).rules();
}

}  // namespace heed::metrics
