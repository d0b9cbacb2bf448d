#include "decoding/choose.h"

#include <algorithm>
#include <limits>

#include "kernels/elementwise.h"
#include "kernels/loss.h"

namespace heed {
namespace {

using kernels::Candidate;
using kernels::LogSum;

constexpr Index part_columns = 1024;  // of the vocabulary, for a task
constexpr Index tile_columns = 256;   // of a tile of logits
constexpr Index tile_rows = 192;      // likewise; a tile stays in the L2 cache

// One call, split into tasks.
class Chooser {
 public:
  Chooser(std::span<const Linear* const> outputs, std::span<const Matrix<const float>> hidden,
          std::span<const Rule> rules, std::span<const ListedRows> listed, const Choices& choices,
          const Workspace& workspace)
      : outputs_(outputs),
        rules_(rules),
        listed_(listed),
        choices_(choices),
        workspace_(workspace),
        rows_(static_cast<Index>(rules.size())),
        unlisted_rows_(listed.empty() ? rows_ : listed.front().first),
        vocabulary_(outputs[0]->weight.rows),
        parts_(unlisted_rows_ == 0 ? 1 : divide_up(vocabulary_, part_columns)),
        each_(static_cast<Index>(choices.candidates.size()) / rows_) {
    Arena& arena = workspace.arena;
    inputs_ = arena.array<LinearInput>(static_cast<Index>(outputs.size()));
    for (std::size_t m = 0; m < outputs.size(); ++m) {
      inputs_[m] = prepare_input(hidden[m], *outputs[m], workspace);
    }
    tiles_ = arena.array<Matrix<float>>(Index{2} * workspace.threads.threads());
    for (Matrix<float>& tile : tiles_) tile = arena.matrix(std::min(rows_, tile_rows), tile_columns);
    sums_ = arena.array<LogSum>(rows_ * parts_ * static_cast<Index>(outputs.size()));
    best_ = arena.array<Candidate>(rows_ * parts_ * each_);
    std::fill(sums_.begin(), sums_.end(), LogSum());
    std::fill(best_.begin(), best_.end(), kernels::no_candidate);
    forced_logits_ = arena.floats(rows_);
    least_ = arena.floats(rows_ * workspace.threads.threads());
    std::fill(least_.begin(), least_.end(), -std::numeric_limits<float>::infinity());
    lists_ = arena.array<Index>(rows_);
    std::fill(lists_.begin(), lists_.end(), -1);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      std::fill_n(lists_.begin() + listed[i].first, listed[i].count, static_cast<Index>(i));
    }
    make_room_for_sampling(arena);
  }

  void run() {
    const Index parts = unlisted_rows_ == 0 ? 0 : parts_;
    workspace_.threads.run(parts + static_cast<Index>(listed_.size()), [&](Index task, int worker) noexcept {
      if (task < parts) return compute_part(task, worker);
      compute_listed(listed_[at(task - parts)], worker);
    });
    for_row_blocks(workspace_, rows_, [&](Index first, Index count) noexcept {
      for (Index row = first; row < first + count; ++row) finish(row);
    });
  }

 private:
  // Sampling needs all logits of a row at once.
  void make_room_for_sampling(Arena& arena) {
    full_rows_ = arena.array<Index>(rows_);
    Index count = 0;
    for (Index row = 0; row < rows_; ++row) full_rows_[at(row)] = rules_[at(row)].sampling != nullptr ? count++ : -1;
    if (count == 0) return;
    full_ = arena.matrix(count, vocabulary_);
    order_ = arena.array<std::span<Candidate>>(count);
    for (std::span<Candidate>& order : order_) order = arena.array<Candidate>(vocabulary_);
  }

  void compute_part(Index part, int worker) noexcept {
    const Index begin = part * part_columns;
    compute_columns(outputs_, {part, worker, 0, unlisted_rows_, begin, std::min(begin + part_columns, vocabulary_)});
  }

  void compute_listed(const ListedRows& list, int worker) noexcept {
    compute_columns(list.outputs,
                    {0, worker, list.first, list.first + list.count, 0, static_cast<Index>(list.tokens.size())});
  }

