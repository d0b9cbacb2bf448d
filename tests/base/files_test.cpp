// Writing files: through links, next to other writers, with permissions; and files that are refused.
#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "error_message.h"
#include "test_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

fs::perms permissions(const fs::path& file) { return fs::status(file).permissions() & fs::perms::all; }

TEST(FileWriter, WritesToWhatALinkPointsTo) {
  const TestFolder folder;
  fs::create_directory(folder / "elsewhere");
  folder.write("elsewhere/real", "old");
  fs::create_symlink("elsewhere/real", folder / "link");
  fs::create_symlink("link", folder / "link to a link");
  write_file(folder / "link to a link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link to a link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "elsewhere/real"), "new");
  EXPECT_EQ(files_in(folder / "elsewhere"), 1u);
}

TEST(FileWriter, ALinkToNothingCreatesWhatItNames) {
  const TestFolder folder;
  fs::create_symlink("to come", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "to come"), "new");
}

TEST(FileWriter, LinksInACircleAreRefused) {
  const TestFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_NE(error_message([&] { write_file(folder / "a", ""); }).find("cannot write"), std::string::npos);
}

TEST(FileWriter, TwoWritersOfOneFileDoNotMix) {
  const TestFolder folder;
  FileWriter one(folder / "out");
  FileWriter two(folder / "out");
  one.write("one one one");
  two.write("two");
  one.commit();
  EXPECT_EQ(read_file(folder / "out"), "one one one");
  two.commit();
  EXPECT_EQ(read_file(folder / "out"), "two");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(FileWriter, LeavesAFileNamedPartAlone) {
  const TestFolder folder;
  folder.write("victim", "precious");
  fs::create_symlink("victim", folder / "out.part");
  write_file(folder / "out", "new");
  EXPECT_EQ(read_file(folder / "victim"), "precious");
  EXPECT_TRUE(fs::is_symlink(folder / "out.part"));
}

TEST(FileWriter, KeepsTheOldFilesPermissions) {
  const TestFolder folder;
  const fs::path file = folder.write("out", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  write_file(file, "new");
  EXPECT_EQ(permissions(file), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  write_file(folder / "fresh", "new");
  std::FILE* plain = std::fopen((folder / "plain").c_str(), "w");
  std::fclose(plain);
  EXPECT_EQ(permissions(folder / "fresh"), permissions(folder / "plain"))
      << "a new file has the permissions of the umask";
}

TEST(FileWriter, PipesDevicesAndFoldersAreRefusedAtOnce) {
  const TestFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder / "device");
  EXPECT_NE(error_message([&] { write_file(folder / "pipe", ""); }).find("is a pipe or a device"), std::string::npos);
  EXPECT_NE(error_message([&] { write_file(folder / "device", ""); }).find("is a pipe or a device"), std::string::npos);
  EXPECT_NE(error_message([&] { write_file(folder.path(), ""); }).find("cannot write"), std::string::npos);
  EXPECT_NE(error_message([&] { append_to_file(folder / "pipe", "x"); }).find("is a pipe or a device"),
            std::string::npos);
  EXPECT_NE(error_message([&] { read_file(folder / "pipe"); }).find("is a pipe or a device"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(TemporaryFiles, GoWithoutACommitAndAtASignal) {
  const TestFolder folder;
  { FileWriter(folder / "out").write("half"); }
  EXPECT_EQ(files_in(folder.path()), 0u);
  const FileWriter live(folder / "out");
  EXPECT_EQ(files_in(folder.path()), 1u);
  remove_temporary_files();
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(TemporaryFiles, OnlyThoseThatNobodyWritesAreStale) {
  const TestFolder folder;
  folder.write("out.0123456789abcdef.part", "left by a kill");
  folder.write("mine.part", "somebody's own");
  FileWriter live(folder / "out");
  remove_stale_temporary_files(folder.path());
  EXPECT_FALSE(fs::exists(folder / "out.0123456789abcdef.part"));
  EXPECT_TRUE(fs::exists(folder / "mine.part"));
  live.write("whole");
  live.commit();
  EXPECT_EQ(read_file(folder / "out"), "whole");
}

TEST(OutputFile, ADescriptorIsAppendedToWhereItStands) {
  const TestFolder folder;
  const fs::path file = folder.write("log", "first\n");
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  for (const char* name : {"/proc/self/fd/{}", "/dev/fd/{}"}) {
    OutputFile output(fmt::format(fmt::runtime(name), descriptor));
    output.write("more\n");
    output.finish();
  }
  ::close(descriptor);
  EXPECT_EQ(read_file(file), "first\nmore\nmore\n");
}

TEST(OutputFile, ADeviceStaysADevice) {
  const TestFolder folder;
  fs::create_symlink("/dev/null", folder / "null");
  OutputFile output(folder / "null");
  output.write("gone");
  output.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(folder / "null"));
}

TEST(ReadFile, StopsAtItsLimit) {
  EXPECT_NE(error_message([] { read_file("/dev/zero", {.most_bytes = 1000, .pipes = true}); }).find("more than 1000"),
            std::string::npos);
}

TEST(Error, IsOneLineWhateverItNames) {
  const Error error("'a\nb\tc': cannot read");
  EXPECT_STREQ(error.what(), "'a?b?c': cannot read");
}

}  // namespace
}  // namespace heed
