// The flags that describe a model, shared by every command that makes one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "model/config.h"

namespace heed::cli {

class ModelFlags {
 public:
  // Adds the flags to a command.
  explicit ModelFlags(CLI::App& command);

  // The preset with everything that was set on the command line; checked.
  Config config() const;

 private:
  std::string preset_ = "base";
  Index vocab_size_ = 32000;
  std::optional<Index> source_vocab_, target_vocab_;
  std::optional<Index> encoder_layers_, decoder_layers_, d_model_, d_ff_, heads_, d_k_, d_v_, max_positions_;
  std::optional<float> dropout_, label_smoothing_;
  std::optional<std::string> positions_, norm_, tie_, activation_, start_;
  bool attention_bias_ = false;
  bool output_bias_ = false;
};

}  // namespace heed::cli
