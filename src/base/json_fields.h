// Reads and writes the fields of a settings struct as JSON, which may be hostile. A missing key leaves the default, so
// that later versions load today's files.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/fields.h"
#include "base/json_values.h"
#include "base/one_line.h"

namespace heed {

// "d-model" becomes "d_model" in files.
inline std::string json_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

template <class T>
nlohmann::ordered_json field_json(const T& value) {
  if constexpr (std::is_same_v<T, float>) {
    // The shortest decimal that reads back as the same float.
    return nlohmann::ordered_json::parse(FieldText<float>::text(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    return FieldText<T>::text(value);
  }
}

// The file is of a newer version of heed.
class NewerFormat : public Error {
 public:
  using Error::Error;
};

template <class T>
T field_from_json(const nlohmann::json& object, const char* key) {
  if constexpr (std::is_same_v<T, bool>) {
    return truth_at(object, key);
  } else if constexpr (std::is_integral_v<T>) {
    const Index value = whole_number_at(object, key);
    check_range<Index>(key, value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    return static_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number_at(object, key));
  } else {
    return FieldText<T>::parse(key, one_line(text_at(object, key)));
  }
}

template <class Settings>
nlohmann::ordered_json write_fields(const Settings& settings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for_each_field(settings, [&]<class T>(const T& value, const Field<T>& field) {
    json[json_name(field.name)] = field_json(value);
  });
  return json;
}

// Sets the fields that the object contains and adds every field's key to `known`. Throws Error for an invalid value.
template <class Settings>
void read_fields(const nlohmann::json& object, Settings& settings, std::set<std::string>& known) {
  for_each_field(settings, [&]<class T>(T& value, const Field<T>& field) {
    const std::string key = json_name(field.name);
    known.insert(key);
    if (object.contains(key)) value = field_from_json<T>(object, key.c_str());
  });
}

// Throws NewerFormat for the first unknown key.
inline void refuse_other_keys(const nlohmann::json& object, const std::set<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) {
      throw NewerFormat(fmt::format("'{}' is a key that this heed does not know", one_line(key)));
    }
  }
}

}  // namespace heed
