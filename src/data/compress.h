// Compresses text according to the file name: .gz, .zst or plain.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace heed {

class Compressor {
 public:
  virtual ~Compressor() = default;

  // Appends the compressed bytes available so far to `out`.
  virtual void add(std::string_view text, std::string& out) = 0;
  // Appends the rest; no more text may be added.
  virtual void finish(std::string& out) = 0;
};

// By the file extension; null for a plain file.
std::unique_ptr<Compressor> compressor_for(const std::filesystem::path& path);

}  // namespace heed
