// Marian's model files: .bin files, and what an .npz file holds.
#include "fuzz.h"
#include "interchange/marian_model.h"
#include "interchange/small_marian.h"
#include "model/parameters.h"

namespace heed::fuzz {
namespace {

// An .npz file has checksums, which hardly an alteration would pass; so its files are written one after another, each
// with its name and size in a line.
constexpr std::string_view listed = "files\n";

std::string unpacked(const std::string& npz) {
  std::string text(listed);
  for (const interchange::ArchiveFile& file : interchange::read_archive(npz, "seed")) {
    text += file.name + ' ' + std::to_string(file.bytes.size()) + '\n' + file.bytes;
  }
  return text;
}

std::vector<interchange::ArchiveFile> packed(std::string_view text) {
  std::vector<interchange::ArchiveFile> files;
  for (text.remove_prefix(listed.size()); !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t space = std::min(line.rfind(' '), line.size());
    const std::size_t size =
        std::min<std::size_t>(std::strtoul(std::string(line.substr(space)).c_str(), nullptr, 10), text.size());
    const std::string name(line.substr(0, space));
    if (find_invalid_utf8(name)) break;
    files.push_back({name, std::string(text.substr(0, size))});
    text.remove_prefix(size);
  }
  return files;
}

interchange::TokenOrder plain_order(Index rows) {
  interchange::TokenOrder order;
  for (Index row = 0; row < rows; ++row) order.rows.push_back({"token", row});
  return order;
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace interchange;
  const SmallShape smallest{.encoder_layers = 1, .decoder_layers = 1, .d_model = 4, .heads = 1, .d_ff = 3};
  SmallShape ssru = smallest, before = smallest, untied = smallest;
  ssru.ssru = true;
  ssru.tied_layers = {1, 1};
  ssru.decoder_layers = 2;
  before.norm_before = before.top_norm = before.embedding_norm = before.learned_positions = true;
  untied.tie = SmallTie::none;
  untied.old_output = true;
  untied.source_vocab = 7;
  SmallShape nested = smallest;
  nested.more_options = "deep: " + std::string(2000, '[');
  return {unpacked(SmallMarian(ssru).npz()), unpacked(SmallMarian(before).npz()), SmallMarian(untied).bin(false),
          SmallMarian(ssru).bin(true),       SmallMarian(smallest).bin(true),     SmallMarian(nested).bin(false)};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  const std::string_view input = text_of(data, size);
  attempt([&] {
    const MarianFile file =
        input.starts_with(listed) ? read_marian_npz(packed(input), "input") : read_marian_bin(input, "input");
    Config config = marian_config(file);
    const VocabularyRows rows = vocabulary_rows(file);
    const VocabularyOrders orders{plain_order(rows.source), plain_order(rows.target)};
    config.source_vocab = rows.source;
    config.target_vocab = rows.target;
    const MarianWeights weights = marian_weights(file, config, orders);
    require(static_cast<Index>(weights.values.size()) == count_parameters(config), "weights are missing");
    marian_version(file);
  });
  return 0;
}
