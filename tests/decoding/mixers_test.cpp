// What holds for every kind of mixer while decoding. The kinds come from mixer_cases().
#include "decoding/search_case.h"
#include "decoding/steps_of.h"

namespace heed {
namespace {

const std::vector<int> source{5, 9, 4, 7, end_token};

// Tokens of an output; outputs of different salts differ from position `from` on.
std::vector<int> output(Index length, Index from = 0, Index salt = 0) {
  std::vector<int> tokens;
  for (Index i = 0; i < length; ++i) tokens.push_back(static_cast<int>((3 * i + 4 + (i < from ? 0 : salt)) % 11));
  return tokens;
}

// A session that steps several hypotheses at once, token by token.
class Steps {
 public:
  struct Line {
    int token = start_token;  // what the next step reads
    std::vector<std::int32_t> past;
  };

  Steps(const Transformer& model, const Workspace& workspace) : model_(model), workspace_(workspace) {
    constexpr Index rows = 1000;
    const auto length = static_cast<Index>(source.size());
    session_ = model_.begin({.past = rows, .state = rows, .memory = length}, rows, workspace.arena);
    for (std::int32_t i = 0; i < length; ++i) memory_.push_back(i);
    const Index offsets[] = {0, length};
    session_->admit({{source, offsets}, memory_, rows, {}}, workspace);
  }

  // The hidden states, a row for each line.
  std::vector<std::vector<float>> step(std::vector<Line>& lines) {
    const Arena::Scope scope(workspace_.arena);
    std::vector<StepRow> rows;
    for (Line& line : lines) {
      const std::int32_t before = line.past.empty() ? no_row : line.past.back();
      // Rows of the past and of states have the same index.
      line.past.push_back(next_row_++);
      const auto position = static_cast<Index>(line.past.size()) - 1;
      rows.push_back({line.token, position, line.past, memory_, before, line.past.back()});
    }
    const Matrix<const float> hidden = session_->step(rows, Wanted::hidden, workspace_);
    std::vector<std::vector<float>> result;
    for (Index i = 0; i < hidden.rows; ++i) result.emplace_back(hidden.row(i), hidden.row(i) + hidden.cols);
    return result;
  }

  // The hidden states at each position of one output.
  std::vector<std::vector<float>> run(const std::vector<int>& tokens) {
    std::vector<Line> line(1);
    std::vector<std::vector<float>> hidden;
    for (const int token : tokens) {
      hidden.push_back(step(line)[0]);
      line[0].token = token;
    }
    return hidden;
  }

