#include "interchange/marian_shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "heed/error.h"
#include "interchange/byte_reader.h"
#include "interchange/shown.h"

namespace heed::interchange {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::uint64_t shortlist_magic = 0xF11A48D5013417F5;
constexpr std::size_t checksum_from = 16;  // after magic and checksum

[[noreturn]] void refuse_shortlist(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; fetch the file again", name, what));
}

// heed's id for each of Marian's; no_row for none.
Ids new_ids(const TokenOrder& order) {
  Ids ids;
  for (std::size_t id = 0; id < order.rows.size(); ++id) {
    const Index from = order.rows[id].from;
    if (from == no_row) continue;
    if (static_cast<std::size_t>(from) >= ids.size()) ids.resize(static_cast<std::size_t>(from) + 1, no_row);
    ids[static_cast<std::size_t>(from)] = static_cast<std::int32_t>(id);
  }
  return ids;
}

std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i + sizeof seed <= bytes.size(); i += sizeof seed) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

// The target tokens with Marian's lowest ids.
Ids first_tokens(const Ids& target_ids, std::uint64_t count) {
  Ids first;
  for (std::size_t id = 0; id < target_ids.size() && id < count; ++id) {
    if (target_ids[id] != no_row) first.push_back(target_ids[id]);
  }
  return first;
}

// Takes words off the text of a line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

std::unordered_map<std::string_view, std::int32_t> ids_by_token(const TokenOrder& order) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < order.rows.size(); ++id) {
    if (order.rows[id].from != no_row) ids.emplace(order.rows[id].token, static_cast<std::int32_t>(id));
  }
  return ids;
}

struct Translated {
  std::int32_t token;
  float probability;
};

// The most probable ones.
Ids best_of(std::vector<Translated>& all, const TextShortlistOptions& options) {
  std::erase_if(all, [&](const Translated& t) { return t.probability < options.least_probability; });
  std::sort(all.begin(), all.end(), [](const Translated& a, const Translated& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
  });
  if (static_cast<Index>(all.size()) > options.best) all.resize(static_cast<std::size_t>(options.best));
  Ids ids;
  for (const Translated& t : all) ids.push_back(t.token);
  return ids;
}

TextShortlistOptions text_options(const YamlSettings& decoder, const std::vector<std::string>& setting) {
  TextShortlistOptions options;
  const auto number = [&](std::size_t i, double fallback) {
    if (i >= setting.size()) return fallback;
    double value = -1.0;
    const auto [end, error] = std::from_chars(setting[i].data(), setting[i].data() + setting[i].size(), value);
    if (error != std::errc() || end != setting[i].data() + setting[i].size() || !(value >= 0.0 && value <= 1e9)) {
      decoder.refuse("shortlist", fmt::format("'{}' is not a number of tokens", shown(setting[i])));
    }
    return value;
  };
  options.first = static_cast<Index>(number(1, static_cast<double>(options.first)));
  options.best = static_cast<Index>(number(2, static_cast<double>(options.best)));
  options.least_probability = static_cast<float>(number(3, options.least_probability));
  return options;
}

}  // namespace

bool is_binary_shortlist(std::string_view bytes) {
  std::uint64_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == shortlist_magic;
}

