// The type of every size, offset and token count.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

using Index = std::int64_t;

// For standard containers, which count with std::size_t.
constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }

constexpr Index divide_up(Index value, Index by) { return (value + by - 1) / by; }
constexpr Index round_up(Index value, Index multiple) { return divide_up(value, multiple) * multiple; }

}  // namespace heed
