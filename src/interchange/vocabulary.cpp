#include "interchange/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/special_tokens.h"
#include "heed/error.h"
#include "interchange/shown.h"
#include "interchange/yaml_key.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

struct Entry {
  std::string token;
  Index id = 0;
};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; pass the model's own vocabulary", name, what));
}

// Lines without their ends; a last line without one counts.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  Index number() const { return number_; }

 private:
  std::string_view rest_;
  Index number_ = 0;
};

bool parse_id(std::string_view text, Index& id) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string_view::npos) return false;
  text = text.substr(from, text.find_last_not_of(' ') + 1 - from);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() && id >= 0;
}

// The token of a line "token: id"; ids hold no colon, tokens may.
bool parse_entry(std::string_view line, Entry& entry) {
  const std::size_t colon = line.rfind(':');
  return colon != std::string_view::npos && parse_id(line.substr(colon + 1), entry.id) &&
         parse_yaml_key(line.substr(0, colon), entry.token);
}

bool is_nothing(std::string_view line) {
  return line.find_first_not_of(' ') == std::string_view::npos || line.starts_with("---") || line.starts_with("...");
}

// A YAML library would turn the keys ~, null, yes or 1e5 into something else, so lines are read as they stand. A long
// key has a line of its own, "? key", and its id the next one, ": id".
std::vector<Entry> read_yaml(std::string_view text, const std::string& name) {
  std::vector<Entry> entries;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (is_nothing(line)) continue;
    Entry entry;
    bool valid = false;
    if (line.starts_with("? ")) {
      valid = parse_yaml_key(line.substr(2), entry.token) && lines.next(line) && line.starts_with(':') &&
              parse_id(line.substr(1), entry.id);
    } else {
      valid = parse_entry(line, entry);
    }
    if (!valid) fail(name, fmt::format("line {} is not 'token: id'", lines.number()));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> read_text(std::string_view text) {
  std::vector<Entry> entries;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) entries.push_back({std::string(line), lines.number() - 1});
  return entries;
}

// The keys of the outermost object, with whole numbers; written as a receiver of events because a parsed object would
// silently keep one of two equal keys.
class JsonEntries : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;

  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return value <= static_cast<number_unsigned_t>(largest_id) && add(static_cast<Index>(value));
  }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool string(string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return ++depth_ == 1; }
  bool key(string_t& text) override {
    key_ = text;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static constexpr Index largest_id = Index{1} << 40;

  bool add(Index id) {
    if (depth_ == 0) return false;
    entries.push_back({key_, id});
    return id >= 0;
  }

  int depth_ = 0;
  std::string key_;
};

std::vector<Entry> read_json(std::string_view text, const std::string& name) {
  JsonEntries events;
  if (!nlohmann::json::sax_parse(text, &events)) fail(name, "it is not a JSON object of tokens and ids");
  return std::move(events.entries);
}

// One token per line, unless every line would be 'token: id' as well.
bool looks_like_yaml(std::string_view text) {
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (is_nothing(line)) continue;
    Entry entry;
    return line.starts_with("? ") || parse_entry(line, entry);
  }
  return false;
}

// Tokens by id. Every id up to the largest must be there once.
std::vector<std::string> by_id(std::vector<Entry> entries, const std::string& name) {
  std::vector<std::string> tokens(entries.size());
  std::vector<bool> taken(entries.size());
  for (Entry& entry : entries) {
    const auto id = static_cast<std::size_t>(entry.id);
    if (id >= tokens.size()) {
      fail(name, fmt::format("id {} is too large for {} entries: ids are missing or repeated", id, tokens.size()));
    }
    if (taken[id]) fail(name, fmt::format("id {} is there twice", id));
    taken[id] = true;
    tokens[id] = std::move(entry.token);
  }
  return tokens;
}

void check_tokens(const std::vector<std::string>& tokens, const std::string& name) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& token : tokens) {
    if (!seen.insert(token).second) fail(name, fmt::format("the token '{}' is there twice", shown(token)));
  }
}

