// Output of lines to an OutputFile, compressed if its name ends in .gz or .zst.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "data/compress.h"

namespace heed::cli {

class TextOutput {
 public:
  // An empty path is standard output. Throws Error if it cannot be written.
  explicit TextOutput(const std::filesystem::path& path) : file_(path), compressor_(compressor_for(path)) {}

  void write(std::string_view text) {
    if (compressor_ == nullptr) return file_.write(text);
    compressor_->add(text, compressed_);
    write_compressed();
  }
  // Moves the complete file to its place.
  void finish() {
    if (compressor_ != nullptr) {
      compressor_->finish(compressed_);
      write_compressed();
    }
    file_.finish();
  }

 private:
  void write_compressed() {
    file_.write(compressed_);
    compressed_.clear();
  }

  OutputFile file_;
  std::unique_ptr<Compressor> compressor_;
  std::string compressed_;
};

}  // namespace heed::cli
