// RAII: a temporary folder for a test, unique per process, since tests run for several instruction sets at once.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/files.h"

namespace heed {

class TestFolder {
 public:
  TestFolder() {
    static int made = 0;
    path_ = std::filesystem::path(testing::TempDir()) / fmt::format("heed_test_{}_{}", ::getpid(), ++made);
    std::filesystem::remove_all(path_);
    make_folder(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view text) const {
    write_file(path_ / name, text);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heed
