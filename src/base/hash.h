// A 64-bit hash of bytes to detect changes. Not cryptographic: it does not resist deliberate collisions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/random.h"

namespace heed {

// Incremental: the hash does not depend on how the bytes are split between calls.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    length_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), sizeof block_ - filled_);
      std::memcpy(block_ + filled_, bytes.data(), count);
      filled_ += count;
      bytes = bytes.subspan(count);
      if (filled_ == sizeof block_) mix();
    }
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

  std::uint64_t value() const {
    Hash rest = *this;
    std::memset(rest.block_ + filled_, 0, sizeof block_ - filled_);
    rest.mix();
    std::uint64_t all = scramble(length_);
    for (const std::uint64_t lane : rest.lanes_) all = random_key(all, lane);
    return all;
  }

 private:
  // Four independent lanes, so that the multiplications overlap.
  void mix() {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, block_ + 8 * lane, sizeof word);
      lanes_[lane] = std::rotl((lanes_[lane] ^ word) * 0x9e3779b97f4a7c15, 29) * 0xbf58476d1ce4e5b9;
    }
    filled_ = 0;
  }

  std::uint64_t lanes_[4] = {1, 2, 3, 4};
  std::byte block_[32];
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

inline std::uint64_t hash_of(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}
inline std::uint64_t hash_of(std::string_view text) { return hash_of(std::as_bytes(std::span(text))); }

}  // namespace heed
