// The flags that name trained models and say how they are used.
#pragma once

#include <CLI/CLI.hpp>

#include "heed/translator.h"

namespace heed::cli {

struct ModelFlagsForUse {
  explicit ModelFlagsForUse(CLI::App& command);

  Translator load() const;

  std::vector<std::string> folders;
  ModelOptions options;
};

}  // namespace heed::cli
