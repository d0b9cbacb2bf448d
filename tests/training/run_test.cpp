#include "training/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "base/random.h"
#include "heed/error.h"
#include "test_folder.h"
#include "training/finite.h"

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
    Index stop_at = 0;  // a signal comes after this many updates; 0: none
    double ema = 0.0;
    Fingerprint fingerprint{{"seed", "1"}};
    double checkpoint_minutes = 1000.0;
    std::string judged_by = "a measure";  // empty: without validation
    double perplexity = 5.0;
    Index batch_tokens = 100;
    Changes changes = Changes::refused;
    Index broken_from = -1;  // after this many updates the weights become infinite
    Index broken_to = 1000;  // after this many they are restored
  };

  // Corrupts the weights, as a far too large update would, and restores them.
  void break_weights(Trainer& trainer, const Settings& s, Index& done) {
    const std::span<float> weights = trainer.weights();
    if (done == s.broken_from) {
      sound.assign(weights.begin(), weights.end());
      trainer.set_values(std::vector<float>(weights.size(), std::numeric_limits<float>::infinity()));
    }
    if (done == s.broken_to) trainer.set_values(sound);
    ++done;
  }

  RunResult run(const Settings& s) {
    Index done = 0;  // updates since the start or resume, including skipped ones
    make_folder(folder / s.name / "training");
    Trainer trainer(config, {.schedule = {.warmup = 20}, .seed = 1}, s.threads);
    RunOptions options{.folder = folder / s.name,
                       .epoch = {.batch_tokens = s.batch_tokens, .seed = 1},
                       .accumulate = 2,
                       .limits = s.limits,
                       .valid_every = 4,
                       .save_every = 5,
                       .average = 3,
                       .log_every = 2,
                       .ema = s.ema,
                       .checkpoint_minutes = s.checkpoint_minutes,
                       .judged_by = s.judged_by,
                       .changes = s.changes};
    if (s.judged_by.empty()) options.valid_every = 0;
    const WeightedCorpus weighted{&*corpus, 1.0};
    TrainingRun training(trainer, {weighted}, options, s.fingerprint,
                         {.validate = [&]() -> std::optional<Validation> {
                            validated.push_back(trainer.updates());
                            return Validation{
                                .cost = 1.0, .perplexity = s.perplexity, .bleu = {}, .chrf = {}, .samples = {}};
                          },
                          .quality = [](const Validation& v) { return -v.perplexity; },
                          .report = [](const TrainingLog&, double) {},
                          .signal =
                              [&] {
                                break_weights(trainer, s, done);
                                return s.stop_at > 0 && done > s.stop_at ? 15 : 0;
                              }});
    return training.run();
  }
  std::string error_of(const Settings& s) {
    try {
      run(s);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was wrong";
  }
  RunState state_on_disk(const std::string& name) {
    Trainer trainer(config, {}, 1);
    const FlatBuffers buffers = trainer.state();
    RunState state = CheckpointFolder(folder / name, layout_of(config)).load(buffers);
    for (const auto& [prefix, values] : buffers) EXPECT_TRUE(all_finite(values, trainer.workspace())) << prefix;
    return state;
  }
  std::vector<nlohmann::json> records(const std::string& name) {
    std::vector<nlohmann::json> all;
    std::istringstream lines(read_file(folder / name / "training" / "log.jsonl"));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  std::string model(const std::string& name) { return read_file(folder / name / "model.safetensors"); }

  TestFolder folder;
  std::optional<EncodedCorpus> corpus;
  Config config;
  std::vector<Index> validated;
  std::vector<float> sound;
};

TEST_F(Runs, StoppedAnywhereAndResumedEndWithTheSameBits) {
  run({.name = "alone"});
  for (const Index stop : {1, 4, 5, 7, 12, 22}) {
    const std::string name = fmt::format("stopped at {}", stop);
    const RunResult first = run({.name = name, .stop_at = stop});
    EXPECT_EQ(first.ended, End::signal);
    EXPECT_EQ(first.state.update, stop);
    EXPECT_EQ(run({.name = name, .threads = 2}).ended, End::updates);
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
  EXPECT_EQ(epochs.ended, End::epochs);
  EXPECT_EQ(epochs.state.sentences, 400);
  const RunResult patient = run({.name = "patience", .limits = {.updates = 100, .patience = 2}});
  EXPECT_EQ(patient.ended, End::patience);
  EXPECT_EQ(patient.state.update, 12);  // best at 4, no improvement at 8 and 12
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
  run({.name = "damaged", .stop_at = 12});
  const fs::path checkpoint = folder / "damaged" / "training" / "checkpoint.safetensors";
  std::string bytes = read_file(checkpoint);
  bytes[bytes.size() / 2] ^= 1;
  write_file(checkpoint, bytes);
  try {
    run({.name = "damaged"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("previous.safetensors"), std::string::npos) << error.what();
  }
  fs::remove(checkpoint);
  run({.name = "damaged"});
  EXPECT_EQ(model("damaged"), model("alone"));
}

TEST_F(Runs, TheLogIsCutBackToTheCheckpoint) {
  run({.name = "run", .stop_at = 6});
  const fs::path log = folder / "run" / "training" / "log.jsonl";
  write_file(log, read_file(log) + "{\"type\":\"train\",\"update\":999}\n{\"cut off");
  run({.name = "run"});
  std::vector<Index> updates;
  for (const nlohmann::json& record : records("run")) {
    if (record.at("type") == "train") updates.push_back(record.at("update").get<Index>());
  }
  EXPECT_EQ(updates, (std::vector<Index>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
}

TEST_F(Runs, TenLostUpdatesInARowEndARunThatKeepsItsCheckpoint) {
  const std::string error =
      error_of({.limits = {.updates = 100}, .checkpoint_minutes = 0.0, .judged_by = "", .broken_from = 6});
  EXPECT_NE(error.find("since update 7 (10 updates); the checkpoint of update 6 is kept"), std::string::npos) << error;
  EXPECT_EQ(state_on_disk("run").update, 6);
  EXPECT_EQ(records("run").back().at("reason"), "diverged");
  // The intact run is resumed.
  run({.name = "alone"});
  run({.name = "run"});
  EXPECT_EQ(model("run"), model("alone"));
}

TEST_F(Runs, ARunThatEndsWithLostUpdatesHasDiverged) {
  const std::string error = error_of({.limits = {.updates = 9}, .judged_by = "", .broken_from = 7});
  EXPECT_NE(error.find("since update 8 (2 updates)"), std::string::npos) << error;
  EXPECT_EQ(state_on_disk("run").update, 5);
}

TEST_F(Runs, OneLostUpdateEndsNothingAndIsNoDivergence) {
  const RunResult result = run({.broken_from = 5, .broken_to = 6});
  EXPECT_EQ(result.ended, End::updates);
  EXPECT_EQ(result.state.adam_updates, 22);
}

TEST_F(Runs, WeightsThatAreNotFiniteAreNeverWritten) {
  const std::string error =
      error_of({.limits = {.updates = 30}, .checkpoint_minutes = 0.0, .judged_by = "", .broken_from = 4});
  EXPECT_NE(error.find("training diverged"), std::string::npos) << error;
  EXPECT_EQ(state_on_disk("run").update, 4);
  const std::string at_validation = error_of({.name = "valid", .limits = {.updates = 30}, .broken_from = 2});
  EXPECT_NE(at_validation.find("the weights are not finite after update 4"), std::string::npos) << at_validation;
  EXPECT_FALSE(fs::exists(folder / "valid" / "training" / "best.safetensors"));
}

TEST_F(Runs, ASignalAmongLostUpdatesKeepsTheCheckpoint) {
  const RunResult result = run({.stop_at = 9, .judged_by = "", .broken_from = 6});
  EXPECT_EQ(result.ended, End::signal);
  EXPECT_EQ(result.state.lost_in_a_row, 3);
  EXPECT_EQ(result.saved, 5);
  run({.name = "alone"});
  run({.name = "run"});
  EXPECT_EQ(model("run"), model("alone"));
}

TEST_F(Runs, ValidationThatIsNotFiniteEndsTheRun) {
  const std::string error = error_of({.perplexity = std::numeric_limits<double>::infinity()});
  EXPECT_NE(error.find("the validation perplexity is not finite at update 4"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(folder / "run" / "training" / "best.safetensors"));
}

TEST_F(Runs, AWindowOfSkippedUpdatesHasNoCost) {
  error_of({.limits = {.updates = 100}, .judged_by = "", .broken_from = 6});
  Index empty = 0;
  for (const nlohmann::json& record : records("run")) {
    if (record.at("type") != "train" || record.at("update") <= 6) continue;
    ++empty;
    for (const char* name : {"cost", "perplexity", "gradient_norm", "tokens_per_second"}) {
      EXPECT_TRUE(record.at(name).is_null()) << name;
    }
    EXPECT_EQ(record.at("skipped"), 2);
  }
  EXPECT_EQ(empty, 5);
}

TEST_F(Runs, ASettingChangesWhenAskedToAndStaysChanged) {
  const Fingerprint before{{"batch-tokens", "100"}, {"seed", "1"}};
  const Fingerprint after{{"batch-tokens", "60"}, {"seed", "1"}};
  run({.stop_at = 6, .fingerprint = before});
  const std::string error = error_of({.fingerprint = after, .batch_tokens = 60});
  EXPECT_NE(error.find("batch-tokens was 100 and is now 60; omit the flag, or add --change"), std::string::npos);
  run({.stop_at = 1, .fingerprint = after, .batch_tokens = 60, .changes = Changes::allowed});
  EXPECT_EQ(CheckpointFolder(folder / "run").load_fingerprint(), after);
  run({.fingerprint = after, .batch_tokens = 60});
  Index changes = 0;
  for (const nlohmann::json& record : records("run")) {
    if (record.at("type") != "change") continue;
    ++changes;
    EXPECT_EQ(record,
              nlohmann::json::parse(R"({"type":"change","update":6,"name":"batch-tokens","from":"100","to":"60"})"));
  }
  EXPECT_EQ(changes, 1);
  EXPECT_NE(error_of({.fingerprint = {{"seed", "2"}}, .changes = Changes::allowed}).find("seed was 1"),
            std::string::npos);
}

TEST_F(Runs, ALargerBatchContinuesAtTheSameShareOfTheEpoch) {
  const std::vector<WeightedCorpus> corpora{{&*corpus, 1.0}};
  const Index small = Epoch(corpora, {100, 1}, 3).batches();
  const Index large = Epoch(corpora, {200, 1}, 3).batches();
  ASSERT_GT(small, large);
  for (Index batch = 0; batch < small; ++batch) {
    const DataPosition at = same_share(corpora, {100, 1}, {200, 1}, {3, batch});
    const double share = static_cast<double>(at.epoch - 3) + static_cast<double>(at.batch) / static_cast<double>(large);
    EXPECT_GE(share, static_cast<double>(batch) / static_cast<double>(small));
    EXPECT_LT(share, static_cast<double>(batch) / static_cast<double>(small) + 1.0 / static_cast<double>(large));
  }
  EXPECT_EQ(same_share(corpora, {100, 1}, {100, 1}, {3, 4}).batch, 4);
}

// For settings introduced later, a run of an earlier version has the values that it used implicitly.
TEST(Fingerprints, NamesThatAreMissingHaveWhatEarlierVersionsUsed) {
  const Fingerprint earlier{{"seed", "1"}};
  EXPECT_TRUE(differences(earlier, {{"seed", "1"}, {"weight-decay", "0"}, {"schedule", "paper"}}).empty());
  const std::vector<SettingChange> changes = differences(earlier, {{"seed", "1"}, {"weight-decay", "0.1"}});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].from, "0");
}

TEST(Fingerprints, WhatFollowsFromAnotherSettingComesLast) {
  const std::vector<SettingChange> changes =
      differences({{"d_k", "16"}, {"d_model", "32"}, {"d_v", "16"}}, {{"d_k", "32"}, {"d_model", "64"}, {"d_v", "32"}});
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].name, "d_model");
}

}  // namespace
}  // namespace heed
