// CTranslate2's model.bin: named variables and aliases of them.
//
// Files are not trusted: names, shapes and sizes are checked before anything is handed out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "interchange/stored_tensor.h"

namespace heed::interchange {

struct Ctranslate2File {
  std::uint32_t version = 0;
  std::string spec;  // the kind of model: TransformerSpec
  std::uint32_t revision = 0;
  // Under all of their names; the scales of integers are those of the tensor, not variables of their own.
  StoredTensors variables;
};

// By the version and what follows it.
bool is_ctranslate2_file(std::string_view bytes);
// The variables point into `bytes`. Throws Error, with `name` in its message, for anything else than a valid file.
Ctranslate2File read_ctranslate2_file(std::string_view bytes, const std::string& name);

struct Ctranslate2Variable {
  std::string name;
  std::vector<Index> shape;
  StoredForm form = StoredForm::f32;
  std::string bytes;
};
using Ctranslate2Aliases = std::vector<std::pair<std::string, std::string>>;  // alias, name

// A TransformerSpec of the newest version. Throws Error for a variable of 4 GiB or more, which the format cannot hold.
void write_ctranslate2_file(const std::filesystem::path& file, std::span<const Ctranslate2Variable> variables,
                            const Ctranslate2Aliases& aliases);

}  // namespace heed::interchange
