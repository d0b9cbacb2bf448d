#include <fmt/format.h>

#include "heed/error.h"
#include "interchange/ctranslate2.h"

namespace heed::interchange {
namespace {

struct PartName {
  std::string_view ours;
  std::string_view theirs;
  Index part = 0;
  Index parts = 1;
};

constexpr PartName layer_names[] = {{"self_attention.query", "self_attention/linear_0", 0, 3},
                                    {"self_attention.key", "self_attention/linear_0", 1, 3},
                                    {"self_attention.value", "self_attention/linear_0", 2, 3},
                                    {"self_attention.output", "self_attention/linear_1"},
                                    {"self_attention.norm", "self_attention/layer_norm"},
                                    {"encoder_attention.query", "attention/linear_0"},
                                    {"encoder_attention.key", "attention/linear_1", 0, 2},
                                    {"encoder_attention.value", "attention/linear_1", 1, 2},
                                    {"encoder_attention.output", "attention/linear_2"},
                                    {"encoder_attention.norm", "attention/layer_norm"},
                                    {"feed_forward.inner", "ffn/linear_0"},
                                    {"feed_forward.outer", "ffn/linear_1"},
                                    {"feed_forward.norm", "ffn/layer_norm"}};

constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"embedding.weight", "encoder/embeddings_0/weight"},
    {"source_embedding.weight", "encoder/embeddings_0/weight"},
    {"target_embedding.weight", "decoder/embeddings/weight"},
    {"output.weight", "decoder/projection/weight"},
    {"output.bias", "decoder/projection/bias"},
    {"source_positions.weight", "encoder/position_encodings/encodings"},
    {"target_positions.weight", "decoder/position_encodings/encodings"},
    {"source_embedding.norm.gain", "encoder/layernorm_embedding/gamma"},
    {"source_embedding.norm.bias", "encoder/layernorm_embedding/beta"},
    {"target_embedding.norm.gain", "decoder/layernorm_embedding/gamma"},
    {"target_embedding.norm.bias", "decoder/layernorm_embedding/beta"},
    {"encoder.norm.gain", "encoder/layer_norm/gamma"},
    {"encoder.norm.bias", "encoder/layer_norm/beta"},
    {"decoder.norm.gain", "decoder/layer_norm/gamma"},
    {"decoder.norm.bias", "decoder/layer_norm/beta"}};

}  // namespace

Ctranslate2Place ctranslate2_place(const std::string& tensor) {
  for (const auto& [ours, theirs] : other_names) {
    if (ours == tensor) return {std::string(theirs)};
  }
  // encoder.0.self_attention.query.weight
  const std::size_t layer = tensor.find('.') + 1, part = tensor.find('.', layer) + 1, last = tensor.rfind('.');
  const std::string_view middle = std::string_view(tensor).substr(part, last - part);
  for (const PartName& name : layer_names) {
    if (name.ours != middle) continue;
    std::string leaf = tensor.substr(last + 1);
    if (leaf == "gain") leaf = "gamma";
    if (leaf == "bias" && middle.ends_with("norm")) leaf = "beta";
    return {fmt::format("{}/layer_{}/{}/{}", tensor.substr(0, layer - 1), tensor.substr(layer, part - layer - 1),
                        name.theirs, leaf),
            name.part, name.parts};
  }
  throw Error(fmt::format("tensor '{}' has no name in CTranslate2", tensor));
}

}  // namespace heed::interchange
