// Archives of models, and arrays in them.
#include "interchange/archive.h"

#include "fuzz.h"
#include "interchange/make_archive.h"
#include "interchange/npy.h"
#include "interchange/small_marian.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  using namespace interchange;
  const std::string array = make_npy("<f4", {2, 1}, "12345678");
  const std::vector<ArchiveFile> files{{"a", "one"}, {"b/c", std::string(300, 'b')}, {"d.npy", array}};
  return {make_archive(files, Packing::stored_zip), make_archive(files, Packing::zip),
          make_archive(files, Packing::tar),        make_archive(files, Packing::tar_gz),
          make_archive(files, Packing::gz),         array};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  const std::string_view input = text_of(data, size);
  if (is_gzip(input)) attempt([&] { unzip_file(input, "input"); });
  attempt([&] {
    for (const ArchiveFile& file : read_archive(input, "input")) {
      require(!find_invalid_utf8(file.name) && !file.name.empty(), "a name is not UTF-8");
      require(!file.name.starts_with("../") && file.name.find("/../") == std::string::npos, "a name leads out");
    }
  });
  attempt([&] {
    const NpyArray array = read_npy(input, "input");
    require(array.bytes.data() + array.bytes.size() == input.data() + input.size(), "numbers are left over");
  });
  return 0;
}
