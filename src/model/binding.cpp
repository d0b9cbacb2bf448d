#include "model/binding.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/one_line.h"
#include "heed/error.h"
#include "model/files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* shape_key = "shape";

Json shape_of(const Config& config) {
  Json defaults = config_json({});
  Json shape = config_json(config);
  for (const char* free : {"dropout", "label_smoothing"}) shape.erase(free);
  const Index usual_width = config.d_model / config.heads;
  for (const char* width : {"d_k", "d_v"}) {
    defaults.erase(width);
    if (shape[width] == usual_width) shape.erase(width);
  }
  Json differing = Json::object();
  for (const auto& [name, value] : shape.items()) {
    if (!defaults.contains(name) || defaults[name] != value) differing[name] = value;
  }
  return differing;
}

std::string value_in(const Json& shape, const std::string& name) {
  if (shape.contains(name)) return one_line(shape[name].dump());
  if (name == "d_k" || name == "d_v") return "d_model / heads";
  const Json defaults = config_json({});
  return defaults.contains(name) ? defaults[name].dump() : "nothing";
}

}  // namespace

Metadata shape_fact(const Config& config) { return {{shape_key, shape_of(config).dump()}}; }

bool has_shape_fact(const Safetensors& file) { return file.metadata().contains(shape_key); }

void check_shape(const Safetensors& file, const Config& config) {
  if (!has_shape_fact(file)) return;
  const Json written_for = Json::parse(file.metadata().at(shape_key), nullptr, false);
  const Json ours = shape_of(config);
  if (written_for == ours) return;
  Json all = ours;
  if (written_for.is_object()) all.update(written_for);
  for (const auto& [name, value] : all.items()) {
    const std::string theirs = value_in(written_for, name);
    if (theirs == value_in(ours, name)) continue;
    throw Error(fmt::format("'{}' was written for {} {}, and config.json has {}; put the model's own config.json back",
                            file.path().string(), one_line(name), theirs, value_in(ours, name)));
  }
}

}  // namespace heed
