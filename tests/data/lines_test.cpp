#include "data/lines.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "base/files.h"
#include "base/random.h"
#include "data/in_folder.h"
#include "heed/error.h"

namespace heed {
namespace {

std::vector<std::string> read_all(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_EQ(reader.line_number(), static_cast<Index>(lines.size()));
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  const std::filesystem::path path = in_folder("plain");
  write_file(path, text);
  return read_all(path);
}

std::string gzip(const std::string& text) {
  const std::filesystem::path path = in_folder("making.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  if (!text.empty()) gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path);
}

std::string zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

// More than the reader's buffers hold, so that lines cross buffer boundaries.
std::string long_text() {
  std::string text;
  for (std::uint64_t n = 0; n < 20000; ++n) {
    text.append(uniform_below(3, n, 60), static_cast<char>('a' + n % 26));
    text += '\n';
  }
  return text + std::string(700000, 'z') + "\nlast";
}

TEST(LineReader, OnlyLineFeedsEndLines) {
  EXPECT_EQ(lines_of(""), (std::vector<std::string>{}));
  EXPECT_EQ(lines_of("\n"), (std::vector<std::string>{""}));
  EXPECT_EQ(lines_of("a\nb"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\n\n\u2028x\n"), (std::vector<std::string>{"a\r", "", "\u2028x"}));
  EXPECT_EQ(lines_of(std::string("a\0b\n\f\n", 6)), (std::vector<std::string>{std::string("a\0b", 3), "\f"}));
}

TEST(LineReader, CompressedFilesReadAsPlainOnes) {
  for (const std::string& text : {std::string(), std::string("one\ntwo\n"), long_text()}) {
    const std::vector<std::string> plain = lines_of(text);
    write_file(in_folder("x"), gzip(text));
    EXPECT_EQ(read_all(in_folder("x")), plain);
    write_file(in_folder("x"), zstd(text));
    EXPECT_EQ(read_all(in_folder("x")), plain);
  }
}

TEST(LineReader, MembersOneBehindTheOtherAreOneText) {
  write_file(in_folder("x"), gzip("a\nb") + gzip("c\n"));
  EXPECT_EQ(read_all(in_folder("x")), (std::vector<std::string>{"a", "bc"}));
  write_file(in_folder("x"), zstd("a\nb") + zstd("c\n"));
  EXPECT_EQ(read_all(in_folder("x")), (std::vector<std::string>{"a", "bc"}));
}

TEST(LineReader, PaddingAndFramesToPassOverAreNoText) {
  write_file(in_folder("x"), gzip("a\n") + std::string(600, '\0') + gzip("b\n") + std::string(300000, '\0'));
  EXPECT_EQ(read_all(in_folder("x")), (std::vector<std::string>{"a", "b"}));
  const std::string skipped("\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
  write_file(in_folder("x"), skipped + zstd("a\n") + skipped + zstd("b\n"));
  EXPECT_EQ(read_all(in_folder("x")), (std::vector<std::string>{"a", "b"}));
}

TEST(LineReader, ALineThatWouldFillTheMemoryIsAnError) {
  write_file(in_folder("x"), gzip("a\n" + std::string(std::size_t{65} << 20, 'z')));
  LineReader reader(in_folder("x"));
  std::string line;
  EXPECT_TRUE(reader.next(line));
  try {
    reader.next(line);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 2 has more than 64 MiB"), std::string::npos) << error.what();
  }
}

TEST(LineReader, ATruncatedOrAlteredCompressedFileIsAnError) {
  const std::string text = long_text();
  for (std::string bytes : {gzip(text), zstd(text)}) {
    write_file(in_folder("x"), bytes.substr(0, bytes.size() / 2));
    EXPECT_THROW(read_all(in_folder("x")), Error);
    write_file(in_folder("x"), bytes.substr(0, bytes.size() - 3));
    EXPECT_THROW(read_all(in_folder("x")), Error);
  }
  std::string bytes = gzip(text);
  bytes[bytes.size() / 2] ^= 0x10;
  write_file(in_folder("x"), bytes);
  EXPECT_THROW(read_all(in_folder("x")), Error);
}

TEST(LineReader, MissingFilesAndFoldersAreErrors) {
  EXPECT_THROW(LineReader(in_folder("missing")), Error);
  EXPECT_THROW(LineReader(std::filesystem::path(testing::TempDir())), Error);
}

}  // namespace
}  // namespace heed
