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

struct SideFile {
  std::string place;  // for messages
  std::string bytes;
};
// One file for both sides, or source and target; none.
using SideFiles = std::vector<SideFile>;

// The SentencePiece models that the options name, or else source.spm and target.spm.
SideFiles sentencepiece_files(Package& package, const ImportOptions& options);
// Files that an option names, and files of the package.
SideFiles named_files(const std::vector<std::filesystem::path>& paths, const char* flag);
SideFiles read_files(Package& package, const std::vector<std::string>& names);

// Tokenizers whose ids are those of the orders: SentencePiece models, with rows added for pieces that the vocabularies
// lack, or for text that is split at spaces. `shared`: there is one matrix, so the orders are and stay the same. The
// place is that of the vocabulary, for messages.
ImportedVocabularies make_tokenizers(VocabularyOrders orders, bool shared, const SideFiles& pieces,
                                     const std::string& place);

// From the files that the options name, those that the decoder's settings name, or those that a package has under
// their usual names. Throws Error where there are none, or where they do not fit the matrices.
ImportedVocabularies import_vocabularies(Package& package, const ImportOptions& options,
                                         const std::vector<std::string>& named, const VocabularyRows& rows);

}  // namespace heed::interchange
