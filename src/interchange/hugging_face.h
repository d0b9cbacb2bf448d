// MarianMT models in Hugging Face's folders: config.json, model.safetensors or pytorch_model.bin, vocab.json,
// source.spm and target.spm.
#pragma once

#include "interchange/import.h"
#include "interchange/json_settings.h"
#include "interchange/package.h"
#include "interchange/stored_tensor.h"

namespace heed::interchange {

// By config.json and the weights beside it.
bool is_hugging_face(Package& package);
ImportedModel import_hugging_face(Package& package, const ImportOptions& options);

// The settings of a folder.
struct HuggingFaceSettings {
  JsonSettings config;      // config.json
  JsonSettings generation;  // generation_config.json; older folders have its keys in config.json
  JsonSettings tokenizer;   // tokenizer_config.json

  // Where a setting of the search stands.
  const JsonSettings& search(const char* key) const { return generation.has(key) ? generation : config; }
};

// Everything but vocabularies, biases and positions, which follow from the tensors. What heed cannot represent is
// refused with an Error that names the setting.
Config hugging_face_config(const JsonSettings& settings);
// Beam and length penalty; settings of the search that heed lacks are told in the notes.
void set_hugging_face_search(const HuggingFaceSettings& settings, ImportedModel& model);

// The tensor's name in a folder of Hugging Face.
std::string hugging_face_name(const std::string& tensor);

}  // namespace heed::interchange
