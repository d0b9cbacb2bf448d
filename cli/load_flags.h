// The flags that select trained models and how to load them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/index.h"
#include "heed/options.h"

namespace heed::cli {

// --type f32|int8
void add_type_flag(CLI::App& command, NumberType& type, const char* help);

struct LoadFlags {
  explicit LoadFlags(CLI::App& command);

  // A Translator or a Parser.
  template <class Model>
  Model load() const {
    const std::vector<std::filesystem::path> paths(folders.begin(), folders.end());
    Model model(paths, options);
    if (options.verify) tell(model.notes());
    return model;
  }

  // Lines to read at a time, after a first single batch for low latency: several batches, so that finished sentences
  // are replaced at once.
  Index lines_at_a_time() const { return Index{16} * options.batch; }

  std::vector<std::string> folders;
  ModelOptions options;

 private:
  static void tell(const std::vector<std::string>& notes);
};

}  // namespace heed::cli
