// Writes a small model folder with random weights for tests of the program.
// Usage: make_model FOLDER [SEED [WORD [PRESET]]]: SEED selects other weights, WORD is added to the vocabulary, PRESET
// gives the whole shape instead of one small layer
#include "base/files.h"
#include "kernels/isa.h"
#include "model/files.h"
#include "model/model_info.h"
#include "model/transformer.h"
#include "text/tokenizer_files.h"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) return 2;
  heed::kernels::choose_isa();
  std::vector<std::string> text{"a b c d e f g h . ! ?"};
  if (argc > 3) text[0] += std::string(" ") + argv[3];
  const auto tokenizer = heed::train_tokenizer({.kind = heed::TokenizerKind::space, .vocab_size = 100}, text);
  heed::Config config = heed::preset(argc > 4 ? argv[4] : "tiny");
  if (argc <= 4) {
    config.d_model = 16;
    config.d_ff = 32;
    config.encoder_layers = config.decoder_layers = 1;
  }
  config.source_vocab = config.target_vocab = tokenizer->size();
  heed::Transformer model(config, heed::Purpose::inference);
  heed::initialise(heed::layout_of(config), argc > 2 ? std::stoul(argv[2]) : 1, model.values().data());
  heed::make_folder(argv[1]);
  heed::write_info(argv[1], {config, "xx", "yy"});
  heed::save_tokenizers({tokenizer, tokenizer}, argv[1]);
  heed::write_weights(std::filesystem::path(argv[1]) / "model.safetensors", heed::layout_of(config),
                      {{"", model.values()}}, heed::tokenizer_facts({tokenizer, tokenizer}));
  return 0;
}
