#include "interchange/token_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/one_line.h"
#include "heed/error.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; pass the model's own vocabulary", name, what));
}

// Written as a receiver of events, so that memory stays proportional to the text.
class JsonTexts : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<std::string> texts;

  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return false; }
  bool number_unsigned(number_unsigned_t) override { return false; }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool string(string_t& text) override {
    texts.push_back(std::move(text));
    return inside_;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return false; }
  bool key(string_t&) override { return false; }
  bool end_object() override { return false; }
  bool start_array(std::size_t) override { return !std::exchange(inside_, true); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool inside_ = false;
};

std::vector<std::string> read_tokens(std::string_view text, const std::string& name) {
  if (text.starts_with('[')) {
    JsonTexts events;
    if (!nlohmann::json::sax_parse(text, &events)) fail(name, "it is not a JSON list of tokens");
    return std::move(events.texts);
  }
  std::vector<std::string> tokens;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    tokens.emplace_back(line);
  }
  return tokens;
}

}  // namespace

Vocabulary read_token_list(std::string_view text, const SpecialNames& special, const std::string& name) {
  if (find_invalid_utf8(text)) fail(name, "it is not UTF-8");
  Vocabulary vocabulary;
  vocabulary.tokens = read_tokens(text, name);
  std::unordered_map<std::string_view, Index> ids;
  for (const std::string& token : vocabulary.tokens) {
    if (token.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos) {
      fail(name, fmt::format("the token '{}' holds a line end", one_line(token)));
    }
    if (!ids.emplace(token, static_cast<Index>(ids.size())).second) {
      fail(name, fmt::format("the token '{}' is there twice", one_line(token)));
    }
  }
  const auto id_of = [&](const std::string& token) {
    const auto found = ids.find(token);
    return found == ids.end() ? no_row : found->second;
  };
  vocabulary.unknown = id_of(special.unknown);
  vocabulary.start = id_of(special.start);
  vocabulary.end = id_of(special.end);
  if (vocabulary.end == no_row) fail(name, fmt::format("there is no {} in it", one_line(special.end)));
  if (vocabulary.unknown == no_row) {
    vocabulary.unknown = static_cast<Index>(vocabulary.tokens.size());
    vocabulary.tokens.push_back(special.unknown);
  }
  return vocabulary;
}

}  // namespace heed::interchange
