#include "heed/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include "base/enum_names.h"
#include "base/figures.h"
#include "decoding/engine.h"
#include "decoding/line_codec.h"
#include "decoding/model_folder.h"
#include "inspect/attention_maps.h"
#include "inspect/rollout.h"
#include "text/utf8.h"

namespace heed {
namespace {

// Pieces listed for each place of the translation.
constexpr std::size_t listed_choices = 8;
// Searching and looking take about this much of the time where heads are silenced as well.
constexpr double share_of_first_search = 0.02;

PieceText pieces_of(const Tokenizer& tokenizer, std::span<const int> tokens) {
  const std::span<const int> text = tokens.first(tokens.size() - 1);
  PieceText out;
  out.pieces = tokenizer.pieces(text);
  out.word = tokenizer.word_numbers(text);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && out.word[end] == out.word[i]) ++end;
    out.words.push_back(tokenizer.decode(text.subspan(i, end - i)));
    i = end;
  }
  out.pieces.emplace_back("</s>");
  out.word.push_back(static_cast<int>(out.words.size()));
  out.words.emplace_back("</s>");
  return out;
}

std::vector<float> row_norms(Matrix<const float> m) {
  std::vector<float> norms;
  for (Index row = 0; row < m.rows; ++row) {
    double sum = 0.0;
    for (const float x : m.row_span(row)) sum += static_cast<double>(x) * static_cast<double>(x);
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return norms;
}

// The input of every layer, and the output of the last, which the final norm reads where there is one.
std::vector<std::vector<float>> stack_norms(const Stack& stack, const StackTrace& trace, Matrix<const float> output) {
  std::vector<std::vector<float>> norms;
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    const LayerTrace& layer = trace.layers[i];
    norms.push_back(
        row_norms(stack.layers[i].norm == Norm::after ? layer.mixer.x.rows : layer.mixer_residual.norm_input));
  }
  norms.push_back(row_norms(stack.norm.gain.empty() ? output : trace.norm_input));
  return norms;
}

// Requests that one caller waits for.
class Waiting {
 public:
  explicit Waiting(std::size_t count) : unfinished_(count), all_(count) {}

  void finish(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = error;
    --unfinished_;
    changed_.notify_all();
  }
  // Calls progress(share) as requests are done; rethrows what went wrong.
  template <class Progress>
  void wait(const Progress& progress) {
    std::unique_lock lock(mutex_);
    for (std::size_t seen = all_; unfinished_ > 0;) {
      changed_.wait(lock, [&] { return unfinished_ < seen; });
      seen = unfinished_;
      lock.unlock();
      progress(1.0 - static_cast<double>(seen) / static_cast<double>(all_));
      lock.lock();
    }
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::size_t unfinished_;
  std::size_t all_;
  std::exception_ptr error_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

Inspector::LayerKind kind_of(const Layer& layer) {
  const MixerShape& shape = layer.mixer.shape;
  const bool attends = mixer_tensors(shape).attends;
  return {std::string(name_of(shape.kind)), attends ? static_cast<int>(shape.heads.heads) : 0,
          static_cast<int>(shape.window)};
}

Inspector::Model describe_model(const ModelFolder& folder) {
  const Config& config = folder.info.config;
  const Parameters& parameters = folder.model->parameters();
  Inspector::Model model;
  model.source_language = folder.info.source_language;
  model.target_language = folder.info.target_language;
  model.parameters = folder.model->parameter_count();
  model.type = parameters.output.int8.panels != nullptr ? NumberType::int8 : NumberType::f32;
  const AttentionShape& cross = parameters.decoder.layers[0].memory.shape;
  model.d_model = static_cast<int>(config.d_model);
  model.heads = static_cast<int>(cross.heads);
  model.d_k = static_cast<int>(cross.d_k);
  model.d_v = static_cast<int>(cross.d_v);
  model.positions = name_of(config.positions);
  model.position_start = static_cast<int>(config.position_start);
  for (const Layer& layer : parameters.encoder.layers) model.encoder.push_back(kind_of(layer));
  for (const Layer& layer : parameters.decoder.layers) model.decoder.push_back(kind_of(layer));
  return model;
}

}  // namespace

class Inspector::Implementation {
 public:
  Implementation(const std::filesystem::path& folder, const ModelOptions& options)
      : folder_(std::move(load_model_folders(std::span(&folder, 1), options, ModelTask::translate).front())),
        model_(describe_model(folder_)),
        codec_(folder_.tokenizers, step_models(), 0, folder_.info.source_end),
        threads_(threads_of(options)),
        engine_(step_models(), threads_of(options), options.batch) {}

  const Model& model() const { return model_; }
  SearchOptions default_options() const { return default_search(folder_.info); }

