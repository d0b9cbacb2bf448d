#include "data/compress.h"

#include <zlib.h>
#include <zstd.h>

#include <limits>

#include "heed/error.h"

namespace heed {
namespace {

constexpr std::size_t output_step = std::size_t{1} << 16;
// The most that zlib takes per call.
constexpr std::size_t most_input = std::numeric_limits<uInt>::max();

[[noreturn]] void failed(const char* format) {
  throw Error(std::string("compressing to ") + format + " failed: out of memory; write an uncompressed file");
}

class GzipCompressor : public Compressor {
 public:
  GzipCompressor() {
    constexpr int gzip_header = 16;
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_header, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      failed("gzip");
    }
  }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;
  ~GzipCompressor() override { deflateEnd(&stream_); }

  void add(std::string_view text, std::string& out) override {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), most_input))) {
      run(text.substr(0, most_input), Z_NO_FLUSH, out);
    }
  }
  void finish(std::string& out) override { run({}, Z_FINISH, out); }

 private:
  void run(std::string_view text, int flush, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    int state = Z_OK;
    do {
      const std::size_t before = out.size();
      out.resize(before + output_step);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = output_step;
      state = deflate(&stream_, flush);
      out.resize(before + output_step - stream_.avail_out);
      if (state == Z_STREAM_ERROR) failed("gzip");
    } while (stream_.avail_in > 0 || (flush == Z_FINISH && state != Z_STREAM_END));
  }

  z_stream stream_{};
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor() : stream_(ZSTD_createCStream()) {
    if (stream_ == nullptr) failed("zstd");
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;
  ~ZstdCompressor() override { ZSTD_freeCStream(stream_); }

  void add(std::string_view text, std::string& out) override { run(text, ZSTD_e_continue, out); }
  void finish(std::string& out) override { run({}, ZSTD_e_end, out); }

 private:
  void run(std::string_view text, ZSTD_EndDirective directive, std::string& out) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::size_t left = 0;
    do {
      const std::size_t before = out.size();
      out.resize(before + output_step);
      ZSTD_outBuffer to{out.data() + before, output_step, 0};
      left = ZSTD_compressStream2(stream_, &to, &in, directive);
      out.resize(before + to.pos);
      if (ZSTD_isError(left) != 0) failed("zstd");
    } while (in.pos < in.size || (directive == ZSTD_e_end && left > 0));
  }

  ZSTD_CCtx* stream_;
};

}  // namespace

std::unique_ptr<Compressor> compressor_for(const std::filesystem::path& path) {
  if (path.extension() == ".gz") return std::make_unique<GzipCompressor>();
  if (path.extension() == ".zst") return std::make_unique<ZstdCompressor>();
  return nullptr;
}

}  // namespace heed