  // Columns of some rows, for one part.
  struct Block {
    Index part;
    int worker;
    Index row, end_row;
    Index col, end_col;
  };

  void compute_columns(std::span<const Linear* const> outputs, const Block& all) noexcept {
    for (Index row = all.row; row < all.end_row; row += tile_rows) {
      for (Index col = all.col; col < all.end_col; col += tile_columns) {
        compute_tile(outputs, {all.part, all.worker, row, std::min(row + tile_rows, all.end_row), col,
                               std::min(col + tile_columns, all.end_col)});
      }
    }
  }

  void compute_tile(std::span<const Linear* const> outputs, const Block& tile) noexcept {
    const auto [part, worker, first_row, end_row, first_col, end_col] = tile;
    const Index rows = end_row - first_row;
    const Index cols = end_col - first_col;
    const Matrix<float> mean = tiles_[at(Index{2} * worker)].rows_from(0, rows).cols_from(0, cols);
    const Matrix<float> one = tiles_[at(Index{2} * worker + 1)].rows_from(0, rows).cols_from(0, cols);
    for (std::size_t m = 0; m < outputs.size(); ++m) {
      const Matrix<float> logits = m == 0 ? mean : one;
      linear_part(inputs_[m], *outputs[m], first_row, first_col, logits);
      for (Index i = 0; i < rows; ++i) {
        const Index row = first_row + i;
        if (rules_[at(row)].scored) sum_of(row, part, m).add(kernels::log_sum_exp(logits.row_span(i)));
      }
      if (m > 0) kernels::add(mean, one, mean);
    }
    const float share = 1.0f / static_cast<float>(outputs.size());
    for (Index i = 0; i < rows; ++i) {
      const std::span<float> logits = mean.row_span(i);
      if (outputs.size() > 1) {
        for (float& logit : logits) logit *= share;
      }
      look_at(first_row + i, part, worker, first_col, logits);
    }
  }

  // Null for a row that chooses from the whole vocabulary.
  const ListedRows* list_of(Index row) const noexcept {
    return lists_[at(row)] < 0 ? nullptr : &listed_[at(lists_[at(row)])];
  }

  // The column of a token in a row's logits; −1 if its list lacks the token.
  int column_of(Index row, int token) const noexcept {
    const ListedRows* list = list_of(row);
    if (list == nullptr) return token;
    const auto found = std::lower_bound(list->tokens.begin(), list->tokens.end(), token);
    const bool there = found != list->tokens.end() && *found == token;
    return there ? static_cast<int>(found - list->tokens.begin()) : -1;
  }

  // Some logits of a row. Candidates are columns until finish() turns them into tokens.
  void look_at(Index row, Index part, int worker, Index first_col, std::span<float> logits) noexcept {
    const Rule& rule = rules_[at(row)];
    const auto first = static_cast<int>(first_col);
    const auto within = [&](int col) { return col >= first && col < first + static_cast<int>(logits.size()); };
    if (rule.forced >= 0) {
      const int col = column_of(row, rule.forced);
      if (within(col)) forced_logits_[at(row)] = logits[at(col - first)];
      return;
    }
    for (const int token : rule.banned) {
      const int col = column_of(row, token);
      if (within(col)) logits[at(col - first)] = -std::numeric_limits<float>::infinity();
    }
    if (rule.sampling != nullptr) {
      std::copy(logits.begin(), logits.end(), full_.row(full_rows_[at(row)]) + first_col);
      return;
    }
    const std::span<Candidate> best = best_of(row, part);
    // As many candidates as needed are known to be at least this large: without the bound each part would begin with a
    // long run of new bests.
    float& least = least_[at(row * workspace_.threads.threads() + worker)];
    kernels::top_k(logits, first, least, best);
    if (best.back().token >= 0) least = std::max(least, best.back().logit);
  }

