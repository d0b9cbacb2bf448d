#include "look/look_data.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/enum_names.h"
#include "model/model_info.h"

namespace heed::look {
namespace {

// The double whose digits are the fewest that name the float: JSON stays short and loses nothing.
double shortest(float number) { return std::strtod(fmt::format("{}", number).c_str(), nullptr); }

Json list(const std::vector<float>& values) {
  Json out = Json::array();
  for (const float value : values) out.push_back(shortest(value));
  return out;
}

Json lists(const std::vector<std::vector<float>>& all) {
  Json out = Json::array();
  for (const std::vector<float>& values : all) out.push_back(list(values));
  return out;
}

// The numbers from `next` on in the shape's dimensions from `dimension` on.
Json nested(const std::vector<float>& values, const std::vector<int>& shape, std::size_t dimension, std::size_t& next) {
  if (dimension == shape.size()) return shortest(values[next++]);
  Json out = Json::array();
  for (int i = 0; i < shape[dimension]; ++i) out.push_back(nested(values, shape, dimension + 1, next));
  return out;
}

Json text_json(const PieceText& text) { return {{"pieces", text.pieces}, {"word", text.word}, {"words", text.words}}; }

Json layers_json(const std::vector<Inspector::LayerKind>& layers) {
  Json out = Json::array();
  for (const Inspector::LayerKind& layer : layers) {
    out.push_back({{"mixer", layer.mixer}, {"heads", layer.heads}, {"window", layer.window}});
  }
  return out;
}

Json choices_json(const std::vector<std::vector<PieceChoice>>& places) {
  Json out = Json::array();
  for (const auto& choices : places) {
    Json& place = out.emplace_back(Json::array());
    for (const PieceChoice& choice : choices) {
      place.push_back({{"piece", choice.piece}, {"probability", shortest(choice.probability)}});
    }
  }
  return out;
}

Json n_best_json(const std::vector<FoundTranslation>& found) {
  Json out = Json::array();
  for (const FoundTranslation& one : found) {
    out.push_back({{"text", one.text},
                   {"pieces", one.pieces},
                   {"piece_log_probabilities", list(one.piece_log_probabilities)},
                   {"log_probability", one.log_probability},
                   {"length", one.piece_log_probabilities.size()},
                   {"penalty", one.penalty},
                   {"score", one.score},
                   {"finished", one.finished}});
  }
  return out;
}

Json search_json(const SearchTree& tree, double best_score) {
  Json steps = Json::array();
  Json best;
  for (std::size_t s = 0; s < tree.size(); ++s) {
    Json& step = steps.emplace_back(Json::array());
    for (std::size_t i = 0; i < tree[s].size(); ++i) {
      const SearchNode& node = tree[s][i];
      step.push_back({{"parent", node.parent},
                      {"piece", node.piece},
                      {"log_probability", node.log_probability},
                      {"sum", node.sum},
                      {"score", node.score},
                      {"state", name_of(node.state)}});
      if (node.state == SearchNode::State::ended && node.score == best_score) best = {s, i};
    }
  }
  return {{"steps", steps}, {"best", best}};
}

Json place_json(const HeadPlace& place) {
  return {{"part", name_of(place.part)}, {"layer", place.layer}, {"head", place.head}};
}

Json silenced_json(const std::vector<SilencedHead>& heads) {
  Json out = Json::array();
  for (const SilencedHead& head : heads) {
    Json& one = out.emplace_back(place_json(head.place));
    one["text"] = head.text;
    one["log_probability"] = head.log_probability;
    one["of_translation"] = head.of_translation;
  }
  return out;
}

}  // namespace

Json LookData::empty_head() {
  return {{"format", "heed look 1"}, {"heed", HEED_VERSION}, {"model", nullptr}, {"sentences", Json::array()}};
}

std::string LookData::text() const {
  return head_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void LookData::set_model(const std::string& name, const Inspector::Model& model, const SearchOptions& search) {
  head_["model"] = {{"name", name},
                    {"source_language", model.source_language},
                    {"target_language", model.target_language},
                    {"parameters", model.parameters},
                    {"type", model.type == NumberType::int8 ? "int8" : "f32"},
                    {"d_model", model.d_model},
                    {"heads", model.heads},
                    {"d_k", model.d_k},
                    {"d_v", model.d_v},
                    {"positions", model.positions},
                    {"position_start", model.position_start}};
  head_["search"] = {
      {"beam", search.beam}, {"alpha", shortest(search.alpha)}, {"length_penalty", name_of(search.length_penalty)}};
  head_["layers"] = {{"encoder", layers_json(model.encoder)}, {"decoder", layers_json(model.decoder)}};
}

Json LookData::array(const std::vector<float>& values, std::vector<int> shape) {
  if (values.empty()) return nullptr;
  if (arrays_ == Arrays::nested) {
    std::size_t next = 0;
    return nested(values, shape, 0, next);
  }
  const std::size_t at = numbers_.size();
  numbers_.insert(numbers_.end(), values.begin(), values.end());
  return {{"at", at}, {"shape", std::move(shape)}};
}

Json LookData::maps(const std::vector<AttentionMaps>& layers) {
  Json out = Json::array();
  for (const AttentionMaps& layer : layers) {
    out.push_back(array(layer.weights, {layer.heads, layer.queries, layer.keys}));
  }
  return out;
}

void LookData::add(const Inspection& seen) {
  const auto targets = static_cast<int>(seen.target.pieces.size());
  const auto sources = static_cast<int>(seen.source.pieces.size());
  Json steps = Json::array();
  for (const HeadNumbers& head : seen.numbers) {
    const auto rows = [](const std::vector<float>& values, int width) {
      return std::vector<int>{static_cast<int>(values.size()) / width, width};
    };
    Json& one = steps.emplace_back(place_json(head.place));
    one["query"] = array(head.query, rows(head.query, head.d_k));
    one["key"] = array(head.key, rows(head.key, head.d_k));
    one["value"] = array(head.value, rows(head.value, head.d_v));
  }
  head_["sentences"].push_back(
      {{"text", seen.text},
       {"translation", seen.translation},
       {"given", seen.given},
       {"source", text_json(seen.source)},
       {"target", text_json(seen.target)},
       {"log_probability", seen.log_probability},
       {"score", seen.score},
       {"piece_log_probabilities", list(seen.piece_log_probabilities)},
       {"choices", choices_json(seen.choices)},
       {"n_best", n_best_json(seen.n_best)},
       {"maps",
        {{"encoder", maps(seen.maps.encoder)}, {"decoder", maps(seen.maps.decoder)}, {"cross", maps(seen.maps.cross)}}},
       {"norms", {{"encoder", lists(seen.norms.encoder)}, {"decoder", lists(seen.norms.decoder)}}},
       {"rollout", array(seen.rollout, {targets, targets + sources})},
       {"silenced", silenced_json(seen.silenced)},
       {"beam", search_json(seen.search, seen.n_best.empty() ? 0.0 : seen.n_best[0].score)},
       {"steps", std::move(steps)}});
}

}  // namespace heed::look
