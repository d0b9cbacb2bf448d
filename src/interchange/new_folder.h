// Writes folders that appear complete or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace heed::interchange {

// The folder must not exist yet. write() fills one beside it, which is then moved there. Signals that end the program
// wait until then. Throws Error where that fails.
void write_new_folder(const std::filesystem::path& folder,
                      const std::function<void(const std::filesystem::path& temporary)>& write);

}  // namespace heed::interchange
