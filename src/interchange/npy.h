// NumPy's .npy format: a header of Python text with type and shape, then the numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"

namespace heed::interchange {

struct NpyArray {
  std::string type;  // as NumPy spells it: "<f4"
  std::vector<Index> shape;
  std::string_view bytes;  // of the numbers, in C order
};

// The array points into `bytes`. Throws Error, with `name` in its message, for anything else than an array in C order
// whose numbers fill the file.
NpyArray read_npy(std::string_view bytes, const std::string& name);

}  // namespace heed::interchange
