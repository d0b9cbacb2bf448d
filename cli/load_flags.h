// The flags that select trained models and how to load them.
#pragma once

#include <CLI/CLI.hpp>

#include "heed/translator.h"

namespace heed::cli {

// --type f32|int8
void add_type_flag(CLI::App& command, NumberType& type, const char* help);

struct LoadFlags {
  explicit LoadFlags(CLI::App& command);

  Translator load() const;

  std::vector<std::string> folders;
  ModelOptions options;
};

}  // namespace heed::cli
