#include "interchange/import.h"
#include "interchange/new_folder.h"
#include "model/files.h"
#include "model/parameters.h"

namespace heed::interchange {

namespace fs = std::filesystem;

void write_imported(const fs::path& folder, ImportedModel& model) {
  write_new_folder(folder, [&](const fs::path& temporary) {
    const fs::path weights = temporary / "model.safetensors";
    const Config& config = model.info.config;
    save_tokenizers(model.tokenizers, temporary);
    write_info(temporary, model.info);
    if (model.shortlist) write_shortlist(temporary, *model.shortlist, tokenizer_facts(model.tokenizers));
    if (model.integers) {
      Int8Weights integers = take_integers(config, model.weights, *model.integers);
      write_int8_weights(weights, config, integers, tokenizer_facts(model.tokenizers));
    } else {
      write_weights(weights, layout_of(config), {{"", model.weights}}, tokenizer_facts(model.tokenizers));
    }
  });
}

}  // namespace heed::interchange
