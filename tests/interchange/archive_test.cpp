// Containers: zip, tar, gzip, .npy and .bin, whole and damaged.
#include "interchange/archive.h"

#include <gtest/gtest.h>

#include <cstring>

#include "error_message.h"
#include "interchange/make_archive.h"
#include "interchange/marian_file.h"
#include "interchange/npy.h"
#include "interchange/small_marian.h"

namespace heed::interchange {
namespace {

const std::vector<ArchiveFile> files{{"a.txt", "one"}, {"folder/b", std::string(100000, 'b')}, {"empty", ""}};

TEST(Archives, FilesComeBackFromEveryKind) {
  for (const Packing packing : {Packing::stored_zip, Packing::zip, Packing::tar, Packing::tar_gz}) {
    const std::string bytes = make_archive(files, packing);
    EXPECT_EQ(is_zip(bytes), packing == Packing::stored_zip || packing == Packing::zip);
    EXPECT_EQ(is_tar(bytes), packing == Packing::tar);
    EXPECT_EQ(is_gzip(bytes), packing == Packing::tar_gz);
    const std::vector<ArchiveFile> found = read_archive(bytes, "x");
    ASSERT_EQ(found.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(found[i].name, files[i].name);
      EXPECT_EQ(found[i].bytes, files[i].bytes);
    }
  }
  EXPECT_EQ(unzip_file(make_archive(files, Packing::gz), "x"), "one");
}

TEST(Archives, NamesThatLeadOutAreRefused) {
  for (const std::string name : {"../a", "a/../../b", "/etc/a", "..\\a"}) {
    const std::string bytes = make_archive({{name, "x"}}, Packing::zip);
    EXPECT_NE(error_message([&] { read_archive(bytes, "x.zip"); }).find("leads out"), std::string::npos) << name;
  }
}

TEST(Archives, TheSameNameTwiceIsRefused) {
  const std::string bytes = make_archive({{"a", "1"}, {"a", "2"}}, Packing::zip);
  EXPECT_NE(error_message([&] { read_archive(bytes, "x.zip"); }).find("twice"), std::string::npos);
}

TEST(Archives, BombsAreRefused) {
  const std::string zeros(std::size_t{80} << 20, '\0');
  for (const Packing packing : {Packing::zip, Packing::tar_gz}) {
    const std::string bytes = make_archive({{"zeros", zeros}}, packing);
    ASSERT_LT(bytes.size(), std::size_t{1} << 20);
    EXPECT_NE(error_message([&] { read_archive(bytes, "x"); }).find("bomb"), std::string::npos);
  }
  const std::string bytes = make_archive({{"zeros", zeros}}, Packing::gz);
  EXPECT_NE(error_message([&] { unzip_file(bytes, "x"); }).find("bomb"), std::string::npos);
}

TEST(Archives, DamageIsNoticed) {
  for (const Packing packing : {Packing::stored_zip, Packing::zip, Packing::tar_gz}) {
    const std::string bytes = make_archive(files, packing);
    EXPECT_NE(error_message([&] { read_archive(bytes.substr(0, bytes.size() / 2), "x"); }), "");
  }
  std::string changed = make_archive({{"a", "some bytes"}}, Packing::stored_zip);
  changed[changed.find("some")] = 'S';
  EXPECT_NE(error_message([&] { read_archive(changed, "x"); }), "") << "the checksum is another";
}

TEST(Npy, ArraysAreRead) {
  const std::string bytes = make_npy("<f4", {2, 3}, std::string(24, 'x'));
  const NpyArray array = read_npy(bytes, "x");
  EXPECT_EQ(array.type, "<f4");
  EXPECT_EQ(array.shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(array.bytes.size(), 24u);
  EXPECT_EQ(read_npy(make_npy("|i1", {5}, "12345"), "x").bytes, "12345");
}

TEST(Npy, OtherBytesAreRefused) {
  const auto message = [](const std::string& bytes) { return error_message([&] { read_npy(bytes, "x"); }); };
  const std::string numbers(24, 'x');
  EXPECT_NE(message("PK").find("not a NumPy array"), std::string::npos);
  EXPECT_NE(message(make_npy("<f4", {2, 4}, numbers)).find("ends within"), std::string::npos);
  EXPECT_NE(message(make_npy("<f4", {2, 2}, numbers)).find("more in it"), std::string::npos);
  EXPECT_NE(message(make_npy("<f4", {Index{1} << 40, Index{1} << 40}, numbers)).find("ends within"), std::string::npos);
  EXPECT_NE(message(make_npy("<c16", {2, 3}, numbers)).find("'<c16'"), std::string::npos);
  EXPECT_NE(message(make_npy("<f4", {-1, 3}, numbers)).find("damaged"), std::string::npos);
  std::string fortran = make_npy("<f4", {2, 3}, numbers);
  fortran.replace(fortran.find("False"), 5, "True ");
  EXPECT_NE(message(fortran).find("Fortran"), std::string::npos);
  const std::string whole = make_npy("<f4", {2, 3}, numbers);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(message(whole.substr(0, size)), "") << size;
}

TEST(MarianFiles, ShapesAndNamesAreThoseOfTheFile) {
  const SmallMarian model({});
  const std::string bin = model.bin(false);
  for (const MarianFile& file : {read_marian_npz(read_archive(model.npz(), "x"), "x"), read_marian_bin(bin, "x")}) {
    EXPECT_EQ(file.options, model.options);
    ASSERT_EQ(file.tensors.size(), model.tensors.size());
    for (const auto& [name, tensor] : model.tensors) {
      const MarianTensor* found = file.find(name);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(found->rows, tensor.rows);
      EXPECT_EQ(found->cols, tensor.cols);
      EXPECT_EQ(found->number(found->at(0, tensor.cols - 1)), tensor.at(0, tensor.cols - 1));
    }
  }
}

TEST(MarianFiles, CutOffBinFilesAreRefused) {
  const std::string whole = SmallMarian({}).bin(true);
  ASSERT_TRUE(is_marian_bin(whole));
  for (std::size_t size = 16; size < whole.size(); size += 97) {
    EXPECT_NE(error_message([&] { read_marian_bin(whole.substr(0, size), "x"); }), "") << size;
  }
}

// Sets the 64-bit number at a place of the headers.
std::string with_number(std::string file, std::size_t at, std::uint64_t value) {
  std::memcpy(file.data() + at, &value, sizeof value);
  return file;
}

TEST(MarianFiles, ImpossibleHeadersAreRefused) {
  const std::string whole = SmallMarian({}).bin(true);
  const auto message = [](const std::string& bytes) { return error_message([&] { read_marian_bin(bytes, "x"); }); };
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  for (const std::size_t at : {8, 16, 32, 40}) EXPECT_NE(message(with_number(whole, at, huge)), "") << at;
  EXPECT_NE(message(with_number(whole, 24, 0x2801)).find("packed8avx512"), std::string::npos);
}

TEST(MarianFiles, AModelNeedsItsSettings) {
  SmallMarian model({});
  model.options.clear();
  const std::string bin = model.bin(false);
  EXPECT_NE(error_message([&] { read_marian_bin(bin, "x"); }).find("special:model.yml"), std::string::npos);
}

}  // namespace
}  // namespace heed::interchange
