#include "model/model_info.h"

#include <fmt/format.h>

#include <optional>

#include "base/files.h"
#include "base/json_fields.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Parsed JSON takes many times its size.
constexpr std::size_t largest_config = std::size_t{1} << 20;

void check_format(const nlohmann::json& json) {
  if (!json.is_object()) throw Error("it is not a JSON object");
  const std::string format = text_at(json, "format");
  if (format == file_format) return;
  if (!format.starts_with("heed ")) throw Error("it is not a heed config");
  throw NewerFormat(
      fmt::format("it has the newer format '{}', but this heed reads '{}'", one_line(format), file_format));
}

// Of a repeated key the parser would silently take the last value.
nlohmann::json parse_once(const std::string& text) {
  std::set<std::string> keys;
  std::optional<std::string> repeated;
  const auto look = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.insert(key).second) repeated = key;
    }
    return true;
  };
  auto json = nlohmann::json::parse(text, look, false);
  if (json.is_object() && repeated) throw Error(fmt::format("'{}' appears twice", one_line(*repeated)));
  return json;
}

}  // namespace

nlohmann::ordered_json config_json(const Config& config) { return write_fields(with_head_widths(config)); }

ModelInfo read_info(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(fmt::format("'{}' is not a model folder; pass a folder written by 'heed train'", folder.string()));
  }
  if (!file_exists(file)) {
    throw Error(fmt::format("'{}' is not a model folder: config.json is missing; pass a folder written by 'heed train'",
                            folder.string()));
  }
  const std::string text = read_file(file, {.most_bytes = largest_config});
  constexpr const char* remedy = "put the model's own config.json back";
  try {
    const nlohmann::json json = parse_once(text);
    check_format(json);
    ModelInfo info;
    std::set<std::string> known{"format"};
    read_fields(json, info, known);
    read_fields(json, info.config, known);
    refuse_other_keys(json, known);
    check_fields(info);
    check(info.config);
    return info;
  } catch (const NewerFormat& reason) {
    throw Error(fmt::format("'{}': {}; use a newer heed, or {}", file.string(), reason.what(), remedy));
  } catch (const std::exception& reason) {
    throw Error(fmt::format("'{}': {}; {}", file.string(), reason.what(), remedy));
  }
}

void write_info(const fs::path& folder, const ModelInfo& info) {
  nlohmann::ordered_json json{{"format", file_format}};
  json.update(write_fields(info));
  if (info.task == ModelTask::translate) {
    // As in files of versions that knew no other task, so that those can read them.
    json.erase("task");
    json.erase("tree_form");
  }
  // Likewise, in models that were trained here.
  if (info.source_end) json.erase("source_end");
  if (info.origin.empty()) json.erase("origin");
  if (info.licence.empty()) json.erase("licence");
  json.update(config_json(info.config));
  write_file(folder / "config.json", json.dump(2) + '\n');
}

}  // namespace heed
