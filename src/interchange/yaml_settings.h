// Flat YAML settings, as Marian writes them: special:model.yml and decoder.yml.
//
// A key has a value or a list of values; anything nested is left out. The text is not trusted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"

namespace heed::interchange {

class YamlSettings {
 public:
  YamlSettings() = default;
  // Throws Error, with `name` in its message, for text that is not YAML with keys and values.
  YamlSettings(const std::string& text, const std::string& name);

  bool has(const std::string& key) const { return values_.contains(key); }
  // Each returns the default where the key is missing or null, and throws Error for a value of another kind.
  std::string text(const std::string& key, const std::string& fallback = "") const;
  Index whole(const std::string& key, Index fallback) const;
  float number(const std::string& key, float fallback) const;
  bool truth(const std::string& key, bool fallback = false) const;
  std::vector<std::string> list(const std::string& key) const;

  // Throws the Error about a value that heed cannot represent.
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

 private:
  const std::string* find(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const char* kind) const;

  std::string name_;
  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace heed::interchange
