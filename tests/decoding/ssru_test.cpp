// Recurrent decoders in a search: steps, forks, rows of states, and models without a KV cache for self-attention.
#include <algorithm>
#include <functional>

#include "decoding/search_case.h"
#include "decoding/steps_of.h"
#include "decoding/translator_case.h"
#include "error_message.h"

namespace heed {
namespace {

Config recurrent_config(const MixerKinds& kinds = {MixerKind::ssru}) {
  Config config = config_with_output_bias();
  config.decoder_layers = 2;
  config.decoder_mixer = kinds;
  return config;
}

// One source, and the decoder step by step. Every position of every hypothesis has its own row.
class Steps {
 public:
  static constexpr Index positions = 100;

  Steps(const Transformer& model, const std::vector<int>& source, const Workspace& workspace)
      : workspace_(workspace), scope_(workspace.arena), model_(model) {
    const Index rows = positions * hypotheses;
    session_ = model_.begin({rows, rows, static_cast<Index>(source.size())}, positions, workspace.arena);
    for (std::size_t i = 0; i < source.size(); ++i) memory_.push_back(static_cast<std::int32_t>(i));
    BatchBuilder builder;
    builder.add(source, {});
    session_->admit({builder.batch().source, memory_, positions, {}}, workspace);
  }

  // The hidden states of each hypothesis at each position. Hypotheses share the rows of their common prefix.
  std::vector<std::vector<std::vector<float>>> run(const std::vector<std::vector<int>>& tokens) {
    std::vector<std::vector<std::vector<float>>> hidden(tokens.size());
    std::vector<std::vector<std::int32_t>> past(tokens.size());
    for (std::size_t position = 0; position < tokens[0].size(); ++position) {
      std::vector<std::size_t> first(tokens.size());  // the first hypothesis with the same tokens so far
      std::vector<StepRow> rows;
      std::vector<std::size_t> of_row;
      for (std::size_t h = 0; h < tokens.size(); ++h) {
        const auto same = [&](std::size_t other) {
          return std::equal(tokens[h].begin(), tokens[h].begin() + static_cast<std::ptrdiff_t>(position) + 1,
                            tokens[other].begin());
        };
        while (!same(first[h])) ++first[h];
        past[h].push_back(static_cast<std::int32_t>(position * hypotheses + first[h]));
        if (first[h] != h) continue;
        rows.push_back({tokens[h][position], static_cast<Index>(position), past[h], memory_,
                        position == 0 ? no_row : past[h][position - 1], past[h].back()});
        of_row.push_back(h);
      }
      const Arena::Scope scope(workspace_.arena);
      const Matrix<const float> x = session_->step(rows, Wanted::hidden, workspace_);
      for (std::size_t h = 0; h < tokens.size(); ++h) {
        const auto row = std::find(of_row.begin(), of_row.end(), first[h]) - of_row.begin();
        const std::span<const float> values = x.row_span(row);
        hidden[h].emplace_back(values.begin(), values.end());
      }
    }
    return hidden;
  }

 private:
  static constexpr Index hypotheses = 4;

