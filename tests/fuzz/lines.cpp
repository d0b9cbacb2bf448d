// Text files, plain or compressed, and the handling of lines that are not UTF-8.
#include "data/lines.h"

#include <zlib.h>
#include <zstd.h>

#include "fuzz.h"

namespace heed::fuzz {
namespace {

constexpr std::size_t enough = std::size_t{4} << 20;  // the most that is read of a small file

const Folder& folder() {
  static const Folder only;
  return only;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_header = 16;
  require(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + gzip_header, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd_packed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  const std::string text = "one\r\ntwo\0 \n\n\xe2\x80\xa8\xff\xed\xa0\x80\nlast"s;
  return {text,
          gzipped(text),
          gzipped(text) + gzipped(text),
          gzipped(std::string(100000, 'a')),
          zstd_packed(text),
          zstd_packed(text) + zstd_packed(std::string(100000, 'a'))};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  attempt([&] {
    LineReader reader(folder().write("input", text_of(data, size)));
    Index count = 0;
    std::size_t total = 0;
    for (std::string line; total < enough && reader.next(line);) {
      require(reader.line_number() == ++count, "a line is counted twice or not at all");
      require(line.find('\n') == std::string::npos, "a line does not end where it should");
      const std::string valid = replace_invalid_utf8(line);
      require(!find_invalid_utf8(valid) && valid.size() >= line.size(), "not every byte was replaced");
      require(count_characters(valid) <= valid.size(), "there are more characters than bytes");
      for (std::size_t at = 0; at < valid.size();)
        require(next_character(valid, at) <= 0x10ffff, "a character is out of range");
      is_blank(valid);
      total += line.size() + 1;
    }
  });
  return 0;
}
