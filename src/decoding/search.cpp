#include "decoding/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/figures.h"
#include "decoding/beam.h"
#include "decoding/choose.h"
#include "heed/error.h"

namespace heed {
namespace {

// Sources admitted together are encoded this many tokens at a time: their activations then stay in the cache, and long
// groups take no more memory.
constexpr Index encoded_at_a_time = 256;
// The most positions that address space is reserved for; memory is taken as they are reached.
constexpr Index most_positions = 1 << 17;
// Divisors: the part of the arena that each may take. The rest is for the steps.
constexpr std::size_t share_of_positions = 8;
constexpr std::size_t share_of_rows = 2;
constexpr std::size_t share_of_states = 8;

}  // namespace

// The active sentences, and everything that they share.
class Search::Live {
 public:
  Live(StepModels models, Index batch, const Workspace& workspace)
      : models_(models.begin(), models.end()),
        limits_(models[0]->limits()),
        workspace_(workspace),
        scope_(workspace.arena),
        position_count_(position_budget()),
        lineage_(row_budget(), workspace.arena),
        states_(state_budget(), workspace.arena),
        memory_(lineage_.capacity(), workspace.arena) {
    const RowCounts rows{lineage_.capacity(), states_.capacity(), memory_.capacity()};
    for (const StepModel* model : models_) {
      sessions_.push_back(model->begin(rows, position_count_, workspace.arena));
      outputs_.push_back(&model->output());
    }
    for (Index i = 0; i < batch; ++i) slots_.push_back(std::make_unique<Slot>(lineage_, states_));
  }

  void run(const Next& next) {
    while (true) {
      try {
        enter_waiting(next);
        if (working_.empty() && waiting_ == nullptr) return;
        step();
      } catch (...) {
        // Most likely out of memory: report it to the callers of these sentences.
        for (const auto& slot : working_) slot->error = std::current_exception();
      }
      leave();
    }
  }

 private:
  // The most that sentences may need.
  struct Reserved {
    Index rows = 0;    // of the past
    Index states = 0;  // of recurrent layers
  };

  // A slot of the batch, used by one sentence after the other.
  struct Slot {
    Slot(Lineage& lineage, StatePool& states) : beam(lineage, states) {}

    bool listed() const { return !tokens.empty(); }

    std::unique_ptr<Request> request;
    std::vector<std::int32_t> memory;    // the rows of its source
    std::vector<int> tokens;             // of its shortlist; none: the whole vocabulary
    std::vector<LinearSubset> subsets;   // of each model's output layer: those tokens
    std::vector<const Linear*> outputs;  // the same
    Reserved reserved;
    std::exception_ptr error;
    Beam beam;
  };

  // Rows of this many bytes that fit a share of the arena.
  Index budget(std::size_t share, Index bytes, Index most) const {
    return std::clamp<Index>(static_cast<Index>(workspace_.arena.size() / share) / std::max<Index>(bytes, 1), 1, most);
  }

  Index position_budget() const {
    Index bytes = 0;
    for (const StepModel* model : models_) bytes += model->limits().position_bytes;
    return budget(share_of_positions, bytes, most_positions);
  }

  // Rows of the past, and as many of the memory. Only those in use take memory.
  Index row_budget() const {
    Index bytes = Lineage::row_bytes + RowPool::row_bytes;
    for (const StepModel* model : models_) bytes += model->limits().row.past + model->limits().row.memory;
    return budget(share_of_rows, bytes, std::numeric_limits<std::int32_t>::max());
  }

  Index state_budget() const {
    Index bytes = 0;
    for (const StepModel* model : models_) bytes += model->limits().row.state;
    return bytes == 0 ? 0
                      : budget(share_of_states, bytes + StatePool::row_bytes, std::numeric_limits<std::int32_t>::max());
  }

  // The most positions that every model supports and that there is room for.
  Index positions() const {
    Index most = position_count_;
    for (const StepModel* model : models_) most = std::min(most, model->limits().positions);
    return most;
  }

