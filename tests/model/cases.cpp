#include "model/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/json_fields.h"
#include "base/random.h"

namespace heed {
namespace {

std::vector<int> tokens(Index length, Index sentence, Index vocabulary, Index salt) {
  std::vector<int> ids;
  for (Index i = 0; i < length; ++i) ids.push_back(static_cast<int>((7 * i + 5 * sentence + salt) % vocabulary));
  return ids;
}

double formula(const std::string& name, Index index, double limit, double centre) {
  std::uint64_t key = 0;
  for (std::size_t k = 0; k < name.size(); ++k) key += (k + 1) * static_cast<unsigned char>(name[k]);
  return centre + limit * (2.0 * uniform(key, static_cast<std::uint64_t>(index)) - 1.0);
}

// make_fixtures.py uses shorter names for the vocabulary sizes.
Config parse_config(nlohmann::json j) {
  for (const std::string side : {"source", "target"}) {
    j[side + "_vocab_size"] = j.at(side + "_vocab");
    j.erase(side + "_vocab");
  }
  Config c;
  std::set<std::string> known;
  read_fields(j, c, known);
  return c;
}

}  // namespace

BatchBuilder make_batch(const Config& config, const std::vector<std::pair<Index, Index>>& lengths) {
  BatchBuilder builder;
  Index sentence = 0;
  for (const auto& [source, target] : lengths) {
    builder.add(tokens(source, sentence, config.source_vocab, 1), tokens(target, sentence, config.target_vocab, 3));
    ++sentence;
  }
  return builder;
}

std::vector<std::pair<Index, Index>> fixture_lengths() { return {{3, 4}, {1, 1}, {6, 2}, {2, 7}}; }

Tensors formula_parameters(const Config& config) {
  Tensors tensors;
  for (const Tensor& t : list_tensors(config)) {
    const bool bias = t.name.ends_with(".bias");
    const bool gain = t.name.ends_with(".gain");
    const double limit = bias || gain ? 0.1 : std::sqrt(3.0 / static_cast<double>(t.cols));
    for (Index i = 0; i < t.rows * t.cols; ++i) {
      tensors[t.name].push_back(formula(t.name, i, limit, gain ? 1.0 : 0.0));
    }
  }
  return tensors;
}

void set_values(Transformer& model, const Tensors& parameters) {
  for (const Tensor& t : list_tensors(model.config())) {
    const std::vector<double>& values = parameters.at(t.name);
    std::copy(values.begin(), values.end(), model.values().data() + t.offset);
  }
}

Config small_config() {
  Config c;
  c.encoder_layers = 1;
  c.decoder_layers = 1;
  c.d_model = 8;
  c.d_ff = 12;
  c.heads = 2;
  c.source_vocab = c.target_vocab = 11;
  c.max_positions = 600;
  c.dropout = 0.0f;
  return c;
}

std::vector<MixerCase> mixer_cases() {
  std::vector<MixerCase> cases;
  const auto add = [&](const std::string& name, MixerKinds encoder, MixerKinds decoder, const auto& change) {
    Config config = small_config();
    config.encoder_layers = static_cast<Index>(encoder.size());
    config.decoder_layers = static_cast<Index>(decoder.size());
    config.encoder_mixer = std::move(encoder);
    config.decoder_mixer = std::move(decoder);
    change(config);
    cases.push_back({name, config});
  };
  using enum MixerKind;
  const auto as_is = [](Config&) {};
  add("attention", {attention}, {attention}, as_is);
  add("ssru in the decoder", {attention}, {ssru}, as_is);
  add("ssru in both, an odd width", {ssru}, {ssru}, [](Config& c) {
    c.d_model = 9;
    c.heads = 3;
    c.positions = Positions::learned;
  });
  add("ssru and attention in turns", {ssru, attention}, {attention, ssru}, [](Config& c) { c.norm = Norm::before; });
  for (const auto& [w, g] : {std::pair<Index, Index>{1, 0}, {2, 1}, {5, 3}, {64, 0}, {10, 66}}) {
    add("window " + std::to_string(w) + ", globals " + std::to_string(g), {window}, {window}, [&](Config& c) {
      c.window = w;
      c.globals = g;
    });
  }
  add("window among attention", {attention, window}, {window, attention}, [](Config& c) { c.window = 4; });
  return cases;
}

namespace {

void add_fixtures(const std::string& name_of_file, std::vector<Fixture>& fixtures) {
  std::ifstream file(std::string(HEED_FIXTURES) + "/" + name_of_file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  const nlohmann::json header = nlohmann::json::parse(bytes.substr(8, header_size));
  for (const auto& [name, config] : header.at("__metadata__").items()) {
    fixtures.push_back({name, parse_config(nlohmann::json::parse(config.get<std::string>())), {}});
    for (const auto& [key, entry] : header.items()) {
      if (!key.starts_with(name + "/")) continue;
      const std::size_t begin = entry.at("data_offsets")[0];
      const std::size_t end = entry.at("data_offsets")[1];
      std::vector<float> values((end - begin) / sizeof(float));
      std::memcpy(values.data(), bytes.data() + 8 + header_size + begin, end - begin);
      fixtures.back().values[key.substr(name.size() + 1)].assign(values.begin(), values.end());
    }
  }
}

}  // namespace

std::vector<Fixture> read_fixtures() {
  std::vector<Fixture> fixtures;
  for (const char* file : {"transformer.safetensors", "ssru.safetensors"}) add_fixtures(file, fixtures);
  return fixtures;
}

Computed compute(const Config& config, const Tensors& parameters, const Batch& batch, const Dropout& dropout,
                 int threads) {
  ThreadPool pool(threads);
  Arena arena;
  const Workspace workspace{pool, arena};
  Transformer model(config, Purpose::training);
  set_values(model, parameters);
  model.pack(workspace);
  std::vector<float> flat_gradient(model.values().size(), 0.0f);
  const Parameters gradient = bind_parameters(config, flat_gradient.data());

  Computed result;
  result.loss = compute_gradient(model, batch, dropout, gradient, workspace);
  for (const Tensor& t : list_tensors(config)) {
    const auto first = flat_gradient.begin() + t.offset;
    result.gradient[t.name].assign(first, first + t.rows * t.cols);
  }
  if (batch.source.sentences() == 0) return result;
  const RaggedRows memory{encode(model.parameters(), batch.source, dropout, workspace, nullptr), batch.source.offsets};
  const Matrix<const float> hidden = decode(model.parameters(), batch.target, memory, dropout, workspace, nullptr);
  const Matrix<float> logits = arena.matrix(hidden.rows, config.target_vocab);
  linear(hidden, model.parameters().output, logits, workspace);
  for (Index i = 0; i < logits.rows; ++i)
    result.logits.insert(result.logits.end(), logits.row(i), logits.row(i) + logits.cols);
  return result;
}

}  // namespace heed
