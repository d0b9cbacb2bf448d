#include "data/compress.h"

#include "base/files.h"
#include "data/lines.h"
#include "test_folder.h"

namespace heed {
namespace {

TEST(Compressor, WhatItWritesIsReadBack) {
  const TestFolder folder;
  for (const char* name : {"lines.gz", "lines.zst"}) {
    const std::unique_ptr<Compressor> compressor = compressor_for(name);
    ASSERT_NE(compressor, nullptr);
    std::string bytes;
    for (int i = 0; i < 20000; ++i) compressor->add(fmt::format("line {}\n", i), bytes);
    compressor->finish(bytes);
    EXPECT_LT(bytes.size(), 100000u);
    write_file(folder / name, bytes);
    LineReader reader(folder / name);
    std::string line;
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(reader.next(line));
      ASSERT_EQ(line, fmt::format("line {}", i));
    }
    EXPECT_FALSE(reader.next(line));
  }
  EXPECT_EQ(compressor_for("lines.txt"), nullptr);
}

TEST(Compressor, NothingIsAWholeFileToo) {
  const TestFolder folder;
  for (const char* name : {"none.gz", "none.zst"}) {
    std::string bytes;
    compressor_for(name)->finish(bytes);
    EXPECT_FALSE(bytes.empty());
    write_file(folder / name, bytes);
    std::string line;
    EXPECT_FALSE(LineReader(folder / name).next(line));
  }
}

}  // namespace
}  // namespace heed
