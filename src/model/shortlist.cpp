#include "model/shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/special_tokens.h"
#include "heed/error.h"
#include "model/model_info.h"
#include "model/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

constexpr const char* file_name = "shortlist.safetensors";

void sort_unique(Ids& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

NamedTensor tensor_of(const char* name, const Ids& ids) {
  return {name, {static_cast<Index>(ids.size())}, StoredType::int32, std::as_bytes(std::span(ids))};
}

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw Error(fmt::format("'{}' {}; make it again with 'heed model shortlist', or remove it", file.string(), what));
}

// A tensor of any length.
Ids read_ids(const Safetensors& file, const char* name) {
  const NamedTensor* found = file.find(name);
  if (found == nullptr || found->type != StoredType::int32 || found->shape.size() != 1) {
    refuse(file.path(), fmt::format("has no list '{}'", name));
  }
  const std::span<const std::int32_t> ids = found->as<std::int32_t>();
  return {ids.begin(), ids.end()};
}

bool is_list(std::span<const std::int32_t> ids, Index vocabulary) {
  if (ids.empty()) return true;
  bool rising = ids.front() >= 0 && ids.back() < vocabulary;
  for (std::size_t i = 1; i < ids.size(); ++i) rising &= ids[i - 1] < ids[i];
  return rising;
}

void check_lists(const fs::path& file, const Shortlist& list, const Config& config) {
  if (static_cast<Index>(list.offsets.size()) != config.source_vocab + 1) {
    refuse(file, fmt::format("has lists for a source vocabulary of {}, but the model's has {}",
                             static_cast<Index>(list.offsets.size()) - 1, config.source_vocab));
  }
  bool good = list.offsets.front() == 0 && static_cast<std::size_t>(list.offsets.back()) == list.tokens.size() &&
              std::is_sorted(list.offsets.begin(), list.offsets.end()) && is_list(list.always, config.target_vocab);
  for (std::size_t s = 0; good && s + 1 < list.offsets.size(); ++s) {
    const auto begin = static_cast<std::size_t>(list.offsets[s]);
    const auto end = static_cast<std::size_t>(list.offsets[s + 1]);
    good = is_list(std::span(list.tokens).subspan(begin, end - begin), config.target_vocab);
  }
  if (!good) refuse(file, "is damaged: its lists do not hold tokens of the target vocabulary in order");
}

}  // namespace

void Shortlist::select(std::span<const int> source, std::span<const int> prefix, Index target_vocab,
                       std::vector<int>& chosen) const {
  constexpr int bits = std::numeric_limits<std::uint64_t>::digits;
  std::vector<std::uint64_t> marked(static_cast<std::size_t>(divide_up(target_vocab, Index{bits})));
  const auto mark = [&](int token) {
    marked[static_cast<std::size_t>(token / bits)] |= std::uint64_t{1} << (token % bits);
  };
  mark(end_token);
  std::for_each(always.begin(), always.end(), mark);
  std::for_each(prefix.begin(), prefix.end(), mark);
  for (const int token : source) {
    const auto s = static_cast<std::size_t>(token);
    std::for_each(tokens.begin() + offsets[s], tokens.begin() + offsets[s + 1], mark);
  }
  chosen.clear();
  for (std::size_t word = 0; word < marked.size(); ++word) {
    for (std::uint64_t left = marked[word]; left != 0; left &= left - 1) {
      chosen.push_back(static_cast<int>(word) * bits + std::countr_zero(left));
    }
  }
}

Shortlist make_shortlist(Ids always, std::vector<Ids> lists) {
  Shortlist made;
  sort_unique(always);
  made.always = std::move(always);
  made.offsets.push_back(0);
  for (Ids& list : lists) {
    sort_unique(list);
    made.tokens.insert(made.tokens.end(), list.begin(), list.end());
    made.offsets.push_back(static_cast<std::int32_t>(made.tokens.size()));
  }
  return made;
}

void write_shortlist(const fs::path& folder, const Shortlist& list, const WeightFacts& facts) {
  const NamedTensor tensors[] = {tensor_of("always", list.always), tensor_of("offsets", list.offsets),
                                 tensor_of("tokens", list.tokens)};
  Metadata metadata = facts;
  metadata["format"] = file_format;
  write_safetensors(folder / file_name, tensors, metadata);
}

std::optional<Shortlist> read_shortlist(const fs::path& folder, const Config& config, const WeightFacts& facts,
                                        Verify verify) {
  if (!file_exists(folder / file_name)) return {};
  const Safetensors file(folder / file_name);
  if (verify == Verify::checksum) file.verify();
  for (const auto& [name, fingerprint] : facts) {
    const auto stored = file.metadata().find(name);
    if (stored == file.metadata().end() || stored->second != fingerprint) {
      refuse(file.path(), "was made for other tokenizers");
    }
  }
  Shortlist list{read_ids(file, "always"), read_ids(file, "offsets"), read_ids(file, "tokens")};
  check_lists(file.path(), list, config);
  return list;
}

}  // namespace heed
