// How a model of CTranslate2's computes, as heed's config.
#pragma once

#include <optional>
#include <set>

#include "interchange/ctranslate2_file.h"
#include "interchange/json_settings.h"
#include "interchange/token_list.h"
#include "model/config.h"

namespace heed::interchange {

// What config.json holds, or, before version 6, variables.
struct Ctranslate2Settings {
  SpecialNames special;
  std::optional<std::string> start;  // the token that the decoder starts with; none: the caller's choice
  bool source_start = false;         // whether <s> begins the source
  bool source_end = false;           // whether </s> ends it
  float epsilon = 1e-5f;
};

class Ctranslate2Config {
 public:
  // `config` is config.json; `name` is for messages.
  Ctranslate2Config(const Ctranslate2File& file, const JsonSettings& config, std::string name);

  // Everything but vocabularies, tying and the output's bias. What heed cannot represent is refused with an Error that
  // names the variable or the setting.
  Config config();
  Ctranslate2Settings settings();
  // The variables that were used here, or that change nothing.
  std::vector<std::string> used() const { return {used_.begin(), used_.end()}; }
  // The source's embeddings have two names.
  std::string source_embedding() const;

 private:
  const StoredTensor* find(const std::string& variable);
  const StoredTensor& need(const std::string& variable) const;
  // An attribute of both stacks, which must be the same.
  std::int64_t both(const char* attribute, std::int64_t fallback);
  std::int64_t whole(const std::string& variable, std::int64_t fallback);
  const StoredTensor* attribute(const std::string& stack, const char* name);
  std::string text(const std::string& variable, const std::string& fallback);
  Index count_layers(const std::string& stack) const;
  void require(bool condition, const std::string& what) const;
  void check_features();
  void set_norms(Config& config);
  void set_activation(Config& config);
  void set_scale(Config& config);
  void set_positions(Config& config);
  bool both_have(const std::string& part, const char* what);

  const Ctranslate2File& file_;
  const JsonSettings& json_;
  std::string name_;
  std::set<std::string> used_;
};

}  // namespace heed::interchange
