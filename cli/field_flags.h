// Flags for the fields of a settings struct; names, help and types come from its field list (base/fields.h).
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <string>

#include "base/fields.h"
#include "cli/whole_number.h"

namespace heed::cli {

template <class Settings>
class FieldFlags {
 public:
  FieldFlags(CLI::App& command, const char* group) {
    Settings defaults;
    for_each_field(defaults, [&]<class T>(T&, const Field<T>& field) {
      Entry& entry = entries_.emplace_back();
      entry.name = field.name;
      const std::string flag = fmt::format("--{}", field.name);
      if constexpr (std::is_same_v<T, bool>) {
        entry.option = command.add_flag(flag, entry.truth, field.help)->group(group);
      } else {
        entry.option = command.add_option(flag, entry.text, field.help)->group(group);
        if constexpr (std::is_integral_v<T>) entry.option->check(CLI::Validator(not_whole<T>, ""));
      }
    });
  }

  // Whether the flag was set on the command line or in a file.
  bool given(std::string_view name) const { return entry(name).option->count() > 0; }

  // Sets the fields whose flags were given, if `wanted` agrees. Throws SettingError for an invalid value.
  void apply(
      Settings& settings,
      const std::function<bool(std::string_view)>& wanted = [](std::string_view) { return true; }) const {
    for_each_field(settings, [&]<class T>(T& value, const Field<T>& field) {
      const Entry& found = entry(field.name);
      if (found.option->count() == 0 || !wanted(field.name)) return;
      if constexpr (std::is_same_v<T, bool>) {
        value = found.truth;
      } else {
        value = FieldText<T>::parse(field.name, found.text);
      }
    });
  }

 private:
  struct Entry {
    std::string name;
    std::string text;
    bool truth = false;
    CLI::Option* option = nullptr;
  };

  const Entry& entry(std::string_view name) const {
    return *std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  }

  std::deque<Entry> entries_;  // a deque, since options point to its elements
};

}  // namespace heed::cli
