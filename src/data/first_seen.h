// A hash table from fingerprints to the line of their first occurrence.
//
// Twelve bytes per slot at a load factor of 0.57 to 0.85: 14 to 21 bytes per fingerprint.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/index.h"

namespace heed {

class FirstSeen {
 public:
  // The line of the fingerprint's first occurrence, or nullopt if there is none.
  std::optional<Index> find_line(std::uint64_t fingerprint) const {
    if (keys_.empty()) return std::nullopt;
    const std::uint32_t line = lines_[find(fingerprint)];
    return line == 0 ? std::nullopt : std::optional<Index>(line);
  }

  // The line of the fingerprint's first occurrence, or nullopt if this is the first. Lines count from 1; numbers are
  // saturated to 32 bits.
  std::optional<Index> add(std::uint64_t fingerprint, Index line) {
    if (static_cast<double>(used_ + 1) > most_used * static_cast<double>(keys_.size())) grow();
    const std::size_t slot = find(fingerprint);
    if (lines_[slot] != 0) return lines_[slot];
    keys_[slot] = fingerprint;
    lines_[slot] = static_cast<std::uint32_t>(std::min<Index>(line, std::numeric_limits<std::uint32_t>::max()));
    ++used_;
    return std::nullopt;
  }

 private:
  static constexpr double most_used = 0.85;

  std::size_t find(std::uint64_t key) const {
    std::size_t slot = key % keys_.size();
    while (lines_[slot] != 0 && keys_[slot] != key) slot = slot + 1 == keys_.size() ? 0 : slot + 1;
    return slot;
  }

  void grow() {
    const std::size_t slots = keys_.empty() ? 1024 : keys_.size() + keys_.size() / 2;
    const std::vector<std::uint64_t> keys = std::exchange(keys_, std::vector<std::uint64_t>(slots));
    const std::vector<std::uint32_t> lines = std::exchange(lines_, std::vector<std::uint32_t>(slots));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (lines[i] == 0) continue;
      const std::size_t slot = find(keys[i]);
      keys_[slot] = keys[i];
      lines_[slot] = lines[i];
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> lines_;  // 0: the slot is free
  std::size_t used_ = 0;
};

}  // namespace heed
