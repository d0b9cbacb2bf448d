// Weight files of PyTorch (pytorch_model.bin): a zip with a pickle and the numbers, or, before version 1.6, pickles one
// after the other.
#pragma once

#include "interchange/archive.h"
#include "interchange/stored_tensor.h"

namespace heed::interchange {

struct PytorchFile {
  StoredTensors tensors;
  std::vector<ArchiveFile> unpacked;  // what the tensors of a zip point into
};

// By the first bytes: of the name of the first file in a zip, or of the first pickle.
bool is_pytorch_zip(std::string_view bytes);
bool is_pytorch_pickle(std::string_view bytes);

// A dictionary of tensors. Throws Error, with `name` in its message, for anything else. Tensors of the older form point
// into `bytes`.
PytorchFile read_pytorch(std::string_view bytes, const std::string& name);

}  // namespace heed::interchange