Shortlist read_binary_shortlist(std::string_view bytes, const VocabularyOrders& orders, const std::string& name) {
  ByteReader reader(bytes, name);
  reader.number<std::uint64_t>("its header");  // magic
  const auto checksum = reader.number<std::uint64_t>("its header");
  const auto first = reader.number<std::uint64_t>("its header");
  reader.number<std::uint64_t>("its header");  // the most tokens of a list
  const auto offsets = reader.number<std::uint64_t>("its header");
  const auto entries = reader.number<std::uint64_t>("its header");
  if (offsets == 0 || offsets > reader.left() / sizeof(std::uint64_t)) {
    refuse_shortlist(name, "the file ends within its offsets");
  }
  const std::string_view offset_bytes = reader.take(offsets * sizeof(std::uint64_t), "its offsets");
  if (entries != reader.left() / sizeof(std::uint32_t) || reader.left() % sizeof(std::uint32_t) != 0) {
    refuse_shortlist(name, fmt::format("it says that it has {} entries, but has {}", entries,
                                       reader.left() / sizeof(std::uint32_t)));
  }
  const std::string_view entry_bytes = reader.take(reader.left(), "its entries");
  if (checksum_of(bytes.substr(checksum_from)) != checksum) refuse_shortlist(name, "its checksum is wrong");

  const Ids source = new_ids(orders.source);
  const Ids target = new_ids(orders.target);
  if (offsets - 1 > source.size()) {
    refuse_shortlist(
        name, fmt::format("it is for a source vocabulary of {}, but the model's has {}", offsets - 1, source.size()));
  }
  const auto offset = [&](std::uint64_t i) {
    std::uint64_t value;
    std::memcpy(&value, offset_bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  std::vector<Ids> lists(orders.source.rows.size());
  for (std::uint64_t s = 0; s + 1 < offsets; ++s) {
    const std::uint64_t begin = offset(s), end = offset(s + 1);
    if (begin > end || end > entries) refuse_shortlist(name, fmt::format("the list of source token {} is damaged", s));
    if (source[s] == no_row) continue;
    Ids& list = lists[static_cast<std::size_t>(source[s])];
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint32_t token;
      std::memcpy(&token, entry_bytes.data() + i * sizeof token, sizeof token);
      if (token >= target.size()) {
        refuse_shortlist(
            name, fmt::format("the list of source token {} holds token {}, and the target vocabulary has {}", s, token,
                              target.size()));
      }
      if (target[token] != no_row) list.push_back(target[token]);
    }
  }
  return make_shortlist(first_tokens(target, first), std::move(lists));
}

Shortlist read_text_shortlist(std::string_view text, const TextShortlistOptions& options,
                              const VocabularyOrders& orders, const std::string& name) {
  const auto source = ids_by_token(orders.source);
  const auto target = ids_by_token(orders.target);
  std::vector<std::vector<Translated>> found(orders.source.rows.size());
  for (Index number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view to = next_word(line);
    const std::string_view from = next_word(line);
    const std::string_view last = next_word(line);
    if (to.empty()) continue;
    float probability = -1.0f;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), probability);
    if (error != std::errc() || end != last.data() + last.size() || !(probability >= 0.0f)) {
      throw Error(fmt::format("'{}': line {} is not 'target source probability'; pass a lexical shortlist of Marian",
                              name, number));
    }
    // What is not in the vocabularies, such as NULL, cannot occur.
    const auto s = source.find(from);
    const auto t = target.find(to);
    if (s == source.end() || t == target.end()) continue;
    found[static_cast<std::size_t>(s->second)].push_back({t->second, probability});
  }
  std::vector<Ids> lists;
  for (auto& all : found) lists.push_back(best_of(all, options));
  return make_shortlist(first_tokens(new_ids(orders.target), static_cast<std::uint64_t>(options.first)),
                        std::move(lists));
}

std::optional<Shortlist> import_shortlist(Package& package, const YamlSettings& decoder,
                                          const VocabularyOrders& orders) {
  const std::vector<std::string> setting = decoder.list("shortlist");
  std::string name;
  if (!setting.empty()) {
    name = std::filesystem::path(setting[0]).filename().string();
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    if (!package.has(name)) return {};
  } else if (package.main().empty()) {
    for (const std::string& file : package.names()) {
      if (!file.ends_with(".bin") || !is_binary_shortlist(package.bytes(file))) continue;
      if (!name.empty()) return {};
      name = file;
    }
  }
  if (name.empty()) return {};
  const std::string_view bytes = package.bytes(name);
  if (is_binary_shortlist(bytes)) return read_binary_shortlist(bytes, orders, package.place(name));
  return read_text_shortlist(bytes, text_options(decoder, setting), orders, package.place(name));
}

}  // namespace heed::interchange
