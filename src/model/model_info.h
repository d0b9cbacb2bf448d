// config.json: the shape of a model, its task, its languages and its default search options.
//
// A missing key takes its default, and an unknown one is an error that names it: a model of today loads in every later
// version, and an older heed never misreads a newer model.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heed/options.h"
#include "model/config.h"

namespace heed {

template <>
struct EnumNames<LengthPenalty> {
  static constexpr std::array names{"paper", "power"};
};

enum class ModelTask { translate, parse };
template <>
struct EnumNames<ModelTask> {
  static constexpr std::array names{"translate", "parse"};
};

constexpr const char* file_format = "heed 1";

struct ModelInfo {
  Config config;
  std::string source_language;
  std::string target_language;
  // Source pieces, </s> not counted, that 99.9 % of the training pairs do not exceed; 0: not recorded.
  Index max_source_length = 0;
  // Defaults of the search.
  int beam = SearchOptions().beam;
  float alpha = SearchOptions().alpha;
  LengthPenalty length_penalty = SearchOptions().length_penalty;
  ModelTask task = ModelTask::translate;
  std::string tree_form = {};  // of a parser: how its target side writes trees
  // Whether </s> ends a source sentence: always in models that were trained here.
  bool source_end = true;
  // Of an imported model: which program wrote it, and the terms it was published under.
  std::string origin = {};
  std::string licence = {};

  // The fields besides those of the config.
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& field) {
    constexpr Scope search = Scope::search;
    field(m.source_language, Field<std::string>{.name = "source-language", .help = "", .scope = search});
    field(m.target_language, Field<std::string>{.name = "target-language", .help = "", .scope = search});
    field(m.task, Field<ModelTask>{.name = "task", .help = "", .scope = search});
    field(m.tree_form, Field<std::string>{.name = "tree-form", .help = "", .scope = search});
    field(m.source_end, Field<bool>{.name = "source-end", .help = "", .scope = search});
    field(m.origin, Field<std::string>{.name = "origin", .help = "", .scope = search});
    field(m.licence, Field<std::string>{.name = "licence", .help = "", .scope = search});
    field(m.max_source_length, Field<Index>{"max-source-length", "", 0, Index{1} << 30, false, search});
    field(m.beam, Field<int>{"beam", "", 1, SearchOptions::most_beam, false, search});
    field(m.alpha, Field<float>{"alpha", "", 0.0f, 100.0f, false, search});
    field(m.length_penalty, Field<LengthPenalty>{.name = "length-penalty", .help = "", .scope = search});
  }
};

// Every field of the config, with explicit head widths.
nlohmann::ordered_json config_json(const Config& config);

// Throws Error with the file, what is wrong and the remedy.
ModelInfo read_info(const std::filesystem::path& folder);
void write_info(const std::filesystem::path& folder, const ModelInfo& info);

}  // namespace heed