  const Workspace& workspace_;
  Arena::Scope scope_;
  TranslationModel model_;
  std::unique_ptr<StepSession> session_;
  std::vector<std::int32_t> memory_;
};

std::vector<int> chain(std::size_t length, int vocabulary) {
  std::vector<int> tokens{start_token};
  while (tokens.size() < length) tokens.push_back(static_cast<int>(3 + 5 * tokens.size()) % vocabulary);
  return tokens;
}

// The decoder's output for a whole sentence at once.
std::vector<std::vector<float>> forced(const Transformer& model, const std::vector<int>& source,
                                       const std::vector<int>& input, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  std::vector<int> target(input.begin() + 1, input.end());
  target.push_back(end_token);
  BatchBuilder builder;
  builder.add(source, target);
  const Batch batch = builder.batch();
  const RaggedRows memory{encode(model.parameters(), batch.source, {}, workspace, nullptr), batch.source.offsets};
  const Matrix<const float> x = decode(model.parameters(), batch.target, memory, {}, workspace, nullptr);
  std::vector<std::vector<float>> hidden;
  for (Index i = 0; i < x.rows; ++i) hidden.emplace_back(x.row_span(i).begin(), x.row_span(i).end());
  return hidden;
}

TEST(SsruSteps, EqualTeacherForcing) {
  const MixerKinds lists[] = {
      {MixerKind::ssru}, {MixerKind::ssru, MixerKind::attention}, {MixerKind::attention, MixerKind::ssru}};
  for (const MixerKinds& kinds : lists) {
    for (const Index width : {8, 62, 130}) {
      Config config = recurrent_config(kinds);
      config.d_model = width;
      SearchCase c(config);
      const Transformer integers(config, quantize(config, c.model.values()));
      const std::vector<int> source = make_sources(config, {9})[0];
      const std::vector<int> tokens = chain(80, 11);
      for (const Transformer* model : std::initializer_list<const Transformer*>{&c.model, &integers}) {
        const auto want = forced(*model, source, tokens, c.workspace);
        const auto got = Steps(*model, source, c.workspace).run({tokens})[0];
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
          // In an int8 model keys and values are rounded only in steps.
          EXPECT_LE(relative_error(got[i], want[i]), model == &integers ? 3e-2 : 1e-5)
              << width << ", position " << i << (model == &integers ? ", int8" : "");
        }
      }
    }
  }
}

// Only the mixer: with 8-bit products, too, a step has the bits of the whole sentence.
TEST(SsruSteps, HaveTheBitsOfTheMixer) {
  Config config = recurrent_config();
  config.d_model = 130;
  SearchCase c(config, 2);
  const Transformer integers(config, quantize(config, c.model.values()));
  const Arena::Scope scope(c.arena);
  constexpr Index length = 80;
  TestMatrix x(length, config.d_model, 1);
  const Index offsets[] = {0, length};
  const Matrix<float> whole = c.arena.matrix(length, config.d_model);
  const Matrix<float> step = c.arena.matrix(1, config.d_model);
  for (const Transformer* model : std::initializer_list<const Transformer*>{&c.model, &integers}) {
    const Mixer& mixer = model->parameters().decoder.layers[1].mixer;
    mix({x.view(), offsets}, mixer, whole, c.workspace, nullptr);
    const MixerMemory memory = mixer_memory(mixer.shape, kernels::CacheType::int8);
    EXPECT_EQ(memory.past, 0);
    EXPECT_EQ(memory.state, 130 * 4);
    std::vector<std::byte> states(static_cast<std::size_t>(2 * memory.state));
    for (Index i = 0; i < length; ++i) {
      const std::int32_t row = static_cast<std::int32_t>(i % 2);
      const StepRow rows[] = {{0, i, {}, {}, i == 0 ? no_row : 1 - row, row}};
      mix_step(x.view().rows_from(i, 1), rows, mixer, {kernels::CacheType::int8, {}, {states.data(), 2, memory.state}},
               step, c.workspace);
      EXPECT_EQ(flat(step), flat(whole.rows_from(i, 1))) << i;
    }
  }
}

TEST(SsruSteps, ForksHaveTheBitsOfEachAlone) {
  for (const MixerKinds& kinds : {MixerKinds{MixerKind::ssru}, MixerKinds{MixerKind::ssru, MixerKind::attention}}) {
    Config config = recurrent_config(kinds);
    config.d_model = 62;
    SearchCase c(config, 2);
    const Transformer integers(config, quantize(config, c.model.values()));
    const std::vector<int> source = make_sources(config, {9})[0];
    std::vector<std::vector<int>> tokens(4, chain(20, 11));
    for (std::size_t h = 0; h < 4; ++h) {
      if (h % 2 == 1) tokens[h][3] = (tokens[h][3] + 1) % 11;
      if (h >= 2) tokens[h][7] = (tokens[h][7] + 1) % 11;
    }
    for (const Transformer* model : std::initializer_list<const Transformer*>{&c.model, &integers}) {
      const auto together = Steps(*model, source, c.workspace).run(tokens);
      for (std::size_t h = 0; h < 4; ++h) {
        EXPECT_EQ(together[h], Steps(*model, source, c.workspace).run({tokens[h]})[0]) << h;
      }
      EXPECT_NE(together[0].back(), together[1].back());
      EXPECT_NE(together[0].back(), together[2].back());
    }
  }
}

// A model that records which rows of states a search uses.
class WatchedModel : public StepModel {
 public:
  explicit WatchedModel(const Transformer& model) : inner_(model) {}

  const StepLimits& limits() const override { return inner_.limits(); }
  const Linear& output() const override { return inner_.output(); }
  void check_input(std::span<const int> input) const override { inner_.check_input(input); }
  std::unique_ptr<StepSession> begin(const RowCounts& rows, Index positions, Arena& arena) const override {
    capacity = rows.state;
    return std::make_unique<Session>(*this, inner_.begin(rows, positions, arena));
  }

  mutable Index capacity = 0;
  mutable Index highest = -1;
  mutable Index steps = 0;

