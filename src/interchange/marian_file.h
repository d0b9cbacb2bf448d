// Marian's model files as they are: named tensors and the text of special:model.yml, from an .npz or a .bin file.
//
// Files are not trusted: names, shapes and sizes are checked before anything is handed out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"
#include "interchange/archive.h"

namespace heed::interchange {

// intgemm8: 8-bit integers with one multiplier for the whole tensor.
enum class MarianType { f32, intgemm8 };

struct MarianTensor {
  MarianType type = MarianType::f32;
  Index rows = 0;
  Index cols = 0;
  std::string_view bytes;  // not aligned
  float multiplier = 1.0f;
  // Whether the bytes are those of the transposed matrix, as intgemm8 keeps all but embeddings.
  bool transposed = false;

  // The position of an element in the bytes, in numbers.
  Index at(Index row, Index col) const { return transposed ? col * rows + row : row * cols + col; }
  std::int8_t integer(Index position) const;
  float number(Index position) const;
};

struct MarianFile {
  std::string name;
  std::string options;  // the text of special:model.yml
  std::map<std::string, MarianTensor> tensors;
  std::vector<ArchiveFile> unpacked;  // what the tensors of an .npz file point into

  const MarianTensor* find(const std::string& tensor) const;
};

// Whether the files of a zip are those of a Marian model.
bool is_marian_npz(const std::vector<ArchiveFile>& files);
MarianFile read_marian_npz(std::vector<ArchiveFile> files, const std::string& name);

// By the first bytes.
bool is_marian_bin(std::string_view bytes);
// The tensors point into `bytes`.
MarianFile read_marian_bin(std::string_view bytes, const std::string& name);

}  // namespace heed::interchange