 private:
  TranslationModel model_;
  const Workspace& workspace_;
  std::unique_ptr<StepSession> session_;
  std::vector<std::int32_t> memory_;
  std::int32_t next_row_ = 0;
};

std::vector<float> joined(const std::vector<std::vector<float>>& rows) {
  std::vector<float> all;
  for (const std::vector<float>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

// The same from the decoder as in training.
std::vector<float> teacher_forcing(const Transformer& model, const std::vector<int>& tokens,
                                   const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  BatchBuilder builder;
  builder.add(source, tokens);
  const Batch batch = builder.batch();
  const RaggedRows memory{encode(model.parameters(), batch.source, {}, workspace, nullptr), batch.source.offsets};
  return flat(decode(model.parameters(), batch.target, memory, {}, workspace, nullptr));
}

TEST(MixerSteps, EqualTeacherForcing) {
  for (const MixerCase& mixers : mixer_cases()) {
    SearchCase c(mixers.config);
    const std::vector<int> tokens = output(80);
    const std::vector<float> got = joined(Steps(c.model, c.workspace).run(tokens));
    EXPECT_LE(relative_error(got, teacher_forcing(c.model, tokens, c.workspace)), 1e-5) << mixers.name;
  }
}

TEST(MixerSteps, InIntegersAreNearTeacherForcing) {
  for (const MixerCase& mixers : mixer_cases()) {
    SearchCase c(mixers.config);
    const Transformer integers(mixers.config, quantize(mixers.config, c.model.values()));
    const std::vector<int> tokens = output(80);
    const std::vector<float> got = joined(Steps(integers, c.workspace).run(tokens));
    EXPECT_LE(relative_error(got, teacher_forcing(c.model, tokens, c.workspace)), 0.02) << mixers.name;
  }
}

TEST(MixerSteps, HypothesesThatPartHaveTheBitsOfEachAlone) {
  for (const MixerCase& mixers : mixer_cases()) {
    SearchCase c(mixers.config);
    const Transformer integers(mixers.config, quantize(mixers.config, c.model.values()));
    for (const Transformer* model : {&std::as_const(c.model), &integers}) {
      // One output up to position 3, two up to position 7, then four.
      std::vector<std::vector<int>> targets{output(20), output(20, 7, 1), output(20, 3, 2), output(20, 3, 2)};
      for (std::size_t i = 7; i < 20; ++i) targets[3][i] = (targets[3][i] + 5) % 11;
      Steps steps(*model, c.workspace);
      std::vector<Steps::Line> lines(1);
      std::vector<std::vector<float>> together[4];
      for (std::size_t position = 0; position < 20; ++position) {
        const std::vector<std::vector<float>> hidden = steps.step(lines);
        for (std::size_t t = 0; t < 4; ++t) together[t].push_back(hidden[t * lines.size() / 4]);
        if (position == 3 || position == 7) {
          std::vector<Steps::Line> forked;
          for (const Steps::Line& line : lines) forked.insert(forked.end(), 2, line);
          lines = forked;
        }
        for (std::size_t i = 0; i < lines.size(); ++i) lines[i].token = targets[i * 4 / lines.size()][position];
      }
      for (std::size_t t = 0; t < 4; ++t) {
        EXPECT_EQ(joined(together[t]), joined(Steps(*model, c.workspace).run(targets[t]))) << mixers.name << ", " << t;
      }
    }
  }
}

TEST(MixerSteps, HaveTheSameBitsOnAnyNumberOfThreads) {
  for (MixerCase mixers : mixer_cases()) {
    mixers.config.d_model = 64;
    mixers.config.heads = 4;
    SearchCase one(mixers.config, 1);
    const std::vector<int> tokens = output(80);
    const std::vector<float> want = joined(Steps(one.model, one.workspace).run(tokens));
    for (const int threads : {2, 5}) {
      SearchCase other(mixers.config, threads);
      EXPECT_EQ(joined(Steps(other.model, other.workspace).run(tokens)), want) << mixers.name << ", " << threads;
    }
  }
}

TEST(MixerSteps, BeamSearchFindsWhatTheSlowSearchFinds) {
  const SearchOptions options{.beam = 3, .n_best = 3, .extra_length = 12};
  for (const MixerCase& mixers : mixer_cases()) {
    SearchCase c(mixers.config);
    const Sources sources = make_sources(mixers.config, {3, 1, 9});
    const Results got = c.search(sources, options, 2);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      expect_equal(got[s], slow_search(c.model, sources[s], options, c.workspace), mixers.name);
    }
  }
}

TEST(WindowSteps, HaveTheBitsOfAttentionWhereTheWindowHoldsTheOutput) {
  const Config config = small_config();
  SearchCase c(config);
  const std::vector<int> tokens = output(80);
  for (const auto& [window, globals] : {std::pair<Index, Index>{80, 0}, {1, 79}, {40, 40}, {1000, 3}, {1, 1000}}) {
    Config wide = config;
    wide.decoder_mixer = {MixerKind::window};
    wide.window = window;
    wide.globals = globals;
    SearchCase w(wide);
    EXPECT_EQ(Steps(w.model, w.workspace).run(tokens), Steps(c.model, c.workspace).run(tokens)) << window;
    const Transformer plain8(config, quantize(config, c.model.values()));
    const Transformer wide8(wide, quantize(wide, w.model.values()));
    EXPECT_EQ(Steps(wide8, w.workspace).run(tokens), Steps(plain8, c.workspace).run(tokens)) << window;
  }
}

TEST(WindowSteps, SeeNoMoreThanTheWindowAndTheGlobals) {
  Config config = small_config();
  config.decoder_mixer = {MixerKind::window};
  config.window = 4;
  config.globals = 2;
  SearchCase c(config);
  // Position 20 reads tokens 0 … 19; it sees positions 0, 1 and 17 … 20, and position p is of token p − 1.
  std::vector<int> tokens = output(30);
  const std::vector<float> want = Steps(c.model, c.workspace).run(tokens)[20];
  for (const std::size_t unseen : {1u, 5u, 10u, 15u}) tokens[unseen] = (tokens[unseen] + 1) % 11;
  EXPECT_EQ(Steps(c.model, c.workspace).run(tokens)[20], want);
  for (const std::size_t seen : {0u, 16u, 17u, 18u, 19u}) {
    std::vector<int> other = tokens;
    other[seen] = (other[seen] + 1) % 11;
    EXPECT_NE(Steps(c.model, c.workspace).run(other)[20], want) << seen;
  }
}

}  // namespace
}  // namespace heed
