// Counter-based random numbers: pure functions of a key and a counter, independent of order and threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heed {

// Mixes 64 bits so that keys which differ in one bit give unrelated results (SplitMix64).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Derives a key for a part: random_key(random_key(seed, update), sentence) …
constexpr std::uint64_t random_key(std::uint64_t key, std::uint64_t part) { return scramble(key ^ scramble(part)); }

// Uniform in [0, 1).
constexpr double uniform(std::uint64_t key, std::uint64_t counter) {
  return static_cast<double>(random_key(key, counter) >> 11) * 0x1p-53;
}

// Uniform in 0 … bound − 1.
constexpr std::uint64_t uniform_below(std::uint64_t key, std::uint64_t counter, std::uint64_t bound) {
  return static_cast<std::uint64_t>(uniform(key, counter) * static_cast<double>(bound));
}

// Normal with mean 0 and standard deviation 1 (Box–Muller).
inline double normal(std::uint64_t key, std::uint64_t counter) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(key, 2 * counter)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(key, 2 * counter + 1));
}

// The bits of a row's dropout mask: 32 for each of 16 lanes of a block of 32 channels. The kernels compute the same
// function on vectors.
constexpr std::uint32_t dropout_bits(std::uint64_t row_key, std::uint32_t lane) {
  std::uint32_t x = lane * 0x9e3779b9u + static_cast<std::uint32_t>(row_key);
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13) ^ static_cast<std::uint32_t>(row_key >> 32)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

// Whether dropout keeps a channel of a row; `threshold` is the dropout rate in units of 2^-16. The low halves of the 16
// lanes decide the first 16 channels of a block, the high halves the other 16, which suits any vector width.
constexpr bool dropout_keeps(std::uint64_t row_key, std::uint32_t channel, std::uint32_t threshold) {
  const std::uint32_t bits = dropout_bits(row_key, channel / 32 * 16 + channel % 16);
  return (channel % 32 < 16 ? bits & 0xffff : bits >> 16) >= threshold;
}

}  // namespace heed