  Inspection inspect(std::string_view text, const InspectOptions& options) {
    const auto progress = [&](double share) {
      if (options.progress) options.progress(share);
    };
    Inspection seen;
    seen.text = replace_invalid_utf8(text);
    const Tokens source = source_tokens(seen.text);
    seen.source = pieces_of(*folder_.tokenizers.source, source);

    const SearchOptions search = search_options(options);
    SearchTrace trace;
    const std::vector<Hypothesis> found = find(source, search, &trace);
    add_search(found, trace, search, seen);
    seen.given = !options.target.empty();
    Tokens target = seen.given ? target_tokens(options.target) : found[0].tokens;
    target.push_back(end_token);
    seen.translation = seen.given ? replace_invalid_utf8(options.target) : seen.n_best[0].text;
    seen.target = pieces_of(*folder_.tokenizers.target, target);
    run_model(source, target, options, seen);
    if (!seen.given) {
      seen.log_probability = found[0].log_probability;
      seen.piece_log_probabilities = found[0].log_probabilities;
    }
    seen.score = seen.log_probability / length_penalty(static_cast<Index>(target.size()), search);
    if (options.silence) {
      progress(share_of_first_search);
      silence(source, target, search, seen, progress);
    }
    progress(1.0);
    return seen;
  }

 private:
  std::vector<const StepModel*> step_models() const { return {folder_.steps.get()}; }

  static SearchOptions search_options(const InspectOptions& options) {
    SearchOptions search = options.search;
    if (search.sampling.on || search.alternatives) {
      throw Error("sampling and alternatives are not a search that can be looked at; leave them out");
    }
    search.alignment = search.soft_alignment = false;
    // The pages compare probabilities of a search with those of teacher forcing, which are over the whole vocabulary.
    search.shortlist = false;
    search.scores = true;
    check(search);
    return search;
  }

  Tokens source_tokens(const std::string& text) const {
    if (is_blank(text)) throw Error("the sentence is empty; write one to look at");
    Tokens tokens = codec_.encode_whole(text);
    check_length("the sentence", tokens.size());
    return tokens;
  }

  Tokens target_tokens(const std::string& text) const {
    const Tokenizer& tokenizer = *folder_.tokenizers.target;
    if (find_invalid_utf8(text)) throw Error("the target is not valid UTF-8");
    Tokens tokens = codec_.encode_target(text);
    if (tokens.empty()) throw Error("the target is empty; write a translation to look at");
    if (std::ranges::find(tokens, unknown_token) != tokens.end()) {
      throw Error(fmt::format("the target '{}' holds text that the tokenizer cannot write: it comes back as '{}'", text,
                              tokenizer.decode(tokens)));
    }
    check_length("the target", tokens.size() + 1);
    return tokens;
  }

  static void check_length(const char* what, std::size_t pieces) {
    if (pieces <= static_cast<std::size_t>(most_pieces)) return;
    throw Error(fmt::format("{} is too long to look into: {}, and {} fit; shorten it", what, counted(pieces, "piece"),
                            most_pieces));
  }

  std::vector<Hypothesis> find(const Tokens& source, const SearchOptions& search, SearchTrace* trace) {
    Waiting waiting(1);
    std::vector<Hypothesis> found;
    std::vector<std::unique_ptr<Request>> requests;
    requests.push_back(std::make_unique<Request>(
        Request{.source = source,
                .options = search,
                .trace = trace,
                .done = [&](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
                  found = std::move(hypotheses);
                  waiting.finish(error);
                }}));
    engine_.submit(std::move(requests));
    waiting.wait([](double) {});
    return found;
  }

  void add_search(const std::vector<Hypothesis>& found, const SearchTrace& trace, const SearchOptions& search,
                  Inspection& seen) const {
    const Tokenizer& tokenizer = *folder_.tokenizers.target;
    for (const Hypothesis& hypothesis : found) {
      seen.n_best.push_back({.text = codec_.decode_text(hypothesis.tokens),
                             .pieces = tokenizer.pieces(hypothesis.tokens),
                             .piece_log_probabilities = hypothesis.log_probabilities,
                             .log_probability = hypothesis.log_probability,
                             .penalty = length_penalty(static_cast<Index>(hypothesis.tokens.size()) + 1, search),
                             .score = hypothesis.score,
                             .finished = hypothesis.finished});
    }
    for (std::size_t step = 0; step < trace.steps.size(); ++step) {
      std::vector<SearchNode>& nodes = seen.search.emplace_back();
      for (const SearchTrace::Node& node : trace.steps[step]) {
        nodes.push_back({node.parent, node.token == end_token ? "</s>" : tokenizer.piece(node.token),
                         node.log_probability, node.sum,
                         node.sum / length_penalty(static_cast<Index>(step) + 1, search), node.state});
      }
    }
  }

