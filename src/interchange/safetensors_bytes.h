// Safetensors files of other programs, which also hold half-precision numbers.
#pragma once

#include "interchange/stored_tensor.h"

namespace heed::interchange {

// By the length of its header and the bracket that begins it.
bool is_safetensors(std::string_view bytes);

// The tensors point into `bytes`. Throws Error, with `name` in its message, for anything else than a valid file.
StoredTensors read_safetensors(std::string_view bytes, const std::string& name);

}  // namespace heed::interchange