// A name for a row without a token, which no token has.
std::string spare_name(Index row, const std::unordered_set<std::string_view>& taken) {
  std::string name = fmt::format("<row{}>", row);
  while (taken.contains(name)) name += '_';
  return name;
}

}  // namespace

Vocabulary read_vocabulary(const std::string& text, const std::string& name) {
  if (find_invalid_utf8(text)) fail(name, "it is not UTF-8");
  std::vector<Entry> entries;
  if (const std::size_t first = text.find_first_not_of(" \r\n\t"); first != std::string::npos && text[first] == '{') {
    entries = read_json(text, name);
  } else {
    entries = looks_like_yaml(text) ? read_yaml(text, name) : read_text(text);
  }
  if (entries.empty()) fail(name, "there is no token in it");
  Vocabulary vocabulary;
  vocabulary.tokens = by_id(std::move(entries), name);
  for (const std::string& token : vocabulary.tokens) {
    if (token.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos) {
      fail(name, fmt::format("the token '{}' holds a line end", shown(token)));
    }
  }
  find_special_tokens(vocabulary, name);
  check_tokens(vocabulary.tokens, name);
  return vocabulary;
}

void find_special_tokens(Vocabulary& vocabulary, const std::string& name) {
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string& token = vocabulary.tokens[id];
    if (token == "<unk>") vocabulary.unknown = static_cast<Index>(id);
    if (token == "<s>") vocabulary.start = static_cast<Index>(id);
    if (token == "</s>") vocabulary.end = static_cast<Index>(id);
  }
  // Vocabularies of Nematus have other names for the first two.
  const auto old_name = [&](Index id, std::string_view old) {
    if (id >= static_cast<Index>(vocabulary.tokens.size())) return false;
    const std::string& token = vocabulary.tokens[static_cast<std::size_t>(id)];
    return token.empty() || token == old;
  };
  if (vocabulary.end < 0 && old_name(0, "eos")) vocabulary.end = 0;
  if (vocabulary.unknown < 0 && old_name(1, "UNK")) vocabulary.unknown = 1;
  if (vocabulary.end < 0) fail(name, "there is no </s> in it");
  if (vocabulary.unknown < 0) fail(name, "there is no <unk> in it");
  vocabulary.tokens[static_cast<std::size_t>(vocabulary.end)] = "</s>";
  vocabulary.tokens[static_cast<std::size_t>(vocabulary.unknown)] = "<unk>";
}

TokenOrder heed_order(const Vocabulary& vocabulary, Index rows, const std::string& name) {
  return heed_order(vocabulary, rows, {vocabulary.start, no_row}, name);
}

TokenOrder heed_order(const Vocabulary& vocabulary, Index rows, const SpecialRows& special, const std::string& name) {
  const auto count = static_cast<Index>(vocabulary.tokens.size());
  if (count > rows) {
    fail(name, fmt::format("it has {} tokens, but the model's matrix has {} rows", count, rows));
  }
  TokenOrder order;
  static_assert(unknown_token == 0 && start_token == 1 && end_token == 2);
  order.rows.push_back({"<unk>", vocabulary.unknown});
  const Index start = special.start != no_row ? special.start : vocabulary.start;
  order.rows.push_back({"<s>", start, start != no_row && start == vocabulary.start});
  order.rows.push_back({"</s>", vocabulary.end});
  const std::unordered_set<std::string_view> taken(vocabulary.tokens.begin(), vocabulary.tokens.end());
  for (Index row = 0; row < rows; ++row) {
    if (row == vocabulary.unknown || row == vocabulary.end || row == special.padding) continue;
    if (row == vocabulary.start && row == start) continue;
    const std::string token = row < count ? vocabulary.tokens[static_cast<std::size_t>(row)] : "";
    const bool ours = token == "<unk>" || token == "<s>" || token == "</s>";
    order.rows.push_back({row < count && !ours ? token : spare_name(row, taken), row});
  }
  return order;
}

}  // namespace heed::interchange
