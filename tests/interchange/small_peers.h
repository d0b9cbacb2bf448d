// Small models in the formats of Hugging Face, PyTorch and CTranslate2, made of a Marian model with random weights,
// whose own formulas say what they compute.
//
// The files are written byte by byte here and share no code with heed's readers and writers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interchange/archive.h"
#include "interchange/small_marian.h"

namespace heed::interchange {

enum class SmallForm { f32, f16, bf16 };
enum class SmallContainer { safetensors, zip, pickles };

// The same model with the numbers that a form keeps.
SmallMarian rounded_to(SmallMarian model, SmallForm form);

// A named tensor with its numbers as they are stored.
struct SmallStored {
  std::string name;
  std::vector<Index> shape;
  SmallForm form = SmallForm::f32;
  std::string bytes;
};
std::string stored_bytes(const std::vector<float>& values, SmallForm form);
std::string make_safetensors(const std::vector<SmallStored>& tensors);
std::string make_pytorch_zip(const std::vector<SmallStored>& tensors);
std::string make_pytorch_pickles(const std::vector<SmallStored>& tensors);
// The pickle of a zip alone.
std::string make_pickle(const std::vector<SmallStored>& tensors);

// The tensors of a MarianMT model, with Marian's positions as a table and a last row for <pad>.
std::vector<SmallStored> hugging_face_tensors(const SmallMarian& model, SmallForm form);
std::string hugging_face_config(const SmallMarian& model);
// vocab.json and a SentencePiece model for "w2", "w3" …
std::string hugging_face_vocabulary(Index size);
std::string small_words_spm(Index size);
// All files of a folder.
std::vector<ArchiveFile> hugging_face_folder(const SmallMarian& model, SmallForm form, SmallContainer container);

enum class SmallNumbers { f32, int8, int16 };
struct SmallCtranslate2 {
  std::uint32_t version = 6;
  SmallNumbers numbers = SmallNumbers::f32;
  bool table = true;       // of positions
  bool source_end = true;  // whether </s> ends the source
};
std::string ctranslate2_model(const SmallMarian& model, const SmallCtranslate2& form);
std::vector<ArchiveFile> ctranslate2_folder(const SmallMarian& model, const SmallCtranslate2& form);

}  // namespace heed::interchange
