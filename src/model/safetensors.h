// The safetensors file format: a JSON header that names tensors, then their bytes.
//
// A reader maps the file and checks every name, shape, size and offset before it hands anything out.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/index.h"

namespace heed {

using Metadata = std::map<std::string, std::string>;

struct NamedTensor {
  std::string name;
  std::vector<Index> shape;
  std::span<const float> values;
};

// Writes by temporary file and rename; a checksum over metadata and values joins the metadata.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors, Metadata metadata);

class Safetensors {
 public:
  // Throws Error for anything that is not a sound file of f32 tensors.
  explicit Safetensors(const std::filesystem::path& path);

  const Metadata& metadata() const { return metadata_; }
  // Null if there is none of that name.
  const NamedTensor* find(const std::string& name) const;
  // Throws Error when the bytes are not those that were written.
  void verify() const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void read_header();

  std::filesystem::path path_;
  MappedFile file_;
  Metadata metadata_;
  std::vector<NamedTensor> tensors_;  // in the order of their bytes
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace heed
