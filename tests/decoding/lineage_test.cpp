#include "decoding/lineage.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

TEST(RowPool, GivesEachRowOnceAndTakesItBack) {
  Arena arena;
  RowPool pool(5, arena);
  std::set<std::int32_t> rows;
  for (int i = 0; i < 5; ++i) rows.insert(pool.take());
  EXPECT_EQ(rows, (std::set<std::int32_t>{0, 1, 2, 3, 4}));
  pool.give_back(3);
  pool.give_back(1);
  EXPECT_EQ(pool.take(), 1) << "the row freed last";
  EXPECT_EQ(pool.take(), 3);
}

// How many rows are free: takes all of them and gives them back.
Index free_rows(Lineage& lineage, Index capacity, Index used) {
  std::set<std::int32_t> rows;
  for (Index i = 0; i < capacity - used; ++i) rows.insert(lineage.add(no_row, 0, 0.0f));
  for (const std::int32_t row : rows) lineage.release(row);
  return static_cast<Index>(rows.size());
}

TEST(Lineage, ARowThatIsSharedStaysUntilItsLastUserGoes) {
  Arena arena;
  Lineage lineage(6, arena);
  const std::int32_t root = lineage.add(no_row, 10, 0.0f);
  const std::int32_t left = lineage.add(root, 11, -1.0f);
  const std::int32_t right = lineage.add(root, 12, -2.0f);
  lineage.release(root);
  EXPECT_EQ(lineage[left].parent, root);
  EXPECT_EQ(lineage[right].parent, root);
  EXPECT_EQ(lineage[root].users, 2) << "its children";
  lineage.release(left);
  EXPECT_EQ(lineage[root].users, 1);
  EXPECT_EQ(lineage[root].token, 10);
  EXPECT_EQ(lineage.add(no_row, 13, 0.0f), left) << "the row is free";
  lineage.release(left);
  lineage.release(right);
  EXPECT_EQ(free_rows(lineage, 6, 0), 6);
}

TEST(Lineage, ALongChainGoesAtOnceUnlessItIsHeld) {
  Arena arena;
  Lineage lineage(1000, arena);
  std::int32_t leaf = no_row;
  for (int i = 0; i < 600; ++i) {
    const std::int32_t next = lineage.add(leaf, i, 0.0f);
    if (leaf != no_row) lineage.release(leaf);
    leaf = next;
  }
  std::int32_t middle = leaf;
  for (int i = 0; i < 300; ++i) middle = lineage[middle].parent;
  lineage.hold(middle);
  lineage.release(leaf);
  EXPECT_EQ(lineage[middle].token, 299);
  EXPECT_EQ(free_rows(lineage, 1000, 300), 700);
  lineage.release(middle);
  EXPECT_EQ(free_rows(lineage, 1000, 0), 1000);
}

}  // namespace
}  // namespace heed