  Index most_pieces(const Request& request) const {
    if (request.task == Task::score) return static_cast<Index>(request.prefix.size());
    const auto source = static_cast<Index>(request.source.size()) - 1;
    const Index wanted =
        request.options.max_length > 0 ? request.options.max_length : source + request.options.extra_length;
    const Index needed = request.grammar != nullptr ? request.grammar->least_room() : request.options.min_length;
    const Index most = std::max({wanted, needed, static_cast<Index>(request.prefix.size())});
    return std::min(most, positions() - 1);
  }

  void check_request(const Request& request) const {
    check(request.options);
    check_alignment_layer(request.options, models_);
    for (const StepModel* model : models_) model->check_input(request.source);
    for (const int token : request.prefix) {
      if (token < 0 || token >= limits_.vocabulary || token == end_token) {
        throw Error(fmt::format("the prefix contains token {}; use pieces of the target vocabulary", token));
      }
    }
    if (request.task == Task::score) check_length(request);
    if (static_cast<Index>(request.prefix.size()) > most_pieces(request)) {
      throw Error(fmt::format("the prefix has {}, but a translation may have at most {}; shorten it",
                              counted(request.prefix.size(), "piece"), most_pieces(request)));
    }
    if (!fits(request)) {
      throw Error(fmt::format("a beam of {} needs more memory than is available; choose a smaller one",
                              std::max(request.options.beam, request.options.n_best)));
    }
  }

  void check_length(const Request& request) const {
    const Index length = most_pieces(request) + 1;
    if (length <= positions()) return;
    throw Error(fmt::format("a translation of {} is longer than the model's {}; shorten it",
                            counted(length - 1, "piece"), counted(positions(), "position")));
  }

  bool fits(const Request& request) const {
    return rows_needed(request) <= lineage_.capacity() && states_needed(request) <= states_.capacity() &&
           attention_bytes(request) <= workspace_.arena.size();
  }

  Index states_needed(const Request& request) const {
    return states_.capacity() == 0 ? 0 : Beam::most_states(request.options);
  }

  Index rows_needed(const Request& request) const {
    return std::max(Beam::most_rows(request.options, most_pieces(request)), static_cast<Index>(request.source.size()));
  }

  std::size_t attention_bytes(const Request& request) const {
    return sizeof(float) * Beam::attention_floats(request.options, most_pieces(request), request.source.size());
  }

  // Waiting sentences take the free slots as long as there are rows for them, in groups that are encoded together.
  void enter_waiting(const Next& next) {
    while (true) {
      group_.clear();
      Index encoded = 0;
      while (encoded < encoded_at_a_time && enter_one(next)) {
        encoded += static_cast<Index>(group_.back()->request->source.size());
      }
      if (group_.empty()) return;
      encode_group();
    }
  }

  bool enter_one(const Next& next) {
    while (!slots_.empty()) {
      if (waiting_ == nullptr) waiting_ = next();
      if (waiting_ == nullptr) return false;
      try {
        check_request(*waiting_);
      } catch (...) {
        std::exchange(waiting_, nullptr)->done({}, std::current_exception());
        continue;
      }
      const Reserved needed{rows_needed(*waiting_), states_needed(*waiting_)};
      if (reserved_.rows + needed.rows > lineage_.capacity()) return false;
      if (reserved_.states + needed.states > states_.capacity()) return false;
      reserved_.rows += needed.rows;
      reserved_.states += needed.states;
      group_.push_back(slots_.back().get());
      working_.push_back(std::move(slots_.back()));
      slots_.pop_back();
      start(*group_.back(), std::exchange(waiting_, nullptr), needed);
      return true;
    }
    return false;
  }

  void start(Slot& slot, std::unique_ptr<Request> request, Reserved reserved) {
    slot.request = std::move(request);
    slot.reserved = reserved;
    slot.error = nullptr;
    slot.memory.resize(slot.request->source.size());
    for (std::int32_t& row : slot.memory) row = memory_.take();
    slot.beam.start(*slot.request, most_pieces(*slot.request), limits_.first_token, slot.memory);
    slot.beam.record(slot.request->trace);
    list_tokens(slot);
  }

