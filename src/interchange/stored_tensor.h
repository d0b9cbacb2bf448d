// Named tensors of other programs' weight files, as they are stored.
//
// Matrices are (out, in), as in heed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"

namespace heed::interchange {

enum class StoredForm { f32, f16, bf16, int8, int16, int32, int64 };
Index bytes_of(StoredForm form);
const char* name_of(StoredForm form);

struct StoredTensor {
  StoredForm form = StoredForm::f32;
  std::vector<Index> shape;
  std::string_view bytes;               // not aligned
  std::vector<float> scales;            // of integers: a number is integer / scale; one for each row, or one for all
  std::vector<float> reciprocals = {};  // of the scales, if the file has them exactly

  Index size() const;  // in numbers
  // Of a matrix; a vector is one row, and leading dimensions of size 1 do not count.
  Index rows() const;
  Index cols() const { return shape.empty() ? 1 : shape.back(); }

  std::int8_t integer(Index position) const;  // of int8
  std::int64_t whole(Index position) const;   // of any form of integers
  float number(Index position) const;
};

bool same_numbers(const StoredTensor& a, const StoredTensor& b);

using StoredTensors = std::map<std::string, StoredTensor>;

// Checks that the bytes are those of the shape, without overflow. Throws Error that begins with `place`.
void check_size(const StoredTensor& tensor, const std::string& place);

}  // namespace heed::interchange
