// A file in a folder that all tests of the program share.
#pragma once

#include <filesystem>
#include <string>

#include "test_folder.h"

namespace heed {

inline std::filesystem::path in_folder(const std::string& name) {
  static const TestFolder folder;
  return folder / name;
}

}  // namespace heed
