// The training state in a checkpoint. An input is the JSON of the progress, NUL, and that of the fingerprint, in an
// otherwise valid file: the model_folder target mutates the rest.
#include "training/checkpoint.h"

#include "fuzz.h"

namespace heed::fuzz {
namespace {

Config config_of_checkpoint() {
  Config config = preset("tiny");
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = config.d_ff = config.heads = 2;
  config.source_vocab = config.target_vocab = 4;
  return config;
}

struct Place {
  Folder folder;
  Config config = config_of_checkpoint();
  CheckpointFolder checkpoints{folder.path(), layout_of(config)};
  std::vector<float> weights = std::vector<float>(static_cast<std::size_t>(count_parameters(config)));
  std::filesystem::path file = folder.path() / "training" / "checkpoint.safetensors";

  Place() { make_folder(file.parent_path()); }
};

Place& place() {
  static Place only;
  return only;
}

}  // namespace

std::vector<std::string> seeds() {
  Place& where = place();
  RunState begun;
  begun.update = 3;
  begun.adam_updates = 2;
  begun.position = {1, 3};
  begun.best = 0.5;
  begun.saves = {1, 2};
  std::vector<std::string> all;
  for (const RunState& state : {RunState{}, begun}) {
    where.checkpoints.save({{"", where.weights}}, state, {{"seed", "1"}, {"tokenizer", "abc"}});
    const Metadata metadata = Safetensors(where.file).metadata();
    all.push_back(metadata.at("progress") + '\0' + metadata.at("fingerprint"));
  }
  // This once looked for the next batch before the first one.
  std::string negative = all[1];
  negative.replace(negative.find("\"batch\":3"), 9, "\"batch\":-3");
  all.push_back(negative);
  return all;
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  Place& where = place();
  std::string_view rest = text_of(data, size);
  const std::string progress = replace_invalid_utf8(next_part(rest));
  const FlatBuffers buffers{{"", where.weights}};
  write_weights(where.file, layout_of(where.config), buffers,
                {{"progress", progress}, {"fingerprint", replace_invalid_utf8(rest)}});
  attempt([&] {
    const RunState state = where.checkpoints.load(buffers);
    require(state.update >= 0 && state.position.batch >= 0 && state.seconds >= 0.0, "a counter is below zero");
  });
  attempt([&] { where.checkpoints.changes({{"seed", "1"}, {"tokenizer", "abc"}}, Changes::allowed); });
  return 0;
}
