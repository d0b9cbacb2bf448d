#include "cli/text_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "heed/error.h"

namespace heed::cli {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 16;

}  // namespace

TextOutput::TextOutput(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (path.empty()) {
    stream_ = stdout;
  } else if (type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found) {
    file_.emplace(path);
  } else {
    stream_ = std::fopen(path.c_str(), "we");
    if (stream_ == nullptr) {
      throw Error(fmt::format("'{}': cannot write ({}); give another name", path.string(), std::strerror(errno)));
    }
  }
}

TextOutput::~TextOutput() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

void TextOutput::write(std::string_view text) {
  if (file_) {
    pending_ += text;
    if (pending_.size() < block_size) return;
    file_->write(pending_);
    pending_.clear();
    return;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stream_) == text.size() && std::fflush(stream_) == 0;
  if (written) return;
  if (stream_ == stdout) throw std::system_error(errno, std::generic_category());
  throw Error(
      fmt::format("'{}': cannot write ({}); make room or give another name", path_.string(), std::strerror(errno)));
}

void TextOutput::finish() {
  if (!file_) return;
  file_->write(pending_);
  file_->commit();
}

}  // namespace heed::cli
