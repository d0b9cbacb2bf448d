// Shortlists in Bergamot's binary form, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::interchange {

inline std::string bytes_of_words(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)};
}

inline std::uint64_t shortlist_checksum(const std::string& bytes) {
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word |= std::uint64_t{static_cast<std::uint8_t>(bytes[i + b])} << (8 * b);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

// The list of source token s is lists[s].
inline std::string small_shortlist(std::uint64_t first, const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::uint64_t> offsets{0};
  std::string entries;
  for (const auto& list : lists) {
    offsets.push_back(offsets.back() + list.size());
    entries.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(std::uint32_t));
  }
  const std::string rest =
      bytes_of_words({first, 50, offsets.size(), offsets.back()}) + bytes_of_words(offsets) + entries;
  return bytes_of_words({0xF11A48D5013417F5, shortlist_checksum(rest)}) + rest;
}

}  // namespace heed::interchange
