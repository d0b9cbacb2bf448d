#include "decoding/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decoding/beam.h"
#include "heed/error.h"
#include "kernels/loss.h"

namespace heed {
namespace {

constexpr Index most_beam = 1024;
constexpr Index most_batch = 65536;
constexpr Index most_extra_length = 65536;
// Sources that come in together are encoded this many tokens at a time, so that long ones take no more memory.
constexpr Index encoded_at_a_time = 4096;

// A place in the batch: sentences go through it one after the other.
struct Slot {
  Index memory_row;  // the first of its rows for the source
  Beam beam;
};

// Longer sentences first: whatever follows in a slot fits where the first one did, and at the end only short ones run.
std::vector<Index> longest_first(const Ragged& source) {
  std::vector<Index> order(static_cast<std::size_t>(source.sentences()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto length = [&](Index s) {
    return source.offsets[static_cast<std::size_t>(s) + 1] - source.offsets[static_cast<std::size_t>(s)];
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return length(a) > length(b); });
  return order;
}

class Search {
 public:
  Search(const Transformer& model, const Ragged& source, const SearchOptions& options, const Workspace& workspace)
      : model_(model),
        config_(model.config()),
        source_(source),
        options_(options),
        workspace_(workspace),
        waiting_(longest_first(source)),
        cache_(make_cache()),
        positions_(
            position_table(config_.positions, most_pieces(waiting_[0]) + 1, model.parameters().target, workspace)) {
    make_slots();
  }

  void run(const Found& found) {
    while (true) {
      fill_slots();
      if (working_.empty()) return;
      step();
      leave(found);
    }
  }

 private:
  Index length(Index sentence) const {
    return source_.offsets[static_cast<std::size_t>(sentence) + 1] -
           source_.offsets[static_cast<std::size_t>(sentence)];
  }
  std::span<const int> tokens(Index sentence) const {
    return source_.tokens.subspan(static_cast<std::size_t>(source_.offsets[static_cast<std::size_t>(sentence)]),
                                  static_cast<std::size_t>(length(sentence)));
  }
  Index most_pieces(Index sentence) const {
    const Index most = length(sentence) - 1 + options_.extra_length;
    return config_.positions == Positions::learned ? std::min(most, config_.max_positions - 1) : most;
  }
  // The last piece is followed by </s>.
  Index most_steps(Index sentence) const { return most_pieces(sentence) + 1; }

  // As many slots as there are sentences, unless their keys and values would take a large part of the memory.
  Cache make_cache() {
    const Index budget = static_cast<Index>(machine_memory() / 4 / sizeof(float)) / cache_row_size(config_);
    const Index most_rows = std::min<Index>(budget, std::numeric_limits<std::int32_t>::max());
    Index past_rows = 0;
    Index memory_rows = 0;
    for (const Index sentence : waiting_) {
      const Index past = options_.beam * most_steps(sentence);
      const bool fits = past_rows + past + memory_rows + length(sentence) <= most_rows;
      if (slot_count_ == options_.batch || (slot_count_ > 0 && !fits)) break;
      past_rows += past;
      memory_rows += length(sentence);
      ++slot_count_;
    }
    return Cache(config_, past_rows, memory_rows, workspace_.arena);
  }

  void make_slots() {
    Index past_row = 0;
    Index memory_row = 0;
    slots_.reserve(static_cast<std::size_t>(slot_count_));
    for (Index i = 0; i < slot_count_; ++i) {
      const Index sentence = waiting_[static_cast<std::size_t>(i)];
      slots_.push_back({memory_row, Beam(options_, past_row, most_steps(sentence), cache_.tokens, workspace_.arena)});
      past_row += options_.beam * most_steps(sentence);
      memory_row += length(sentence);
    }
    for (Slot& slot : slots_) free_.push_back(&slot);
  }

  // Waiting sentences take the free slots, in groups that are encoded together.
  void fill_slots() {
    std::size_t free = 0;
    while (free < free_.size() && next_ < waiting_.size()) {
      BatchBuilder group;
      std::vector<Index> memory_rows;
      Index encoded = 0;
      while (free < free_.size() && next_ < waiting_.size() && encoded < encoded_at_a_time) {
        const Index sentence = waiting_[next_++];
        group.add(tokens(sentence), {});
        memory_rows.push_back(free_[free]->memory_row);
        encoded += length(sentence);
        enter(*free_[free++], sentence);
      }
      encode_group(group.batch().source, memory_rows);
    }
    free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(free));
  }

  void enter(Slot& slot, Index sentence) {
    slot.beam.start(sentence, most_pieces(sentence), config_.start == StartFrom::token ? start_token : no_token,
                    cache_.memory_rows(slot.memory_row, length(sentence)));
    working_.push_back(&slot);
  }

  void encode_group(const Ragged& group, std::span<const Index> memory_rows) {
    const Arena::Scope scope(workspace_.arena);
    const Memory memory{encode(config_, model_.parameters(), group, {}, workspace_, nullptr), group.offsets};
    store_memory(model_, memory, memory_rows, cache_, workspace_);
  }

  // Each live hypothesis of each sentence at work goes one token further.
  void step() {
    const Arena::Scope scope(workspace_.arena);
    Index count = 0;
    for (const Slot* slot : working_) count += slot->beam.live();
    const std::span<StepRow> rows = workspace_.arena.array<StepRow>(count);
    const std::span<bool> ends = workspace_.arena.array<bool>(count);
    std::size_t next = 0;
    for (const Slot* slot : working_) {
      for (Index i = 0; i < slot->beam.live(); ++i, ++next) {
        rows[next] = slot->beam.row(i);
        ends[next] = slot->beam.at_limit();
      }
    }
    const Index each = std::min(options_.beam, config_.target_vocab);
    const std::span<kernels::Candidate> candidates = workspace_.arena.array<kernels::Candidate>(count * each);
    const std::span<float> log_sums = workspace_.arena.floats(count);
    choose(decode_step(model_, rows, positions_, cache_, workspace_), ends, candidates, log_sums);
    std::size_t first = 0;
    for (Slot* slot : working_) {
      const auto live = static_cast<std::size_t>(slot->beam.live());
      const auto width = static_cast<std::size_t>(each);
      slot->beam.advance(candidates.subspan(first * width, live * width), log_sums.subspan(first, live));
      first += live;
    }
  }

  // The best tokens of each row; where the hypothesis has to end, </s> alone. Logits exist for a block of rows at a
  // time and probabilities never.
  void choose(Matrix<const float> hidden, std::span<const bool> ends, std::span<kernels::Candidate> candidates,
              std::span<float> log_sums) const {
    const std::size_t each = candidates.size() / log_sums.size();
    for (Index first = 0; first < hidden.rows; first += logits_at_a_time) {
      const Arena::Scope scope(workspace_.arena);
      const Index count = std::min(logits_at_a_time, hidden.rows - first);
      const Matrix<float> logits = workspace_.arena.matrix(count, config_.target_vocab);
      linear(hidden.rows_from(first, count), model_.parameters().output, logits, workspace_);
      workspace_.threads.run(count, [&](Index i, int) noexcept {
        const auto row = static_cast<std::size_t>(first + i);
        const std::span<kernels::Candidate> best = candidates.subspan(row * each, each);
        log_sums[row] = kernels::log_sum_exp(logits.row_span(i));
        if (!ends[row]) return kernels::top_k(logits.row_span(i), best);
        std::fill(best.begin(), best.end(), kernels::Candidate{-1, 0.0f});
        best[0] = {end_token, logits(i, end_token)};
      });
    }
  }

  void leave(const Found& found) {
    std::erase_if(working_, [&](Slot* slot) {
      if (!slot->beam.done()) return false;
      found(slot->beam.sentence(), slot->beam.take_results());
      free_.push_back(slot);
      return true;
    });
  }

  const Transformer& model_;
  const Config& config_;
  const Ragged& source_;
  const SearchOptions& options_;
  const Workspace& workspace_;
  std::vector<Index> waiting_;  // the sentences in the order in which they enter
  std::size_t next_ = 0;        // the first that has not
  Index slot_count_ = 0;
  Cache cache_;
  Matrix<const float> positions_;
  std::vector<Slot> slots_;
  std::vector<Slot*> working_, free_;
};

}  // namespace

void check(const SearchOptions& options) {
  const auto refuse = [](const char* name, auto value, const std::string& choose) {
    throw Error(fmt::format("{} is {}; choose {}", name, value, choose));
  };
  if (options.beam < 1 || options.beam > most_beam) refuse("beam", options.beam, fmt::format("1 to {}", most_beam));
  if (options.n_best < 1 || options.n_best > options.beam) {
    refuse("n-best", options.n_best, fmt::format("1 to the beam of {}, or a wider beam", options.beam));
  }
  if (!std::isfinite(options.alpha) || options.alpha < 0.0f) refuse("alpha", options.alpha, "0 or more");
  if (options.extra_length < 0 || options.extra_length > most_extra_length) {
    refuse("extra-length", options.extra_length, fmt::format("0 to {}", most_extra_length));
  }
  if (options.batch < 1 || options.batch > most_batch) {
    refuse("batch", options.batch, fmt::format("1 to {}", most_batch));
  }
}

double length_penalty(Index length, float alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, static_cast<double>(alpha));
}

void search(const Transformer& model, const Ragged& source, const SearchOptions& options, const Workspace& workspace,
            const Found& found) {
  check(options);
  check_source(source, model.config());
  if (model.config().target_vocab <= end_token) {
    throw Error(fmt::format("the target vocabulary of {} has no </s> (id {}); the model cannot translate",
                            model.config().target_vocab, end_token));
  }
  if (source.sentences() == 0) return;
  const Arena::Scope scope(workspace.arena);
  Search(model, source, options, workspace).run(found);
}

std::vector<std::vector<Hypothesis>> search(const Transformer& model, const Ragged& source,
                                            const SearchOptions& options, const Workspace& workspace) {
  std::vector<std::vector<Hypothesis>> all(static_cast<std::size_t>(source.sentences()));
  search(model, source, options, workspace, [&](Index sentence, std::vector<Hypothesis> hypotheses) {
    all[static_cast<std::size_t>(sentence)] = std::move(hypotheses);
  });
  return all;
}

}  // namespace heed
