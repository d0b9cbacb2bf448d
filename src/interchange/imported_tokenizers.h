// The vocabularies of an imported model, in heed's order and as heed's tokenizers.
#pragma once

#include <string>
#include <vector>

#include "interchange/import.h"
#include "interchange/marian_model.h"
#include "interchange/package.h"

namespace heed::interchange {

struct ImportedVocabularies {
  VocabularyOrders orders;
  TokenizerPair tokenizers;
  std::vector<std::string> notes;
};

// From the files that the options name, those that the decoder's settings name, or those that a package has under
// their usual names. Throws Error where there are none, or where they do not fit the matrices.
ImportedVocabularies import_vocabularies(Package& package, const ImportOptions& options,
                                         const std::vector<std::string>& named, const VocabularyRows& rows);

}  // namespace heed::interchange