  // The translation through the model in one pass, by teacher forcing, with the traces that training keeps.
  void run_model(const Tokens& source, const Tokens& target, const InspectOptions& options, Inspection& seen) {
    const std::lock_guard lock(mutex_);
    const Workspace workspace{threads_, arena_};
    const Arena::Scope scope(arena_);
    BatchBuilder builder;
    builder.add(source, target);
    const Batch batch = builder.batch();
    check(batch, folder_.info.config);
    const Parameters& parameters = folder_.model->parameters();
    HalfTrace encoder;
    HalfTrace decoder;
    const Matrix<const float> memory = encode(parameters, batch.source, {}, workspace, &encoder);
    const Matrix<const float> hidden =
        decode(parameters, batch.target, {memory, batch.source.offsets}, {}, workspace, &decoder);
    seen.maps = attention_maps(parameters, encoder, decoder);
    seen.rollout = rollout(seen.maps);
    seen.norms = {stack_norms(parameters.encoder, encoder.stack, memory),
                  stack_norms(parameters.decoder, decoder.stack, hidden)};
    for (const HeadPlace& place : options.all_numbers ? all_heads(parameters) : options.numbers) {
      seen.numbers.push_back(head_numbers(parameters, encoder, decoder, place));
    }
    const Matrix<float> logits = arena_.matrix(hidden.rows, parameters.output.weight.rows);
    linear(hidden, parameters.output, logits, workspace);
    add_choices(logits, target, seen);
  }

  void add_choices(Matrix<const float> logits, const Tokens& target, Inspection& seen) const {
    seen.log_probability = 0.0;
    for (Index row = 0; row < logits.rows; ++row) {
      const std::span<const float> line = logits.row_span(row);
      const double most = *std::ranges::max_element(line);
      double sum = 0.0;
      for (const float logit : line) sum += std::exp(static_cast<double>(logit) - most);
      const auto log_probability = [&](int token) {
        return static_cast<double>(line[static_cast<std::size_t>(token)]) - most - std::log(sum);
      };
      std::vector<int> order(line.size());
      std::iota(order.begin(), order.end(), 0);
      const std::size_t count = std::min(listed_choices, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                        [&](int a, int b) {
                          const float x = line[static_cast<std::size_t>(a)];
                          const float y = line[static_cast<std::size_t>(b)];
                          return x != y ? x > y : a < b;
                        });
      std::vector<PieceChoice>& choices = seen.choices.emplace_back();
      for (std::size_t i = 0; i < count; ++i) {
        choices.push_back({piece_name(order[i]), static_cast<float>(std::exp(log_probability(order[i])))});
      }
      const double step = log_probability(target[static_cast<std::size_t>(row)]);
      seen.piece_log_probabilities.push_back(static_cast<float>(step));
      seen.log_probability += step;
    }
  }

  std::string piece_name(int token) const {
    return token == end_token ? "</s>" : folder_.tokenizers.target->piece(token);
  }

  // Every head at once: the variants fill batches like sentences of their own.
  template <class Progress>
  void silence(const Tokens& source, Tokens target, const SearchOptions& search, Inspection& seen,
               const Progress& progress) {
    target.pop_back();
    const std::vector<HeadPlace> places = all_heads(folder_.model->parameters());
    seen.silenced.resize(places.size());
    Waiting waiting(2 * places.size());
    SearchOptions best = search;
    best.n_best = 1;
    std::vector<std::unique_ptr<Request>> requests;
    for (std::size_t i = 0; i < places.size(); ++i) {
      SilencedHead& out = seen.silenced[i];
      out.place = places[i];
      requests.push_back(std::make_unique<Request>(
          Request{.source = source,
                  .options = best,
                  .silenced = places[i],
                  .done = [&](std::vector<Hypothesis> found, const std::exception_ptr& error) {
                    if (error == nullptr) {
                      out.text = codec_.decode_text(found[0].tokens);
                      out.log_probability = found[0].log_probability;
                    }
                    waiting.finish(error);
                  }}));
      requests.push_back(std::make_unique<Request>(
          Request{.source = source,
                  .prefix = target,
                  .task = Task::score,
                  .options = {.beam = 1},
                  .silenced = places[i],
                  .done = [&](std::vector<Hypothesis> found, const std::exception_ptr& error) {
                    if (error == nullptr) out.of_translation = found[0].log_probability;
                    waiting.finish(error);
                  }}));
    }
    engine_.submit(std::move(requests));
    waiting.wait([&](double share) { progress(share_of_first_search + (1.0 - share_of_first_search) * share); });
  }

  ModelFolder folder_;
  Model model_;
  LineCodec codec_;
  std::mutex mutex_;  // of the threads and the arena
  ThreadPool threads_;
  Arena arena_;
  Engine engine_;
};

Inspector::Inspector(const std::filesystem::path& folder, const ModelOptions& options)
    : implementation_(std::make_unique<Implementation>(folder, options)) {}
Inspector::Inspector(Inspector&&) noexcept = default;
Inspector& Inspector::operator=(Inspector&&) noexcept = default;
Inspector::~Inspector() = default;

const Inspector::Model& Inspector::model() const { return implementation_->model(); }
SearchOptions Inspector::default_options() const { return implementation_->default_options(); }
Inspection Inspector::inspect(std::string_view text, const InspectOptions& options) const {
  return implementation_->inspect(text, options);
}

}  // namespace heed
