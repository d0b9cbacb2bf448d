// The flags that describe a model, shared by every command that makes one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "model/config.h"

namespace heed::cli {

class ModelFlags {
 public:
  // Adds the flags to a command, which starts from this preset unless told otherwise.
  explicit ModelFlags(CLI::App& command, std::string preset = "base");

  const std::string& preset_name() const { return preset_; }
  // The preset with everything that was set on the command line; checked.
  Config config() const;
  // The same with the vocabularies that tokenizers have.
  Config config(Index source_vocab, Index target_vocab) const;
  // Another model's config with everything that was set on the command line, a preset included; checked.
  Config changed(const Config& from) const;

  Index shared_vocab_size() const { return vocab_size_; }
  Index source_vocab_size() const { return source_vocab_.value_or(vocab_size_); }
  Index target_vocab_size() const { return target_vocab_.value_or(vocab_size_); }
  // Whether each language asks for a vocabulary of its own.
  bool separate_vocabularies() const { return source_vocab_ || target_vocab_; }

 private:
  Config with_flags(Config c) const;

  std::string preset_;
  const CLI::Option* preset_flag_;
  Index vocab_size_ = 32000;
  std::optional<Index> source_vocab_, target_vocab_;
  std::optional<Index> encoder_layers_, decoder_layers_, d_model_, d_ff_, heads_, d_k_, d_v_, max_positions_;
  std::optional<float> dropout_, label_smoothing_;
  std::optional<std::string> positions_, norm_, tie_, activation_, start_;
  bool attention_bias_ = false;
  bool output_bias_ = false;
};

}  // namespace heed::cli
