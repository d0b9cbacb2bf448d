// Strict parsing of integers: CLI11 would read 010 as octal and −1 as the largest seed.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>

namespace heed::cli {

template <class T>
std::string not_whole(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool zeros_first = text.size() > 1 && text[text[0] == '-' ? 1 : 0] == '0';
  const bool fits = error == std::errc() && end == text.data() + text.size() && !zeros_first;
  return fits ? "" : "'" + text + "' is not a whole number in range";
}

template <class T>
struct ValueOf {
  using Type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

// Adds the check to an option with an integer value; other options are unchanged.
template <class T>
CLI::Option* check_whole(CLI::Option* option, const T& /*value*/) {
  using Value = typename ValueOf<T>::Type;
  if constexpr (std::is_integral_v<Value>) option->check(CLI::Validator(not_whole<Value>, ""));
  return option;
}

}  // namespace heed::cli
