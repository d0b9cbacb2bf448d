// The exceptions that heed throws.
//
// Every message is a single line that names the thing, the place and the remedy, ready to be shown to a user.
#pragma once

#include <stdexcept>
#include <string>

namespace heed {

class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  // Control characters, which a file name may contain, become '?', so the message stays on one line.
  explicit Error(const std::string& text) : std::runtime_error(one_line(text)) {}

 private:
  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return text;
  }
};

// An invalid value of a setting, such as a beam of 0. Other errors are about files, data or the machine.
class __attribute__((visibility("default"))) SettingError : public Error {
 public:
  SettingError(std::string setting, const std::string& text) : Error(text), setting_(std::move(setting)) {}

  // The setting's name as its flag spells it, without the dashes.
  const std::string& setting() const { return setting_; }

 private:
  std::string setting_;
};

}  // namespace heed