  // Chooses the sentence's tokens from the shortlist of the first model, if there is one and it applies.
  void list_tokens(Slot& slot) const {
    const Request& request = *slot.request;
    const Shortlist* shortlist = models_[0]->shortlist();
    slot.tokens.clear();
    if (shortlist == nullptr || !request.options.shortlist) return;
    if (request.task == Task::score || request.grammar != nullptr) return;
    shortlist->select(request.source, request.prefix, limits_.vocabulary, slot.tokens);
    slot.subsets.resize(models_.size());
    slot.outputs.clear();
    for (std::size_t m = 0; m < models_.size(); ++m) {
      slot.subsets[m].choose(*outputs_[m], slot.tokens);
      slot.outputs.push_back(&slot.subsets[m].layer());
    }
  }

  void encode_group() {
    const Arena::Scope scope(workspace_.arena);
    BatchBuilder sources;
    std::vector<std::int32_t> rows;
    std::vector<Silenced> silenced;
    Index longest = 0;
    for (const Slot* slot : group_) {
      silenced.push_back(slot->request->silenced);
      sources.add(slot->request->source, {});
      rows.insert(rows.end(), slot->memory.begin(), slot->memory.end());
      longest = std::max(longest, most_pieces(*slot->request) + 1);
    }
    const Admission admission{sources.batch().source, rows, longest, silenced};
    for (const auto& session : sessions_) session->admit(admission, workspace_);
  }

  // Extends each live hypothesis of each active sentence by one token.
  void step() {
    const Arena::Scope scope(workspace_.arena);
    Arena& arena = workspace_.arena;
    const auto first_listed =
        std::partition(working_.begin(), working_.end(), [](const auto& slot) { return !slot->listed(); });
    const std::span<ListedRows> listed = arena.array<ListedRows>(working_.end() - first_listed);
    Index count = 0;
    Index each = 1;
    for (const auto& slot : working_) {
      count += slot->beam.live();
      each = std::max(each, slot->beam.wanted());
    }
    each = std::min(each, limits_.vocabulary);
    const std::span<StepRow> rows = arena.array<StepRow>(count);
    const std::span<Rule> rules = arena.array<Rule>(count);
    std::size_t next = 0;
    std::size_t next_list = 0;
    for (const auto& slot : working_) {
      if (slot->listed()) {
        listed[next_list++] = {static_cast<Index>(next), slot->beam.live(), slot->tokens, slot->outputs};
      }
      for (Index i = 0; i < slot->beam.live(); ++i, ++next) {
        rows[next] = slot->beam.row(i);
        ask_for_attention(slot->request->options, rows[next]);
        rows[next].silenced = slot->request->silenced;
        rules[next] = slot->beam.rule(i, arena);
      }
    }
    const std::span<Matrix<const float>> hidden = arena.array<Matrix<const float>>(static_cast<Index>(models_.size()));
    for (std::size_t m = 0; m < sessions_.size(); ++m) {
      hidden[m] = sessions_[m]->step(rows, m == 0 ? Wanted::hidden_and_attention : Wanted::hidden, workspace_);
    }
    const Choices choices{arena.array<kernels::Candidate>(count * each), arena.floats(count)};
    choose(outputs_, hidden, rules, listed, choices, workspace_);
    hand_out(choices, at(each), rows);
  }

  void ask_for_attention(const SearchOptions& options, StepRow& row) const {
    if (!options.alignment && !options.soft_alignment) return;
    row.attention = workspace_.arena.floats(static_cast<Index>(row.memory.size()));
    const Index last_but_one = std::max<Index>(limits_.attention_layers - 2, 0);
    row.attention_layer = options.alignment_layer > 0 ? options.alignment_layer - 1 : last_but_one;
  }

  void hand_out(const Choices& choices, std::size_t each, std::span<const StepRow> rows) {
    std::size_t first = 0;
    for (const auto& slot : working_) {
      const std::size_t live = at(slot->beam.live());
      for (std::size_t i = 0; i < live; ++i) {
        const std::span<const float> weights = rows[first + i].attention;
        if (!weights.empty()) slot->beam.attend(static_cast<Index>(i), weights, limits_.heads);
      }
      try {
        slot->beam.advance(
            {choices.candidates.subspan(first * each, live * each), choices.log_sums.subspan(first, live)});
      } catch (...) {
        slot->error = std::current_exception();
      }
      first += live;
    }
  }

  // Nothing where something went wrong.
  static std::vector<Hypothesis> results_of(Slot& slot) {
    try {
      if (slot.error == nullptr) return slot.beam.take_results();
    } catch (...) {
      slot.error = std::current_exception();
    }
    slot.beam.abandon();
    return {};
  }

