// A model folder: config.json and weights in f32 or 8 bits, from loading to a first translation.
//
// An input is a byte of flags, config.json, NUL, and the weights: a whole file, or the header's text, NUL and the
// tensors, so that a header that has grown or shrunk still has the right length before it.
#include "decoding/model_folder.h"

#include <cstring>

#include "decoding/search.h"
#include "decoding/steps_of.h"
#include "fuzz.h"
#include "kernels/isa.h"

namespace heed::fuzz {
namespace {

enum Flags : unsigned char { verify = 1, as_int8 = 2, whole_file = 4 };

const std::vector<std::string> lines{"a b c d"};

// One for the whole process: a thread pool and an arena take longer than a load.
struct Place {
  Folder folder;
  ThreadPool threads{1};
  Arena arena{std::size_t{256} << 20};
  int vocabulary;

  Place() {
    kernels::choose_isa();
    const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 7}, lines);
    vocabulary = tokenizer->size();
    save_tokenizers({tokenizer, tokenizer}, folder.path());
  }
};

Place& place() {
  static Place only;
  return only;
}

std::string with_length(std::string header) {
  header.append((64 - (8 + header.size()) % 64) % 64, ' ');
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header;
}

void translate(const ModelFolder& loaded, const Workspace& workspace) {
  BatchBuilder builder;
  builder.add(std::vector{3, 4, 2}, {});
  const StepsOf models{loaded.model.get()};
  search(models, builder.batch().source, {.beam = 2, .max_length = 3}, 1, workspace);
}

Config small_config() {
  Config config = preset("tiny");
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = 16;
  config.d_ff = 6;
  config.heads = 2;
  config.source_vocab = config.target_vocab = place().vocabulary;
  return config;
}

// Every possible tensor.
Config full_config() {
  Config config = small_config();
  config.tie = Tie::none;
  config.positions = Positions::learned;
  config.max_positions = 6;
  config.norm = Norm::before;
  config.attention_bias = config.output_bias = true;
  return config;
}

std::string input_of(const Config& config, bool int8, unsigned char flags) {
  const Folder& folder = place().folder;
  const std::filesystem::path file = folder.path() / "model.safetensors";
  std::vector<float> values(static_cast<std::size_t>(count_parameters(config)));
  initialise(layout_of(config), 1, values.data());
  write_info(folder.path(), {config, "xx", "yy", 40});
  if (int8) {
    Int8Weights weights = quantize(config, values);
    write_int8_weights(file, config, weights, {});
  } else {
    write_weights(file, layout_of(config), {{"", values}}, {});
  }
  std::string input(1, static_cast<char>(flags));
  input += read_file(folder.path() / "config.json") + '\0';
  const std::string bytes = read_file(file);
  if ((flags & whole_file) != 0) return input + bytes;
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string header = bytes.substr(8, length);
  return input + header.substr(0, header.find_last_not_of(' ') + 1) + '\0' + bytes.substr(8 + length);
}

}  // namespace

std::vector<std::string> seeds() {
  return {input_of(small_config(), false, 0),
          input_of(small_config(), false, as_int8),
          input_of(small_config(), false, whole_file | verify),
          input_of(small_config(), true, 0),
          input_of(small_config(), true, whole_file | verify),
          input_of(full_config(), false, 0),
          input_of(full_config(), true, 0)};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  if (size == 0) return 0;
  Place& where = place();
  const unsigned char flags = data[0];
  std::string_view rest = text_of(data, size).substr(1);
  where.folder.write("config.json", next_part(rest));
  if ((flags & whole_file) != 0) {
    where.folder.write("model.safetensors", rest);
  } else {
    const std::string header(next_part(rest));
    where.folder.write("model.safetensors", with_length(header) + std::string(rest));
  }
  attempt([&] {
    const Workspace workspace{where.threads, where.arena};
    const Arena::Scope scope(where.arena);
    const ModelOptions options{.type = (flags & as_int8) != 0 ? NumberType::int8 : NumberType::stored,
                               .verify = (flags & verify) != 0};
    translate(load_model_folder(where.folder.path(), options, workspace), workspace);
  });
  return 0;
}