  void finish(Index row) noexcept {
    const std::span<Candidate> candidates = choices_.candidates.subspan(at(row * each_), at(each_));
    std::fill(candidates.begin(), candidates.end(), kernels::no_candidate);
    const Rule& rule = rules_[at(row)];
    const ListedRows* list = list_of(row);
    if (rule.forced >= 0) {
      candidates[0] = {rule.forced, forced_logits_[at(row)]};
    } else if (rule.sampling != nullptr) {
      const Index full = full_rows_[at(row)];
      const std::size_t columns = list == nullptr ? at(vocabulary_) : list->tokens.size();
      candidates[0] = sample(full_.row_span(full).first(columns), *rule.sampling, rule.key, order_[at(full)]);
    } else {
      join_best(row, candidates);
    }
    if (list != nullptr && rule.forced < 0) {
      for (Candidate& candidate : candidates) {
        if (candidate.token >= 0) candidate.token = list->tokens[at(candidate.token)];
      }
    }
    choices_.log_sums[at(row)] = rule.scored ? log_sum(row) : unscored_sum(row, candidates[0]);
  }

  float log_sum(Index row) noexcept {
    float total = 0.0f;
    for (std::size_t m = 0; m < outputs_.size(); ++m) {
      LogSum sum;
      for (Index part = 0; part < parts_; ++part) sum.add(sum_of(row, part, m));
      total += sum.value();
    }
    return total / static_cast<float>(outputs_.size());
  }

  // Makes the log-probability of the one candidate 0. If there is none though not all tokens are banned, logits are
  // NaN.
  float unscored_sum(Index row, const Candidate& candidate) const noexcept {
    if (candidate.token >= 0) return candidate.logit;
    const std::span<const int> banned = rules_[at(row)].banned;
    const ListedRows* list = list_of(row);
    const auto is_banned = [&](int token) { return std::find(banned.begin(), banned.end(), token) != banned.end(); };
    const bool all_banned = list == nullptr ? static_cast<Index>(banned.size()) >= vocabulary_
                                            : std::all_of(list->tokens.begin(), list->tokens.end(), is_banned);
    return all_banned ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  }

  void join_best(Index row, std::span<Candidate> candidates) noexcept {
    // Parts come in the order of their tokens, so in a tie the lower token stays first.
    for (Index part = 0; part < parts_; ++part) {
      for (const Candidate& candidate : best_of(row, part)) {
        if (candidate.token < 0 || !(candidate.logit > candidates.back().logit)) break;
        const auto place = std::upper_bound(candidates.begin(), candidates.end(), candidate,
                                            [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; });
        std::move_backward(place, candidates.end() - 1, candidates.end());
        *place = candidate;
      }
    }
  }

  LogSum& sum_of(Index row, Index part, std::size_t model) {
    return sums_[(at(row) * at(parts_) + at(part)) * outputs_.size() + model];
  }
  std::span<Candidate> best_of(Index row, Index part) {
    return best_.subspan(at((row * parts_ + part) * each_), at(each_));
  }

  std::span<const Linear* const> outputs_;
  std::span<const Rule> rules_;
  std::span<const ListedRows> listed_;
  const Choices& choices_;
  const Workspace& workspace_;
  Index rows_;
  Index unlisted_rows_;  // the first ones
  Index vocabulary_;
  Index parts_;
  Index each_;
  std::span<Index> lists_;                 // of each row: which of listed_, or −1
  std::span<LinearInput> inputs_;          // of each model
  std::span<Matrix<float>> tiles_;         // two for each thread
  std::span<LogSum> sums_;                 // (rows, parts, models)
  std::span<Candidate> best_;              // (rows, parts, candidates)
  std::span<float> least_;                 // (rows, threads): lower bound of a candidate that can still matter
  std::span<float> forced_logits_;         // of each row
  std::span<Index> full_rows_;             // of each row: its row of full_, or −1
  Matrix<float> full_;                     // the logits of those rows that sample
  std::span<std::span<Candidate>> order_;  // scratch for each of them
};

}  // namespace

void choose(std::span<const Linear* const> outputs, std::span<const Matrix<const float>> hidden,
            std::span<const Rule> rules, std::span<const ListedRows> listed, const Choices& choices,
            const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::loss);
  const Arena::Scope scope(workspace.arena);
  Chooser(outputs, hidden, rules, listed, choices, workspace).run();
}

}  // namespace heed
