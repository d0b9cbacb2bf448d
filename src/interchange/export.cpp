#include "interchange/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/error.h"
#include "interchange/new_folder.h"
#include "interchange/quantize_row.h"
#include "model/files.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

bool is_matrix(const Tensor& tensor) { return tensor.role == Role::matrix || tensor.role == Role::embedding; }

// Calls visit(offset in the layout, columns) for each row of the matrices, in the order of their scales.
template <class Visit>
void for_each_row(const Config& config, const Visit& visit) {
  for (const Tensor& tensor : layout_of(config).tensors) {
    if (!is_matrix(tensor)) continue;
    for (Index row = 0; row < tensor.rows; ++row) visit(tensor.offset + row * tensor.cols, tensor.cols);
  }
}

void to_integers(ExportedModel& model) {
  Int8Integers& integers = model.integers.emplace();
  integers.values.assign(model.weights.size(), 0);
  for_each_row(model.info.config, [&](Index at, Index cols) {
    const std::span<const float> row(model.weights.data() + at, static_cast<std::size_t>(cols));
    integers.scales.push_back(quantize_row(row, integers.values.data() + at));
  });
}

void to_f32(ExportedModel& model) {
  std::size_t row = 0;
  for_each_row(model.info.config, [&](Index at, Index cols) {
    const float scale = model.integers->scales[row++];
    for (Index i = at; i < at + cols; ++i) {
      const auto place = static_cast<std::size_t>(i);
      model.weights[place] = static_cast<float>(model.integers->values[place]) * scale;
    }
  });
  model.integers.reset();
}

ExportedModel read_model(const fs::path& folder, const ExportOptions& options) {
  ExportedModel model;
  model.info = read_info(folder);
  model.tokenizers = load_tokenizers(folder);
  const Config& config = model.info.config;
  Safetensors file(weights_file(folder, options.checkpoint));
  check_tokenizers(folder, model.tokenizers, file.metadata());
  const Layout layout = layout_of(config);
  model.weights.assign(static_cast<std::size_t>(layout.size), 0.0f);
  if (holds_int8(file)) {
    const Int8Weights weights = read_int8_weights(std::move(file), config, Verify::checksum);
    model.integers = give_integers(config, weights, model.weights);
    if (options.type == NumberType::f32) to_f32(model);
  } else {
    read_weights(file, layout, {{"", model.weights}}, Verify::checksum);
    if (options.type == NumberType::int8) to_integers(model);
  }
  return model;
}

}  // namespace

bool same_pieces(const TokenizerPair& tokenizers) {
  if (tokenizers.shared()) return true;
  if (tokenizers.source->size() != tokenizers.target->size()) return false;
  for (int id = 0; id < tokenizers.source->size(); ++id) {
    if (tokenizers.source->piece(id) != tokenizers.target->piece(id)) return false;
  }
  return true;
}

std::vector<std::string> export_model(const fs::path& from, const fs::path& to, const ExportOptions& options) {
  const ModelInfo info = read_info(from);
  if (info.task != ModelTask::translate) {
    throw Error(
        fmt::format("'{}' is a model to {}; only models to translate are exported", from.string(), name_of(info.task)));
  }
  const bool hugging_face = options.format == ExportFormat::huggingface;
  if (hugging_face) {
    check_hugging_face(info, load_tokenizers(from));
  } else {
    check_ctranslate2(info);
  }
  ExportedModel model = read_model(from, options);
  if (hugging_face && model.integers) {
    throw Error("MarianMT folders hold no 8-bit integers; pass --type f32, which writes the numbers they stand for");
  }
  write_new_folder(to, [&](const fs::path& folder) {
    hugging_face ? write_hugging_face(folder, model) : write_ctranslate2(folder, model);
  });
  return std::move(model.notes);
}

}  // namespace heed::interchange
