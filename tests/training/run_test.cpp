#include "training/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/random.h"
#include "heed/error.h"
#include "test_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Sentences of words to be copied.
std::string copy_text() {
  std::string text;
  for (std::uint64_t n = 0; n < 200; ++n) {
    for (std::uint64_t i = 0; i < 2 + n % 7; ++i) text += fmt::format("w{} ", uniform_below(random_key(9, n), i, 12));
    text += '\n';
  }
  return text;
}

class Runs : public testing::Test {
 protected:
  Runs() {
    write_file(folder / "text", copy_text());
    const CorpusFiles files{folder / "text", folder / "text"};
    const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 50},
                                           sample_lines({&files, 1}, Side::source, {1000, 1}));
    ThreadPool threads(1);
    encode_corpus(files, {tokenizer, tokenizer}, {}, folder / "tokens", threads, [](double) {});
    corpus.emplace(folder / "tokens");
    config = preset("tiny");
    config.encoder_layers = config.decoder_layers = 1;
    config.d_model = 16;
    config.d_ff = 24;
    config.heads = 2;
    config.source_vocab = config.target_vocab = tokenizer->size();
  }

  struct Settings {
    std::string name = "run";
    RunLimits limits{.updates = 23};
    int threads = 1;
    Index stop_at = 0;  // a signal comes once so many updates are done; 0: none
    double ema = 0.0;
    Fingerprint fingerprint{{"seed", "1"}};
    double checkpoint_minutes = 1000.0;
    std::string judged_by = "a measure";  // empty: without validation
    double perplexity = 5.0;
  };

  RunResult run(const Settings& s) {
    make_folder(folder / s.name / "training");
    Trainer trainer(config, {.schedule = {.warmup = 20}, .seed = 1}, s.threads);
    RunOptions options{.folder = folder / s.name,
                       .epoch = {.batch_tokens = 100, .seed = 1},
                       .accumulate = 2,
                       .limits = s.limits,
                       .valid_every = 4,
                       .save_every = 5,
                       .average = 3,
                       .log_every = 2,
                       .ema = s.ema,
                       .checkpoint_minutes = s.checkpoint_minutes,
                       .judged_by = s.judged_by};
    if (s.judged_by.empty()) options.valid_every = 0;
    const WeightedCorpus weighted{&*corpus, 1.0};
    TrainingRun training(trainer, {weighted}, options, s.fingerprint,
                         {.validate = [&]() -> std::optional<Validation> {
                            validated.push_back(trainer.updates());
                            return Validation{
                                .cost = 1.0, .perplexity = s.perplexity, .bleu = {}, .chrf = {}, .samples = {}};
                          },
                          .quality = [](const Validation& v) { return -v.perplexity; },
                          .report = [](const TrainingLog&) {},
                          .signal = [&] { return s.stop_at > 0 && trainer.updates() >= s.stop_at ? 15 : 0; }});
    return training.run();
  }
  std::string model(const std::string& name) { return read_file(folder / name / "model.safetensors"); }

  TestFolder folder;
  std::optional<EncodedCorpus> corpus;
  Config config;
  std::vector<Index> validated;
};

TEST_F(Runs, StoppedAnywhereAndResumedEndWithTheSameBits) {
  run({.name = "alone"});
  for (const Index stop : {1, 4, 5, 7, 12, 22}) {
    const std::string name = fmt::format("stopped at {}", stop);
    const RunResult first = run({.name = name, .stop_at = stop});
    EXPECT_EQ(first.ended, "signal");
    EXPECT_EQ(first.state.update, stop);
    EXPECT_EQ(run({.name = name, .threads = 2}).ended, "updates");
    EXPECT_EQ(model(name), model("alone")) << name;
  }
}

TEST_F(Runs, TheAverageOfTheWeightsIsResumedToo) {
  run({.name = "alone", .ema = 0.9});
  run({.name = "stopped", .stop_at = 9, .ema = 0.9});
  run({.name = "stopped", .ema = 0.9});
  EXPECT_EQ(model("stopped"), model("alone"));
  run({.name = "plain"});
  EXPECT_NE(model("plain"), model("alone"));
}

