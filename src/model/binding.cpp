#include "model/binding.h"

#include <fmt/format.h>

#include "base/json_fields.h"
#include "heed/error.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string value_in(const Json& shape, const std::string& name) {
  if (shape.contains(name)) return one_line(shape[name].dump());
  if (name == "d_k" || name == "d_v") return "d_model / heads";
  const Json defaults = write_fields(Config());
  return defaults.contains(name) ? defaults[name].dump() : "nothing";
}

}  // namespace

std::string shape_text(const Config& config) {
  const Json defaults = write_fields(Config());
  Json differing = Json::object();
  const Config plain = without_usual_head_widths(config);
  for_each_field(plain, [&]<class T>(const T& value, const Field<T>& field) {
    const std::string name = json_name(field.name);
    if (field.scope == Scope::shape && field_json(value) != defaults[name]) differing[name] = field_json(value);
  });
  return differing.dump();
}

void check_shape(const Safetensors& file, const std::string& shape) {
  const auto stored = file.metadata().find(shape_key);
  if (stored == file.metadata().end() || stored->second == shape) return;
  const Json written_for = Json::parse(stored->second, nullptr, false);
  const Json ours = Json::parse(shape);
  Json all = ours;
  if (written_for.is_object()) all.update(written_for);
  for (const auto& [name, value] : all.items()) {
    const std::string theirs = value_in(written_for, name);
    if (theirs == value_in(ours, name)) continue;
    throw Error(fmt::format("'{}' was written for {} {}, but config.json has {}; put the model's own config.json back",
                            file.path().string(), one_line(name), theirs, value_in(ours, name)));
  }
}

}  // namespace heed
