// The flags that describe a model's shape, shared by every command that creates one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/field_flags.h"
#include "model/config.h"

namespace heed::cli {

class ModelFlags {
 public:
  // Adds the flags to a command, with this preset as the default.
  explicit ModelFlags(CLI::App& command, std::string preset = "base");

  const std::string& preset_name() const { return preset_; }
  // The preset with all flags applied; checked.
  Config config() const;
  // The same with the vocabulary sizes of tokenizers.
  Config config(Index source_vocab, Index target_vocab) const;
  // Another model's config with all flags applied, including a preset; checked.
  Config changed(const Config& from) const;

  Index shared_vocab_size() const { return vocab_size_; }
  Index source_vocab_size() const { return vocabulary(&Config::source_vocab); }
  Index target_vocab_size() const { return vocabulary(&Config::target_vocab); }
  // Whether source and target have separate vocabularies.
  bool separate_vocabularies() const;
  // Makes them separate, and the target embedding and the output one matrix unless --tie says otherwise.
  void separate_by_default() { separate_by_default_ = true; }

 private:
  Config with_flags(Config c) const;
  Index vocabulary(Index Config::*side) const;

  std::string preset_;
  const CLI::Option* preset_flag_;
  Index vocab_size_ = 32000;
  std::string mixer_;
  const CLI::Option* mixer_flag_ = nullptr;
  FieldFlags<Config> fields_;
  bool separate_by_default_ = false;
};

}  // namespace heed::cli
