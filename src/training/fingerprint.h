// What a run is made with, by name, so that a resumed run can say what differs.
//
// Pure functions; any thread may call them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heed {

// What must not change between the parts of a run, by the name that a user knows it by.
using Fingerprint = std::map<std::string, std::string>;

struct SettingChange {
  std::string name;
  std::string from;
  std::string to;
};

// The settings that may change when a run is resumed, if the user asks for it: names in a fingerprint.
const std::vector<std::string>& changeable_settings();
bool is_changeable(const std::string& name);

// A flag's spelling of a name in a fingerprint: "label_smoothing" is "label-smoothing".
std::string flag_name(std::string name);

// Everything in `now` that differs from `before`: what a user sets comes before what follows from it, such as the width
// of a head. Names that `before` lacks have the value that earlier versions used, where they had one.
std::vector<SettingChange> differences(const Fingerprint& before, const Fingerprint& now);

}  // namespace heed
