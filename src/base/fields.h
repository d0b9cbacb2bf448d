// A settings struct lists its fields once:
//
//     template <class Self, class Visit>
//     static void fields(Self& s, Visit&& visit) {
//       visit(s.d_model, Field<Index>{.name = "d-model", .help = "Width of the model", .least = 1, .most = 4096});
//       visit(s.norm, Field<Norm>{.name = "norm", .help = "Layer norm after or before each sub-layer"});
//     }
//
// Files, flags, range checks and comparisons follow from that list. A field is a number, a bool, a string, an enum with
// EnumNames, or any type with FieldText.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/check_range.h"
#include "base/enum_names.h"
#include "base/index.h"

namespace heed {

// shape: determines the tensors and how they are used; training: may differ between models of the same shape; search:
// defaults for translation.
enum class Scope { shape, training, search };

template <class T>
struct Field {
  const char* name;  // as in flags; files use '_' for '-'
  const char* help;
  // Limits of a number; if both are equal, any value of the type is valid.
  T least{};
  T most{};
  bool below_most = false;  // `most` itself is excluded
  Scope scope = Scope::shape;
};

// Converts a field to text and back without loss. Specialise it for other types:
//     static std::string text(const T&);   static T parse(const char* setting, std::string_view);
template <class T>
struct FieldText;

template <class T>
requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) struct FieldText<T> {
  static std::string text(T value) { return fmt::format("{}", value); }
  static T parse(const char* setting, std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    constexpr const char* kind = std::is_integral_v<T> ? "a whole number in range" : "a number";
    throw SettingError(setting, fmt::format("{} is '{}'; give {}", setting, text, kind));
  }
};

template <>
struct FieldText<bool> {
  static std::string text(bool value) { return value ? "true" : "false"; }
  static bool parse(const char* setting, std::string_view text) {
    if (text == "true" || text == "false") return text == "true";
    throw SettingError(setting, fmt::format("{} is '{}'; choose true or false", setting, text));
  }
};

template <>
struct FieldText<std::string> {
  static std::string text(const std::string& value) { return value; }
  static std::string parse(const char*, std::string_view text) { return std::string(text); }
};

template <NamedEnum Enum>
struct FieldText<Enum> {
  static std::string text(Enum value) { return name_of(value); }
  static Enum parse(const char* setting, std::string_view text) { return from_name<Enum>(setting, text); }
};

template <class Settings, class Visit>
void for_each_field(Settings& settings, const Visit& visit) {
  std::remove_const_t<Settings>::fields(settings, visit);
}

// Throws SettingError for the first number that is out of its range.
template <class Settings>
void check_fields(const Settings& settings) {
  for_each_field(settings, []<class T>(const T& value, const Field<T>& field) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (field.least == field.most) return;
      if (field.below_most) {
        if (value >= field.least && value < field.most) return;
        throw SettingError(field.name, fmt::format("{} is {}; choose at least {} and below {}", field.name, value,
                                                   field.least, field.most));
      }
      check_range(field.name, value, field.least, field.most);
    }
  });
}

// The name of the first field of this scope that differs; null if there is none.
template <class Settings>
const char* first_difference(const Settings& a, const Settings& b, Scope scope) {
  const char* name = nullptr;
  for_each_field(a, [&]<class T>(const T& mine, const Field<T>& field) {
    if (name != nullptr || field.scope != scope) return;
    for_each_field(b, [&]<class U>(const U& theirs, const Field<U>& other) {
      if constexpr (std::is_same_v<T, U>) {
        if (std::string_view(field.name) == other.name && !(mine == theirs)) name = field.name;
      }
    });
  });
  return name;
}

}  // namespace heed