TEST_F(Runs, CheckpointsByTheClockChangeNothing) {
  run({.name = "alone"});
  run({.name = "often", .checkpoint_minutes = 0.0});
  EXPECT_EQ(model("often"), model("alone"));
}

TEST_F(Runs, AFinishedRunSaysSoAndALargerLimitGoesOn) {
  run({.name = "alone", .limits = {.updates = 30}});
  run({.name = "longer", .limits = {.updates = 23}});
  EXPECT_TRUE(run({.name = "longer", .limits = {.updates = 23}}).was_over);
  const RunResult more = run({.name = "longer", .limits = {.updates = 30}});
  EXPECT_FALSE(more.was_over);
  EXPECT_EQ(more.state.update, 30);
  EXPECT_EQ(model("longer"), model("alone"));
}

TEST_F(Runs, EpochsAndPatienceEndARun) {
  const RunResult epochs = run({.name = "epochs", .limits = {.epochs = 2}});
  EXPECT_EQ(epochs.ended, "epochs");
  EXPECT_EQ(epochs.state.sentences, 400);
  const RunResult patient = run({.name = "patience", .limits = {.updates = 100, .patience = 2}});
  EXPECT_EQ(patient.ended, "patience");
  EXPECT_EQ(patient.state.update, 12);  // best at 4, stalled at 8 and 12
}

TEST_F(Runs, EachValidationHappensOnceAlsoAcrossAStop) {
  run({.name = "stopped", .limits = {.updates = 10}, .stop_at = 8});
  run({.name = "stopped", .limits = {.updates = 10}});
  EXPECT_EQ(validated, (std::vector<Index>{4, 8}));
}

TEST_F(Runs, TheBestIsRememberedThroughAPartWithoutValidation) {
  run({.limits = {.updates = 5}, .perplexity = 3.0});
  run({.limits = {.updates = 7}, .judged_by = ""});
  EXPECT_EQ(run({.limits = {.updates = 9}, .perplexity = 4.0}).state.best_update, 4);
  EXPECT_EQ(run({.limits = {.updates = 13}, .judged_by = "another", .perplexity = 4.0}).state.best_update, 12);
}

TEST_F(Runs, WhatCannotBeLookedAtThisTimeStaysOnRecord) {
  run({.limits = {.updates = 3}, .fingerprint = {{"seed", "1"}, {"init", "a model"}}});
  run({.limits = {.updates = 4}, .fingerprint = {{"seed", "1"}}});
  EXPECT_THROW(run({.limits = {.updates = 5}, .fingerprint = {{"seed", "1"}, {"init", "another"}}}), Error);
}

TEST_F(Runs, AChangedSettingIsRefusedByName) {
  run({.stop_at = 6});
  try {
    run({.fingerprint = {{"seed", "2"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("seed was 1"), std::string::npos) << error.what();
  }
}

TEST_F(Runs, ASpoiltCheckpointIsAnErrorAndTheOneBeforeStillLoads) {
  run({.name = "alone"});
  run({.name = "spoilt", .stop_at = 12});
  const fs::path checkpoint = folder / "spoilt" / "training" / "checkpoint.safetensors";
  std::string bytes = read_file(checkpoint);
  bytes[bytes.size() / 2] ^= 1;
  write_file(checkpoint, bytes);
  try {
    run({.name = "spoilt"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("previous.safetensors"), std::string::npos) << error.what();
  }
  fs::remove(checkpoint);
  run({.name = "spoilt"});
  EXPECT_EQ(model("spoilt"), model("alone"));
}

TEST_F(Runs, TheLogIsCutBackToTheCheckpoint) {
  run({.name = "run", .stop_at = 6});
  const fs::path log = folder / "run" / "training" / "log.jsonl";
  write_file(log, read_file(log) + "{\"type\":\"train\",\"update\":999}\n{\"cut off");
  run({.name = "run"});
  std::vector<Index> updates;
  const std::string text = read_file(log);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    ASSERT_NE(end, std::string::npos);
    const auto record = nlohmann::json::parse(text.substr(from, end - from));
    if (record.at("type") == "train") updates.push_back(record.at("update").get<Index>());
    from = end + 1;
  }
  EXPECT_EQ(updates, (std::vector<Index>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
}

}  // namespace
}  // namespace heed