  void leave() {
    for (std::size_t i = 0; i < working_.size();) {
      Slot& slot = *working_[i];
      if (slot.error == nullptr && !slot.beam.done()) {
        ++i;
        continue;
      }
      std::vector<Hypothesis> hypotheses = results_of(slot);
      // Without search no limit cut it off.
      const bool complete = slot.request->task == Task::score;
      for (Hypothesis& hypothesis : hypotheses) hypothesis.finished = hypothesis.finished || complete;
      slot.request->done(std::move(hypotheses), slot.error);
      slot.request.reset();
      for (const std::int32_t row : slot.memory) memory_.give_back(row);
      slot.memory.clear();
      reserved_.rows -= slot.reserved.rows;
      reserved_.states -= slot.reserved.states;
      slots_.push_back(std::move(working_[i]));
      working_[i] = std::move(working_.back());
      working_.pop_back();
    }
  }

  std::vector<const StepModel*> models_;
  const StepLimits& limits_;  // of the first model; the others have the same vocabularies
  const Workspace& workspace_;
  Arena::Scope scope_;
  Index position_count_;
  Lineage lineage_;
  StatePool states_;
  RowPool memory_;
  std::vector<std::unique_ptr<StepSession>> sessions_;  // of each model
  std::vector<const Linear*> outputs_;                  // likewise
  Reserved reserved_;                                   // by the active sentences
  std::unique_ptr<Request> waiting_;                    // the next one, for which there is no room yet
  std::vector<std::unique_ptr<Slot>> slots_, working_;
  std::vector<Slot*> group_;
};

Search::Search(StepModels models, Index batch, const Workspace& workspace)
    : live_(std::make_unique<Live>(models, batch, workspace)) {}
Search::~Search() = default;
void Search::run(const Next& next) { live_->run(next); }

double length_penalty(Index length, const SearchOptions& options) {
  const auto pieces = static_cast<double>(length);
  const double base = options.length_penalty == LengthPenalty::paper ? (5.0 + pieces) / 6.0 : pieces;
  return std::pow(base, static_cast<double>(options.alpha));
}

void check_models(StepModels models) {
  if (models.empty()) throw Error("there is no model; pass one");
  const StepLimits& first = models[0]->limits();
  for (const StepModel* model : models) {
    const StepLimits& limits = model->limits();
    if (limits.vocabulary <= end_token) {
      throw Error(fmt::format("the target vocabulary of {} has no </s> (id {}); the model cannot translate",
                              limits.vocabulary, end_token));
    }
    if (limits.input_vocabulary != first.input_vocabulary || limits.vocabulary != first.vocabulary ||
        limits.first_token != first.first_token) {
      throw Error("the models differ in their vocabularies or in how they start; an ensemble needs the same ones");
    }
  }
}

void check_alignment_layer(const SearchOptions& options, StepModels models) {
  const Index layers = models[0]->limits().attention_layers;
  if (options.alignment_layer <= layers) return;
  throw SettingError("alignment-layer",
                     fmt::format("alignment-layer is {}; choose 1 to {}, the model's last decoder layer",
                                 options.alignment_layer, layers));
}

std::vector<std::vector<Hypothesis>> search(StepModels models, const Ragged& sources, const SearchOptions& options,
                                            Index batch, const Workspace& workspace) {
  check(options);
  check_models(models);
  std::vector<std::vector<Hypothesis>> all(at(sources.sentences()));
  std::exception_ptr first_error;
  Index next = 0;
  Search(models, batch, workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == sources.sentences()) return nullptr;
    const Index s = next++;
    const auto tokens =
        sources.tokens.subspan(at(sources.offsets[at(s)]), at(sources.offsets[at(s) + 1] - sources.offsets[at(s)]));
    return std::make_unique<Request>(
        Request{.source = {tokens.begin(), tokens.end()},
                .options = options,
                .done = [&, s](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
                  if (error != nullptr && first_error == nullptr) first_error = error;
                  all[at(s)] = std::move(hypotheses);
                }});
  });
  if (first_error != nullptr) std::rethrow_exception(first_error);
  return all;
}

}  // namespace heed
