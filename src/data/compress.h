// Text in the form that its file's name asks for: .gz, .zst or plain.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace heed {

class Compressor {
 public:
  virtual ~Compressor() = default;

  // Appends to `out` what can be written so far.
  virtual void add(std::string_view text, std::string& out) = 0;
  // Appends the rest; nothing may be added after that.
  virtual void finish(std::string& out) = 0;
};

// By the name's ending; null for a plain file.
std::unique_ptr<Compressor> compressor_for(const std::filesystem::path& path);

}  // namespace heed
