// CTranslate2's folders: model.bin, config.json and vocabularies, and packages of Argos, which add a SentencePiece
// model and metadata.json.
#pragma once

#include "interchange/import.h"
#include "interchange/package.h"

namespace heed::interchange {

bool is_ctranslate2(Package& package);
ImportedModel import_ctranslate2(Package& package, const ImportOptions& options);

// Where a tensor of heed's stands in model.bin.
struct Ctranslate2Place {
  std::string name;
  // Queries, keys and values of one input are stacked.
  Index part = 0;
  Index parts = 1;
};
Ctranslate2Place ctranslate2_place(const std::string& tensor);

}  // namespace heed::interchange
