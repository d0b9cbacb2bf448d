// CTranslate2's model.bin, up to the config and the weights that heed makes of it.
#include "interchange/ctranslate2.h"

#include "fuzz.h"
#include "interchange/small_peers.h"
#include "model/parameters.h"

namespace heed::fuzz {
namespace {

// Beside every model.bin.
const std::vector<interchange::ArchiveFile>& folder_files() {
  static const std::vector<interchange::ArchiveFile> files = interchange::ctranslate2_folder(
      interchange::SmallMarian({.encoder_layers = 1, .decoder_layers = 1, .d_model = 4, .heads = 1, .d_ff = 3}), {});
  return files;
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace interchange;
  const SmallShape shape{.encoder_layers = 1, .decoder_layers = 1, .d_model = 4, .heads = 1, .d_ff = 3};
  std::vector<std::string> all;
  for (const std::uint32_t version : {2u, 3u, 4u, 5u, 6u}) {
    all.push_back(ctranslate2_model(SmallMarian(shape), {.version = version}));
    all.push_back(ctranslate2_model(SmallMarian(shape), {.version = version, .numbers = SmallNumbers::int8}));
    all.push_back(ctranslate2_model(SmallMarian(shape), {.version = version, .numbers = SmallNumbers::int16}));
  }
  SmallShape before = shape;
  before.norm_before = before.top_norm = true;
  before.tie = SmallTie::none;
  all.push_back(ctranslate2_model(SmallMarian(before), {.table = false}));
  return all;
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  static const Folder folder;
  static const bool written = [] {
    for (const ArchiveFile& file : folder_files()) folder.write(file.name, file.bytes);
    return true;
  }();
  require(written, "no folder");
  folder.write("model.bin", text_of(data, size));
  attempt([&] {
    Package package(folder.path());
    const ImportedModel model = import_ctranslate2(package, {});
    require(static_cast<Index>(model.weights.size()) == count_parameters(model.info.config), "weights are missing");
  });
  return 0;
}
