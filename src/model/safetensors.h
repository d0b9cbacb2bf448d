// The safetensors file format: a JSON header that names tensors, then their bytes.
//
// A reader maps the file and checks every name, shape, size and offset before it hands anything out.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/index.h"

namespace heed {

using Metadata = std::map<std::string, std::string>;

enum class StoredType { f32, int8, int32 };

struct NamedTensor {
  std::string name;
  std::vector<Index> shape;
  StoredType type = StoredType::f32;
  std::span<const std::byte> bytes;  // aligned to the size of a number

  // The elements; T must match `type`.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// Writes through a temporary file and rename, and adds a checksum over metadata and values to the metadata.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors, Metadata metadata);

class Safetensors {
 public:
  // Throws Error for anything that is not a valid file of tensors of these types.
  explicit Safetensors(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  const std::vector<NamedTensor>& tensors() const { return tensors_; }
  // Null if there is none of that name.
  const NamedTensor* find(const std::string& name) const;
  // Throws Error when it is missing or not of this shape and type.
  const NamedTensor& get(const std::string& name, const std::vector<Index>& shape, StoredType type) const;
  // Throws the Error for a tensor that config.json does not call for.
  [[noreturn]] void surplus(const std::string& name) const;
  // Throws Error if the bytes are not those that were written.
  void verify() const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  nlohmann::json parse_header(std::string_view text) const;
  void read_header();
  NamedTensor read_entry(const std::string& name, std::span<const std::byte> data, const std::string& dtype,
                         const std::vector<Index>& shape, const std::vector<Index>& offsets) const;

  std::filesystem::path path_;
  MappedFile file_;
  Metadata metadata_;
  std::vector<NamedTensor> tensors_;  // in the order of their bytes
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace heed
