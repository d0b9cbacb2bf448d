// The explorer's data, "heed look 1": one JSON object, and the arrays of numbers that it refers to. A page embeds both;
// docs/look.md says what they hold.
#pragma once

#include <nlohmann/json.hpp>

#include "base/enum_names.h"
#include "heed/inspector.h"

namespace heed {

template <>
struct EnumNames<AttentionPart> {
  static constexpr std::array names{"encoder", "decoder", "cross"};
};
template <>
struct EnumNames<SearchNode::State> {
  static constexpr std::array names{"live", "ended", "dropped", "pruned"};
};

}  // namespace heed

namespace heed::look {

using Json = nlohmann::ordered_json;

enum class Arrays {
  blocks,  // {"at": first, "shape": […]} into one array of numbers
  nested   // JSON arrays
};

class LookData {
 public:
  explicit LookData(Arrays arrays) : arrays_(arrays) {}

  // Without it the page shows what needs no model.
  void set_model(const std::string& name, const Inspector::Model& model, const SearchOptions& search);
  void add(const Inspection& seen);

  const Json& head() const { return head_; }
  // The head on one line.
  std::string text() const;
  // Little-endian f32.
  const std::vector<float>& numbers() const { return numbers_; }

 private:
  Json array(const std::vector<float>& values, std::vector<int> shape);
  Json maps(const std::vector<AttentionMaps>& layers);

  Arrays arrays_;
  Json head_ = empty_head();
  std::vector<float> numbers_;

  static Json empty_head();
};

}  // namespace heed::look
