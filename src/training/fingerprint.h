// The settings of a run by name, so that resuming can detect and name what changed.
//
// Pure functions; any thread may call them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heed {

// Settings that must not change when a run is resumed, by the name the user knows.
using Fingerprint = std::map<std::string, std::string>;

struct SettingChange {
  std::string name;
  std::string from;
  std::string to;
};

// The fingerprint names of settings that may change on resume, with --change.
const std::vector<std::string>& changeable_settings();
bool is_changeable(const std::string& name);

// The flag for a fingerprint name: "label_smoothing" becomes "label-smoothing".
std::string flag_name(std::string name);

// Everything in `now` that differs from `before`, with derived values such as the width of a head last. A name missing
// in `before` has the value that earlier versions used, if any.
std::vector<SettingChange> differences(const Fingerprint& before, const Fingerprint& now);

}  // namespace heed
