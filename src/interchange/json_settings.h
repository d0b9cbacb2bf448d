// Settings of other programs in JSON: the outermost keys of config.json and its like.
//
// The text is not trusted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/index.h"

namespace heed::interchange {

class JsonSettings {
 public:
  JsonSettings() : json_(nlohmann::json::object()) {}
  // Throws Error, with `name` in its message, for text that is not a JSON object.
  JsonSettings(std::string_view text, std::string name);

  bool has(const char* key) const;  // null counts as missing
  // Each returns the default where the key is missing or null, and throws Error for a value of another kind.
  std::string text(const char* key, const std::string& fallback = "") const;
  Index whole(const char* key, Index fallback) const;
  float number(const char* key, float fallback) const;
  bool truth(const char* key, bool fallback) const;
  // The value of a key that has() says is there.
  const nlohmann::json& value(const char* key) const { return json_.at(key); }

  // Throws the Error about a value that heed cannot represent.
  [[noreturn]] void refuse(const char* key, const std::string& why) const;
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void fail(const char* key, const char* kind) const;

  std::string name_;
  nlohmann::json json_;
};

}  // namespace heed::interchange