 private:
  class Session : public StepSession {
   public:
    Session(const WatchedModel& model, std::unique_ptr<StepSession> inner) : model_(model), inner_(std::move(inner)) {}
    void admit(const Admission& admission, const Workspace& workspace) override { inner_->admit(admission, workspace); }
    Matrix<const float> step(std::span<const StepRow> rows, Wanted wanted, const Workspace& workspace) override {
      std::vector<std::int32_t> read, written;
      for (const StepRow& row : rows) {
        EXPECT_EQ(row.state_from == no_row, row.position == 0);
        read.push_back(row.state_from);
        written.push_back(row.state);
        model_.highest = std::max<Index>(model_.highest, row.state);
      }
      std::sort(written.begin(), written.end());
      EXPECT_GE(written.front(), 0);
      EXPECT_EQ(std::adjacent_find(written.begin(), written.end()), written.end()) << "a row has one writer";
      for (const std::int32_t row : read) {
        EXPECT_FALSE(std::binary_search(written.begin(), written.end(), row)) << "no row is read and written";
      }
      ++model_.steps;
      return inner_->step(rows, wanted, workspace);
    }

   private:
    const WatchedModel& model_;
    std::unique_ptr<StepSession> inner_;
  };

  TranslationModel inner_;
};

struct Asked {
  std::vector<int> source;
  std::vector<int> prefix;
  Task task = Task::search;
  SearchOptions options;
};

// Runs `count` requests, each made by ask(its index), through one search.
std::vector<std::vector<Hypothesis>> run_all(StepModels models, std::size_t count, Index batch,
                                             const std::function<Asked(std::size_t)>& ask, const Workspace& workspace) {
  std::vector<std::vector<Hypothesis>> found(count);
  std::size_t next = 0;
  Search(models, batch, workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == count) return nullptr;
    const std::size_t number = next++;
    const Asked asked = ask(number);
    return std::make_unique<Request>(
        Request{.source = asked.source,
                .prefix = asked.prefix,
                .task = asked.task,
                .options = asked.options,
                .done = [&found, number](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
                  EXPECT_EQ(error, nullptr) << number;
                  found[number] = std::move(hypotheses);
                }});
  });
  return found;
}

// Everything that a search offers, in turn.
Asked of_every_kind(std::size_t number) {
  const auto length = static_cast<Index>(1 + number % 9);
  Asked asked{make_sources(small_config(), {length})[0], {}, Task::search, {.beam = 4, .n_best = 2, .extra_length = 6}};
  switch (number % 6) {
    case 0: break;
    case 1: asked.options = {.beam = 1, .extra_length = 6}; break;
    case 2: asked.options = {.n_best = 3, .extra_length = 6, .sampling = {.on = true, .seed = number}}; break;
    case 3: asked.options = {.n_best = 3, .extra_length = 6, .alternatives = true}; break;
    case 4: asked.prefix = {4, 7, 4}; break;
    case 5:
      asked.prefix = {5, 3, 9, 8};
      asked.task = Task::score;
      asked.options = {.beam = 1};
      break;
  }
  return asked;
}

TEST(SsruSearch, GivesBackEveryStateAfterThousandsOfSentences) {
  SearchCase c(recurrent_config());
  c.favour_end(1.0f);
  const WatchedModel watched(c.model);
  const StepModel* models[] = {&watched};
  const auto found = run_all(models, 6000, 5, of_every_kind, c.workspace);
  EXPECT_GT(watched.steps, 6000);
  EXPECT_LT(watched.highest, 5 * 2 * 4) << "two rows for each of 4 hypotheses of 5 sentences";
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_FALSE(found[i].empty());
    // Sampling uses a different seed each time; the other requests repeat.
    if (i < 18 || i % 6 == 2) continue;
    EXPECT_EQ(text_of(found[i][0]), text_of(found[i - 18][0])) << i;
  }
  EXPECT_EQ(c.arena.used(), 0u);
}

TEST(SsruSearch, WaitsForStatesWhereMemoryIsLittle) {
  Config config = recurrent_config();
  config.d_model = 130;
  SearchCase c(config);
  Arena little(std::size_t{1} << 20);
  const Workspace workspace{c.pool, little};
  const WatchedModel watched(c.model);
  const StepModel* models[] = {&watched};
  const auto ask = [](std::size_t number) {
    return Asked{make_sources(small_config(), {static_cast<Index>(2 + number % 3)})[0],
                 {},
                 Task::search,
                 {.beam = 20, .extra_length = 3}};
  };
  const auto found = run_all(models, 40, 16, ask, workspace);
  EXPECT_LT(watched.capacity, 16 * 40) << "or no sentence would wait";
  EXPECT_LT(watched.highest, watched.capacity);
  const auto alone = run_all(models, 40, 1, ask, c.workspace);
  expect_same_bits(found, alone, "little memory");
  EXPECT_EQ(error_message([&] {
              const StepsOf plain{&c.model};
              BatchBuilder builder;
              builder.add(std::vector<int>{3, end_token}, {});
              search(plain, builder.batch().source, {.beam = 200, .extra_length = 1}, 1, workspace);
            }),
            "a beam of 200 needs more memory than is available; choose a smaller one");
}

