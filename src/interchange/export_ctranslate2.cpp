#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "heed/error.h"
#include "interchange/ctranslate2.h"
#include "interchange/ctranslate2_file.h"
#include "interchange/export.h"
#include "interchange/position_table.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& setting) {
  throw Error(fmt::format("{}, which CTranslate2 cannot express", setting));
}

int activation_number(Activation activation) {
  switch (activation) {
    case Activation::relu: return 0;
    case Activation::gelu_tanh: return 1;
    case Activation::swish: return 2;
    case Activation::gelu: return 3;
    case Activation::gelu_sigmoid: return 4;
  }
  return 0;
}

class Writer {
 public:
  explicit Writer(ExportedModel& model) : model_(model), config_(model.info.config) {}

  void write(const fs::path& folder) {
    add_attributes();
    add_tensors();
    add_positions();
    add_aliases();
    write_ctranslate2_file(folder / "model.bin", variables_, aliases_);
    write_file(folder / "config.json", settings().dump(2) + '\n');
    write_vocabularies(folder);
    if (config_.positions != Positions::learned) {
      model_.notes.push_back(fmt::format("CTranslate2 refuses sentences of more than {} pieces: positions are a table",
                                         exported_positions));
    }
  }

 private:
  template <class T>
  void add_scalar(const std::string& name, StoredForm form, T value) {
    variables_.push_back({name, {}, form, std::string(reinterpret_cast<const char*>(&value), sizeof value)});
  }

  void add_attributes() {
    const bool two_layers = config_.decoder_layers > 1;
    for (const std::string stack : {"encoder", "decoder"}) {
      add_scalar(stack + "/num_heads", StoredForm::int16, static_cast<std::int16_t>(config_.heads));
      add_flag(stack + "/pre_norm", config_.norm == Norm::before);
      add_scalar(stack + "/activation", StoredForm::int8,
                 static_cast<std::int8_t>(activation_number(config_.activation)));
      add_flag(stack + "/scale_embeddings", config_.embedding_scale == EmbeddingScale::root);
    }
    add_flag("encoder/embeddings_merge", false);
    add_flag("decoder/start_from_zero_embedding", config_.start == StartFrom::zero);
    // heed's alignments are the mean of all heads of the last layer but one.
    add_scalar("decoder/alignment_layer", StoredForm::int16, static_cast<std::int16_t>(two_layers ? -2 : -1));
    add_scalar("decoder/alignment_heads", StoredForm::int16, std::int16_t{0});
  }
  void add_flag(const std::string& name, bool value) {
    add_scalar(name, StoredForm::int8, static_cast<std::int8_t>(value ? 1 : 0));
  }

  // Parts of a stacked tensor follow each other in the layout.
  void add_tensors() {
    std::size_t scale = 0;
    for (const Tensor& tensor : layout_of(config_).tensors) {
      const Ctranslate2Place place = ctranslate2_place(tensor.name);
      const bool matrix = tensor.role == Role::matrix || tensor.role == Role::embedding;
      Ctranslate2Variable& variable = find_or_add(place.name);
      if (tensor.rows > 1 || matrix) {
        variable.shape = {(variable.shape.empty() ? 0 : variable.shape[0]) + tensor.rows, tensor.cols};
      } else {
        variable.shape = {(variable.shape.empty() ? 0 : variable.shape[0]) + tensor.cols};
      }
      const auto at = static_cast<std::size_t>(tensor.offset), count = static_cast<std::size_t>(tensor.size());
      if (model_.integers && matrix) {
        variable.form = StoredForm::int8;
        variable.bytes.append(reinterpret_cast<const char*>(model_.integers->values.data() + at), count);
        add_scales(place.name,
                   std::span(model_.integers->scales).subspan(scale, static_cast<std::size_t>(tensor.rows)));
        scale += static_cast<std::size_t>(tensor.rows);
      } else {
        Index first = 0;
        if (tensor.role == Role::table) first = config_.position_start * tensor.cols;
        if (tensor.role == Role::table) variable.shape[0] -= config_.position_start;
        append(variable.bytes,
               std::span(model_.weights)
                   .subspan(at + static_cast<std::size_t>(first), count - static_cast<std::size_t>(first)));
      }
    }
  }

  static void append(std::string& bytes, std::span<const float> values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }

  // CTranslate2 divides by the scale, heed multiplies. The reciprocal of a reciprocal may be another number, so heed's
  // own scales stand beside, where CTranslate2 does not look.
  void add_scales(const std::string& name, std::span<const float> scales) {
    for (const char* suffix : {"_scale", "_reciprocal"}) {
      Ctranslate2Variable& variable = find_or_add(name + suffix);
      const bool reciprocal = suffix == std::string_view("_reciprocal");
      variable.shape = {(variable.shape.empty() ? 0 : variable.shape[0]) + static_cast<Index>(scales.size())};
      for (const float scale : scales) {
        const float value = reciprocal ? scale : (scale == 0.0f ? 1.0f : 1.0f / scale);
        append(variable.bytes, {&value, 1});
      }
    }
  }

  // A table of its own even where the library would compute the same, since its numbers are others in all but one case.
  void add_positions() {
    if (config_.positions == Positions::learned) return;
    Ctranslate2Variable& table = find_or_add("encoder/position_encodings/encodings");
    table.shape = {exported_positions, config_.d_model};
    append(table.bytes, make_position_table(config_, exported_positions));
    aliases_.emplace_back("decoder/position_encodings/encodings", "encoder/position_encodings/encodings");
  }

  void add_aliases() {
    const std::string source = ctranslate2_place("source_embedding.weight").name;
    const std::string target = ctranslate2_place("target_embedding.weight").name;
    const std::string output = ctranslate2_place("output.weight").name;
    if (config_.tie == Tie::all || config_.tie == Tie::embeddings) aliases_.emplace_back(target, source);
    if (config_.tie == Tie::all) aliases_.emplace_back(output, source);
    if (config_.tie == Tie::target) aliases_.emplace_back(output, target);
  }

  Ctranslate2Variable& find_or_add(const std::string& name) {
    const auto [found, added] = places_.emplace(name, variables_.size());
    if (added) variables_.push_back({name, {}, StoredForm::f32, {}});
    return variables_[found->second];
  }

  nlohmann::ordered_json settings() const {
    return {{"unk_token", "<unk>"},
            {"bos_token", "<s>"},
            {"eos_token", "</s>"},
            {"decoder_start_token", "<s>"},
            {"add_source_bos", false},
            {"add_source_eos", model_.info.source_end},
            {"layer_norm_epsilon", config_.layer_norm_epsilon},
            {"multi_query_attention", false}};
  }

  void write_vocabularies(const fs::path& folder) const {
    const TokenizerPair& pair = model_.tokenizers;
    const auto write_pieces = [&](const Tokenizer& tokenizer, const char* file) {
      nlohmann::json pieces = nlohmann::json::array();
      for (int id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
      write_file(folder / file, pieces.dump(1) + '\n');
    };
    if (same_pieces(pair)) {
      write_pieces(*pair.source, "shared_vocabulary.json");
    } else {
      write_pieces(*pair.source, "source_vocabulary.json");
      write_pieces(*pair.target, "target_vocabulary.json");
    }
    // The library has no tokenizers; these are for its callers.
    const auto write_model = [&](const Tokenizer& tokenizer, const char* file) {
      if (tokenizer.kind() != TokenizerKind::space) write_file(folder / file, tokenizer.serialised());
    };
    if (pair.shared()) return write_model(*pair.source, "sentencepiece.model");
    write_model(*pair.source, "source.spm");
    write_model(*pair.target, "target.spm");
  }

  ExportedModel& model_;
  const Config& config_;
  std::vector<Ctranslate2Variable> variables_;
  std::map<std::string, std::size_t> places_;
  Ctranslate2Aliases aliases_;
};

}  // namespace

void check_ctranslate2(const ModelInfo& info) {
  const Config& config = info.config;
  const AttentionShape shape = config.attention_shape();
  if (config.encoder_mixer != MixerKinds{MixerKind::attention}) {
    refuse(fmt::format("encoder-mixer is {}", FieldText<MixerKinds>::text(config.encoder_mixer)));
  }
  if (config.decoder_mixer != MixerKinds{MixerKind::attention}) {
    refuse(fmt::format("decoder-mixer is {}", FieldText<MixerKinds>::text(config.decoder_mixer)));
  }
  if (shape.d_k * config.heads != config.d_model) refuse(fmt::format("d-k is {}, not d-model / heads", shape.d_k));
  if (shape.d_v * config.heads != config.d_model) refuse(fmt::format("d-v is {}, not d-model / heads", shape.d_v));
}

void write_ctranslate2(const fs::path& folder, ExportedModel& model) { Writer(model).write(folder); }

}  // namespace heed::interchange
