#include "tensor/arena.h"

#include <gtest/gtest.h>

#include "heed/error.h"

namespace heed {
namespace {

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena;
  const auto a = arena.floats(3);
  const auto b = arena.array<double>(5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u);
  EXPECT_GE(reinterpret_cast<std::byte*>(b.data()) - reinterpret_cast<std::byte*>(a.data()), 12);
}

TEST(Arena, ScopesGiveBackAndReuse) {
  Arena arena;
  const std::size_t before = arena.used();
  float* first = nullptr;
  {
    const Arena::Scope scope(arena);
    first = arena.matrix(10, 10).data;
  }
  EXPECT_EQ(arena.used(), before);
  EXPECT_EQ(arena.matrix(10, 10).data, first);
  EXPECT_GT(arena.peak(), before);
}

TEST(Arena, RowsLieOnAnOddNumberOfCacheLines) {
  Arena arena;
  for (const Index cols : {1, 16, 64, 512, 1024, 2048}) {
    EXPECT_EQ(arena.matrix(2, cols).stride / 16 % 2, 1) << cols;
    EXPECT_GE(arena.matrix(2, cols).stride, cols);
  }
}

TEST(Arena, RefusesMoreThanTheMachineHas) {
  Arena arena;
  EXPECT_THROW(arena.floats(Index{1} << 50), Error);
}

TEST(Pages, MoveKeepsTheMemory) {
  Pages a(100);
  a.floats()[3] = 7.0f;
  const Pages b = std::move(a);
  EXPECT_EQ(b.floats()[3], 7.0f);
  EXPECT_EQ(b.floats()[4], 0.0f);
}

}  // namespace
}  // namespace heed