// −log P of the search's results, by the training loss.
void expect_forced_scores(SearchCase& c, const Transformer& model, double tolerance) {
  const StepsOf models{&model};
  const auto found = run_all(models, 60, 7, of_every_kind, c.workspace);
  const auto alone = run_all(models, 60, 1, of_every_kind, c.workspace);
  expect_same_bits(found, alone, "in any batch");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Asked asked = of_every_kind(i);
    ASSERT_FALSE(found[i].empty()) << i;
    for (const Hypothesis& h : found[i]) {
      ASSERT_GE(h.tokens.size(), asked.prefix.size());
      EXPECT_TRUE(std::equal(asked.prefix.begin(), asked.prefix.end(), h.tokens.begin())) << i;
      std::vector<int> target = h.tokens;
      target.push_back(end_token);
      BatchBuilder builder;
      builder.add(asked.source, target);
      const double loss = compute_loss(model, builder.batch(), 0.0f, c.workspace).plain;
      EXPECT_NEAR(h.log_probability / -loss, 1.0, tolerance) << i;
    }
  }
}

TEST(SsruSearch, ScoresAreThoseOfTheTrainingLossHoweverItIsAsked) {
  SearchCase c(recurrent_config());
  c.favour_end(1.0f);
  expect_forced_scores(c, c.model, 1e-5);
  const Transformer integers(c.model.config(), quantize(c.model.config(), c.model.values()));
  expect_forced_scores(c, integers, 2e-2);
}

TEST(SsruSearch, FindsWhatTheSlowSearchFinds) {
  for (const MixerKinds& kinds : {MixerKinds{MixerKind::ssru}, MixerKinds{MixerKind::attention, MixerKind::ssru}}) {
    Config config = recurrent_config(kinds);
    config.decoder_layers = 3;
    config.d_model = 34;
    config.heads = 17;
    config.encoder_mixer = kinds;
    config.encoder_layers = 2;
    SearchCase c(config);
    const SearchOptions options{.beam = 5, .n_best = 5, .extra_length = 6};
    const Sources sources = make_sources(config, {5, 1, 9, 4, 2});
    const Results got = c.search(sources, options, 2);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      expect_equal(got[s], slow_search(c.model, sources[s], options, c.workspace), "ssru");
    }
  }
}

TEST(SsruSearch, AnEnsembleWithAttentionTakesTheMeanOfBoth) {
  SearchCase recurrent(recurrent_config());
  SearchCase attending(config_with_output_bias());
  const auto mean_loss = [&](const std::vector<int>& source, const Hypothesis& h) {
    return 0.5 * (forced_loss(recurrent, source, h) + forced_loss(attending, source, h));
  };
  const SearchOptions options{.beam = 3, .n_best = 3, .extra_length = 6};
  const auto ask = [&](std::size_t number) {
    return Asked{make_sources(small_config(), {static_cast<Index>(1 + number)})[0], {}, Task::search, options};
  };
  const StepsOf orders[] = {{&recurrent.model, &attending.model}, {&attending.model, &recurrent.model}};
  for (const StepsOf& models : orders) {
    const auto found = run_all(models, 12, 4, ask, recurrent.workspace);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].size(), 3u);
      for (const Hypothesis& h : found[i]) {
        EXPECT_NEAR(h.log_probability / -mean_loss(ask(i).source, h), 1.0, 1e-5);
      }
    }
    expect_same_bits(run_all(models, 12, 1, ask, recurrent.workspace), found, "one at a time");
  }
}

TEST(SsruSearch, ALineHasTheSameBitsInAnyBatchAndOnAnyThreads) {
  Config config = recurrent_config();
  config.d_model = 64;
  config.heads = 4;
  TranslatorCase c(config);
  Texts lines;
  for (std::size_t i = 0; i < 40; ++i) {
    std::string line = "a";
    for (std::size_t k = 0; k < 5 * i % 17; ++k) line += k % 2 == 0 ? " b" : " c";
    lines.push_back(line);
  }
  const SearchOptions options{.n_best = 2, .extra_length = 10};
  for (const NumberType type : {NumberType::f32, NumberType::int8}) {
    Texts notes;
    const Translations want =
        translate(c.load({.type = type, .threads = 1, .batch = 1}), lines_of(lines), options, notes);
    for (const int threads : {2, 5}) {
      const Translator translator = c.load({.type = type, .threads = threads, .batch = 17});
      expect_same_bits(translate(translator, lines_of(lines), options, notes), want, std::to_string(threads));
    }
  }
}

}  // namespace
}  // namespace heed
