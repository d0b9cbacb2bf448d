#include "data/lines.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_per_read = std::size_t{1} << 18;
// A small compressed file may expand to a line that fills the memory.
constexpr std::size_t largest_line = std::size_t{64} << 20;

// The bytes of a file as stored on disk.
class RawFile {
 public:
  explicit RawFile(const fs::path& path) : path_(path), file_(std::fopen(path.c_str(), "rbe")) {
    std::error_code error;
    if (file_ != nullptr && fs::is_directory(path, error)) {
      std::fclose(std::exchange(file_, nullptr));
      errno = EISDIR;
    }
    if (file_ == nullptr) fail();
    const std::uintmax_t size = fs::file_size(path, error);
    size_ = error ? 0 : size;
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile() {
    if (file_ != nullptr) std::fclose(file_);
  }

  std::size_t read(char* to, std::size_t count) {
    const std::size_t first = std::min(count, first_.size());
    first_.copy(to, first);
    first_.erase(0, first);
    const std::size_t got = first + std::fread(to + first, 1, count - first, file_);
    if (got < count && std::ferror(file_) != 0) fail();
    read_ += got;
    return got;
  }
  // Peeks at the beginning; read() still returns these bytes, since a pipe cannot be rewound.
  const std::string& first_bytes(std::size_t count) {
    first_.resize(count);
    first_.resize(std::fread(first_.data(), 1, count, file_));
    return first_;
  }
  double share_read() const { return size_ == 0 ? 1.0 : static_cast<double>(read_) / static_cast<double>(size_); }
  const fs::path& path() const { return path_; }

 private:
  [[noreturn]] void fail() const {
    const int reason = errno;
    throw Error(fmt::format("'{}': cannot read ({}); check the name and the permissions", path_.string(),
                            std::strerror(reason)));
  }

  fs::path path_;
  std::FILE* file_;
  std::string first_;
  std::uintmax_t size_ = 0;
  std::uintmax_t read_ = 0;
};

[[noreturn]] void damaged(const fs::path& path, const char* format, const char* what) {
  throw Error(fmt::format("'{}': the {} data {}; download or compress the file again", path.string(), format, what));
}

}  // namespace

class LineReader::Source {
 public:
  explicit Source(std::unique_ptr<RawFile> file) : file_(std::move(file)) {}
  virtual ~Source() = default;
  // Appends some bytes; false at the end.
  virtual bool append_to(std::string& buffer) = 0;
  double share_read() const { return file_->share_read(); }

 protected:
  RawFile& file() { return *file_; }

 private:
  std::unique_ptr<RawFile> file_;
};

namespace {

class PlainSource : public LineReader::Source {
 public:
  using Source::Source;

  bool append_to(std::string& buffer) override {
    const std::size_t before = buffer.size();
    buffer.resize(before + bytes_per_read);
    const std::size_t got = file().read(buffer.data() + before, bytes_per_read);
    buffer.resize(before + got);
    return got > 0;
  }
};

// Concatenated members form one text, as in gzip itself; zeros between and after them are padding.
class GzipSource : public LineReader::Source {
 public:
  explicit GzipSource(std::unique_ptr<RawFile> raw) : Source(std::move(raw)), input_(bytes_per_read, '\0') {
    constexpr int gzip_header = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_header) != Z_OK) damaged(file().path(), "gzip", "cannot be opened");
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  bool append_to(std::string& buffer) override {
    for (;;) {
      if (stream_.avail_in == 0) {
        stream_.avail_in = static_cast<uInt>(file().read(input_.data(), input_.size()));
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      }
      if (stream_.avail_in == 0) {
        if (!between_members_) damaged(file().path(), "gzip", "ends too early");
        return false;
      }
      if (between_members_ && *stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
        continue;
      }
      if (std::exchange(between_members_, false)) inflateReset(&stream_);
      const std::size_t before = buffer.size();
      buffer.resize(before + bytes_per_read);
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data() + before);
      stream_.avail_out = bytes_per_read;
      const int state = inflate(&stream_, Z_NO_FLUSH);
      buffer.resize(before + bytes_per_read - stream_.avail_out);
      if (state == Z_STREAM_END) {
        between_members_ = true;
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        damaged(file().path(), "gzip", "is damaged");
      }
      if (buffer.size() > before) return true;
    }
  }

 private:
  z_stream stream_{};
  std::string input_;
  bool between_members_ = true;
};

class ZstdSource : public LineReader::Source {
 public:
  explicit ZstdSource(std::unique_ptr<RawFile> raw)
      : Source(std::move(raw)), stream_(ZSTD_createDStream()), input_(bytes_per_read, '\0') {
    if (stream_ == nullptr) damaged(file().path(), "zstd", "cannot be opened");
  }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  bool append_to(std::string& buffer) override {
    for (;;) {
      if (in_.pos == in_.size) in_ = {input_.data(), file().read(input_.data(), input_.size()), 0};
      if (in_.size == 0) {
        if (left_in_frame_ != 0) damaged(file().path(), "zstd", "ends too early");
        return false;
      }
      const std::size_t before = buffer.size();
      buffer.resize(before + bytes_per_read);
      ZSTD_outBuffer out{buffer.data() + before, bytes_per_read, 0};
      left_in_frame_ = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(left_in_frame_) != 0) damaged(file().path(), "zstd", "is damaged");
      buffer.resize(before + out.pos);
      if (out.pos > 0) return true;
    }
  }

 private:
  ZSTD_DStream* stream_;
  std::string input_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t left_in_frame_ = 0;
};

std::unique_ptr<LineReader::Source> open_source(const fs::path& path) {
  auto file = std::make_unique<RawFile>(path);
  const std::string first = file->first_bytes(4);
  if (first.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(std::move(file));
  // Multi-threaded compressors write a skippable frame first.
  const bool skippable = first.size() == 4 && (first[0] & 0xf0) == 0x50 && first.ends_with("\x2a\x4d\x18");
  if (first == "\x28\xb5\x2f\xfd" || skippable) return std::make_unique<ZstdSource>(std::move(file));
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace

fs::path uncompressed_name(const fs::path& path) {
  const bool packed = path.extension() == ".gz" || path.extension() == ".zst";
  return packed ? path.stem() : path.filename();
}

LineReader::LineReader(const fs::path& path) : path_(path), source_(open_source(path)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

bool LineReader::refill() {
  buffer_.erase(0, std::exchange(position_, 0));
  return source_->append_to(buffer_);
}

bool LineReader::next(std::string& line) {
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, position_, end - position_);
      position_ = end + 1;
      break;
    }
    searched = buffer_.size() - position_;
    if (searched > largest_line) {
      throw Error(fmt::format("'{}': line {} has more than {} MiB; check that this is a text file", path_.string(),
                              line_number_ + 1, largest_line >> 20));
    }
    if (refill()) continue;
    if (buffer_.empty()) return false;
    line = std::exchange(buffer_, {});
    break;
  }
  ++line_number_;
  return true;
}

double LineReader::share_read() const { return source_->share_read(); }

}  // namespace heed
