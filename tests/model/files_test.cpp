#include "model/files.h"
#include "model/model_info.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/files.h"
#include "error_message.h"
#include "heed/error.h"
#include "model/binding.h"
#include "model/parameters.h"
#include "model/safetensors.h"
#include "test_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

Config small_config() {
  Config c = preset("tiny");
  c.encoder_layers = c.decoder_layers = 1;
  c.d_model = 8;
  c.d_ff = 12;
  c.heads = 2;
  c.source_vocab = c.target_vocab = 11;
  return c;
}

class ModelFiles : public testing::Test {
 protected:
  ModelFiles() : config(small_config()) {
    values.resize(static_cast<std::size_t>(count_parameters(config)));
    std::iota(values.begin(), values.end(), 1.0f);
  }
  fs::path write() {
    const fs::path file = folder / "model.safetensors";
    write_weights(file, layout_of(config), {{"", values}}, {{"update", "7"}});
    return file;
  }
  std::string message_of_reading(const std::string& bytes) {
    write_file(folder / "spoilt", bytes);
    std::vector<float> read(values.size());
    try {
      read_weights(folder / "spoilt", layout_of(config), {{"", read}}, Verify::checksum);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TestFolder folder;
  Config config;
  std::vector<float> values;
};

TEST_F(ModelFiles, WeightsAndFactsComeBack) {
  const fs::path file = write();
  std::vector<float> read(values.size());
  const WeightFacts facts = read_weights(file, layout_of(config), {{"", read}}, Verify::checksum);
  EXPECT_EQ(read, values);
  EXPECT_EQ(facts.at("update"), "7");
}

TEST_F(ModelFiles, TheSameWeightsMakeTheSameBytes) {
  const std::string once = read_file(write());
  EXPECT_EQ(read_file(write()), once);
}

TEST_F(ModelFiles, SeveralBuffersShareAFile) {
  std::vector<float> moments(values.rbegin(), values.rend());
  write_weights(folder / "x", layout_of(config), {{"", values}, {"adam.first.", moments}}, {});
  std::vector<float> read(values.size());
  read_weights(folder / "x", layout_of(config), {{"adam.first.", read}}, Verify::checksum);
  EXPECT_EQ(read, moments);
}

TEST_F(ModelFiles, ATensorThatTheConfigLacksIsRefused) {
  const Config fewer = config;
  config.encoder_layers = 2;
  values.resize(static_cast<std::size_t>(count_parameters(config)));
  write_weights(folder / "old", layout_of(config), {{"", values}}, {});
  std::vector<float> read(static_cast<std::size_t>(count_parameters(fewer)));
  // Without the shape in its metadata, as an older heed wrote it.
  const Safetensors stored(folder / "old");
  write_safetensors(folder / "old", stored.tensors(), {});
  EXPECT_NE(error_message([&] {
              read_weights(folder / "old", layout_of(fewer), {{"", read}}, Verify::structure);
            }).find("config.json has no place for tensor 'encoder.1."),
            std::string::npos);
}

TEST_F(ModelFiles, WeightsAreBoundToTheShapeTheyWereWrittenFor) {
  const fs::path file = write();
  std::vector<float> read(values.size());
  const auto message_with = [&](const Config& changed) {
    return error_message([&] { read_weights(file, layout_of(changed), {{"", read}}, Verify::structure); });
  };
  // The same tensors, used differently.
  Config changed = config;
  changed.activation = Activation::gelu;
  EXPECT_NE(message_with(changed).find("was written for activation \"relu\", but config.json has \"gelu\""),
            std::string::npos)
      << message_with(changed);
  changed = config;
  changed.heads = 4;
  EXPECT_NE(message_with(changed).find("written for heads 2, but config.json has 4"), std::string::npos);
  changed = config;
  changed.layer_norm_epsilon = 1e-5f;
  EXPECT_NE(message_with(changed).find("written for layer_norm_epsilon 1e-06, but config.json has 1e-05"),
            std::string::npos)
      << message_with(changed);
  changed = config;
  changed.position_start = 2;
  EXPECT_NE(message_with(changed).find("written for position_start 0, but config.json has 2"), std::string::npos);
  changed = config;
  changed.embedding_scale = EmbeddingScale::one;
  EXPECT_NE(message_with(changed).find("written for embedding_scale \"root\""), std::string::npos);
  changed = config;
  changed.norm = Norm::before;
  EXPECT_NE(message_with(changed).find("norm"), std::string::npos);
  // Fields that only training reads may differ, and head widths may be explicit.
  changed = config;
  changed.dropout = 0.4f;
  changed.d_k = changed.d_v = 4;
  EXPECT_EQ(message_with(changed), "");
}

TEST_F(ModelFiles, AConfigSaysWhatIsWrongInItsOwnWords) {
  write_info(folder.path(), {config, "en", "de"});
  const auto json = nlohmann::json::parse(read_file(folder / "config.json"));
  const auto message_with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = json;
    changed[key] = value;
    if (value.is_null()) changed.erase(key);
    write_file(folder / "config.json", changed.dump());
    const std::string message = error_message([&] { read_info(folder.path()); });
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
    return message;
  };
  EXPECT_NE(message_with("format", "heed 2")
                .find("newer format 'heed 2', but this heed reads 'heed 1'; use a newer heed, or put"),
            std::string::npos);
  EXPECT_NE(message_with("dropout", "much").find("dropout is \"much\"; give a number"), std::string::npos);
  EXPECT_NE(message_with("attention_bias", 1).find("attention_bias is 1; give true or false"), std::string::npos);
  EXPECT_NE(message_with("norm", 3).find("norm is 3; give a text in quotes"), std::string::npos);
  EXPECT_NE(message_with("d_model", 1.5).find("d_model is 1.5; give a whole number"), std::string::npos);
  EXPECT_NE(message_with("format", nullptr).find("format is missing"), std::string::npos);
  EXPECT_NE(
      message_with("colour", "red").find("'colour' is a key that this heed does not know; use a newer heed, or put"),
      std::string::npos);
  EXPECT_NE(message_with("beam", 0).find("beam is 0; choose 1 to 1024"), std::string::npos);
  EXPECT_NE(message_with("beam", Index{1} << 40).find("beam is 1099511627776; choose"), std::string::npos);
  EXPECT_NE(message_with("alpha", -1).find("alpha is -1; choose 0 to 100"), std::string::npos);
  EXPECT_NE(message_with("length_penalty", "none").find("length_penalty is 'none'; choose one of paper, power"),
            std::string::npos);
  EXPECT_NE(message_with("layer_norm_epsilon", 0).find("layer-norm-epsilon is 0; choose 1e-12 to 0.1"),
            std::string::npos);
  EXPECT_NE(message_with("position_start", -1).find("position-start is -1; choose 0 to"), std::string::npos);
  EXPECT_NE(message_with("embedding_scale", "two").find("embedding_scale is 'two'; choose one of root, one"),
            std::string::npos);
  EXPECT_NE(message_with("embedding_norm", "yes").find("embedding_norm is \"yes\"; give true or false"),
            std::string::npos);
  EXPECT_NE(message_with("decoder_d_ff", {1, 2}).find("decoder_d_ff is [1,2]; give a whole number"), std::string::npos);
  EXPECT_NE(message_with("decoder_mixer", "attention,attention")
                .find("decoder-mixer is 'attention,attention', a list of 2 for 1 layer; shorten it"),
            std::string::npos);
  EXPECT_NE(message_with("encoder_mixer", "lstm,").find("encoder_mixer is 'lstm'; choose one of attention"),
            std::string::npos);
  EXPECT_EQ(message_with("norm", nullptr), "") << "a missing key takes its default";
  write_file(folder / "config.json", R"({"format": "heed 1", "heads": 2, "heads": 4})");
  EXPECT_NE(error_message([&] { read_info(folder.path()); }).find("'heads' appears twice"), std::string::npos);
}

// Every field with a value other than its default.
ModelInfo unusual_info(Config c) {
  c.decoder_d_ff = 20;
  c.positions = Positions::learned;
  c.max_positions = 99;
  c.position_start = 2;
  c.embedding_scale = EmbeddingScale::one;
  c.embedding_norm = c.final_norm = c.attention_bias = c.output_bias = true;
  c.layer_norm_epsilon = 1e-3f;
  c.tie = Tie::embeddings;
  c.activation = Activation::gelu_tanh;
  c.start = StartFrom::zero;
  c.dropout = 0.3f;
  c.label_smoothing = 0.2f;
  return {.config = with_head_widths(c),
          .source_language = "en",
          .target_language = "ko",
          .max_source_length = 50,
          .beam = 12,
          .alpha = 1.5f,
          .length_penalty = LengthPenalty::power};
}

TEST_F(ModelFiles, EveryMissingKeyTakesItsDefault) {
  const auto json_of = [&](const ModelInfo& info) {
    write_info(folder.path(), info);
    return nlohmann::json::parse(read_file(folder / "config.json"));
  };
  const nlohmann::json defaults = json_of({});
  const ModelInfo info = unusual_info(config);
  const nlohmann::json full = json_of(info);
  EXPECT_EQ(json_of(read_info(folder.path())), full);
  for (const auto& [key, value] : full.items()) {
    if (key == "format" || key.ends_with("vocab_size")) continue;
    nlohmann::json fewer = full;
    fewer.erase(key);
    write_file(folder / "config.json", fewer.dump());
    nlohmann::json want = full;
    // Head widths follow from other fields.
    if (key != "d_k" && key != "d_v") want[key] = defaults[key];
    EXPECT_EQ(json_of(read_info(folder.path())), want) << key;
  }
}

TEST_F(ModelFiles, AConfigOfTheFirstVersionLoads) {
  write_file(folder / "config.json", R"({
    "format": "heed 1", "source_language": "xx", "target_language": "yy", "encoder_layers": 1, "decoder_layers": 1,
    "d_model": 16, "d_ff": 32, "heads": 4, "d_k": 4, "d_v": 4, "source_vocab_size": 14, "target_vocab_size": 14,
    "positions": "sinusoidal", "max_positions": 1024, "norm": "after", "tie": "all", "activation": "relu",
    "start": "token", "attention_bias": false, "output_bias": false, "dropout": 0.1, "label_smoothing": 0.1})");
  Config want = preset("tiny");
  want.encoder_layers = want.decoder_layers = 1;
  want.d_model = 16;
  want.d_ff = 32;
  want.source_vocab = want.target_vocab = 14;
  const ModelInfo info = read_info(folder.path());
  EXPECT_EQ(config_json(info.config), config_json(want));
  EXPECT_EQ(info.target_language, "yy");
  EXPECT_EQ(info.max_source_length, 0);
  EXPECT_EQ(info.beam, 4);
  EXPECT_EQ(info.alpha, 0.6f);
  EXPECT_EQ(info.length_penalty, LengthPenalty::paper);
}

// Fields added later are not in the metadata of a model that does not use them, so an older heed can read it.
TEST_F(ModelFiles, AUsualModelHasTheShapeTextOfTheFirstVersion) {
  EXPECT_EQ(shape_text(config), R"({"encoder_layers":1,"decoder_layers":1,"d_model":8,"d_ff":12,"heads":2,)"
                                R"("source_vocab_size":11,"target_vocab_size":11})");
}

TEST_F(ModelFiles, EveryTruncationIsRefused) {
  const std::string bytes = read_file(write());
  for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 150) {
    EXPECT_NE(message_of_reading(bytes.substr(0, cut)), "") << cut;
  }
}

TEST_F(ModelFiles, EveryFlippedBitIsRefused) {
  const std::string bytes = read_file(write());
  const std::size_t header = 8 + static_cast<unsigned char>(bytes[0]) + 256u * static_cast<unsigned char>(bytes[1]);
  const std::size_t padding = bytes.find_last_not_of(' ', header - 1) + 1;
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    if (at >= padding && at < header) continue;  // spaces after the header have no meaning
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 1 << at % 8);
    EXPECT_NE(message_of_reading(altered), "") << at;
  }
}

std::string with_header(const std::string& json) {
  const std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json + std::string(64, '\0');
}

TEST_F(ModelFiles, HostileHeadersAreRefused) {
  for (
      const std::string json :
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,64]}} )",
       R"({"a":{"dtype":"F32","shape":[-4,-4],"data_offsets":[0,64]}}            )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[64,0]}})",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[0,99999999999]}}   )",
       R"({"a":{"dtype":"F64","shape":[8],"data_offsets":[0,64]}}    )",
       R"({"a":{"dtype":"F32","shape":[8],"data_offsets":[0,32]},"b":{"dtype":"F32","shape":[9],"data_offsets":[28,64]}}   )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[0,64]},"a":{"dtype":"F32","shape":[16],"data_offsets":[0,64]}})",
       R"({"a":{"dtype":"F32","shape":[16.0],"data_offsets":[0,64]}} )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[-0.5,64]}}  )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[0,1e99]}}    )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[18446744073709551552,64]}}  )",
       R"({"a":{"dtype":"F32","shape":[16,1,1,1,1,1,1,1,1,1],"data_offsets":[0,64]}}  )",
       R"({"a":{"dtype":"F32","shape":[[[16]]],"data_offsets":[0,64]}}     )",
       R"({"a":{"dtype":"F32","shape":[16],"data_offsets":[0,64]},"__metadata__":{"x":1}})", R"({"a":{"shape":[16]}} )",
       R"([1,2,3]  )", R"({"a":17})", R"({"a":{"dtype":"F32","shape":"x","data_offsets":[0,64]}})"}) {
    EXPECT_NE(message_of_reading(with_header(json)), "") << json;
  }
  EXPECT_NE(message_of_reading(with_header(std::string(100000, '['))), "");
}

TEST_F(ModelFiles, ASoundFileOfAnotherShapeIsNamed) {
  Config other = config;
  other.d_ff = 16;
  std::vector<float> more(static_cast<std::size_t>(count_parameters(other)));
  write_weights(folder / "other", layout_of(other), {{"", more}}, {});
  EXPECT_NE(message_of_reading(read_file(folder / "other")).find("was written for d_ff 16, but config.json has 12"),
            std::string::npos);
  // An older file does not record its shape.
  const Safetensors stored(folder / "other");
  write_safetensors(folder / "older", stored.tensors(), {});
  const std::string message = message_of_reading(read_file(folder / "older"));
  EXPECT_NE(message.find("feed_forward.inner.weight"), std::string::npos) << message;
  EXPECT_NE(message.find("[16, 8]"), std::string::npos) << message;
}

TEST_F(ModelFiles, ConfigsComeBack) {
  config.dropout = 0.3f;
  config.norm = Norm::before;
  config.positions = Positions::learned;
  config.tie = Tie::target;
  config.attention_bias = true;
  write_info(folder.path(), {config, "en", "ko", 137});
  const ModelInfo info = read_info(folder.path());
  EXPECT_EQ(info.max_source_length, 137);
  EXPECT_EQ(config_json(info.config), config_json(config));
  EXPECT_EQ(info.config.dropout, 0.3f);
  EXPECT_EQ(info.source_language, "en");
  EXPECT_EQ(info.target_language, "ko");
}

TEST_F(ModelFiles, AConfigWithoutASourceLengthRecordsNone) {
  write_info(folder.path(), {config, "en", "ko"});
  auto json = nlohmann::json::parse(read_file(folder / "config.json"));
  json.erase("max_source_length");
  write_file(folder / "config.json", json.dump());
  EXPECT_EQ(read_info(folder.path()).max_source_length, 0);
}

TEST_F(ModelFiles, SpoiltConfigsAreRefused) {
  write_info(folder.path(), {config, "en", "ko", 50});
  const std::string text = read_file(folder / "config.json");
  for (std::size_t cut = 0; cut + 2 < text.size(); cut += 7) {
    write_file(folder / "config.json", text.substr(0, cut));
    EXPECT_THROW(read_info(folder.path()), Error) << cut;
  }
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"\"heads\": 2", "\"heads\": 0"},
                                          {"\"heads\": 2", "\"heads\": \"2\""},
                                          {"sinusoidal", "sinusoidaI"},
                                          {"d_model", "d_modem"},
                                          {"heed 1", "heed 2"},
                                          {"\"d_ff\": 12", "\"d_ff\": 1e99"},
                                          {"\"d_ff\": 12,", "\"d_ff\": 12.0,"},
                                          {"\"d_ff\": 12,", "\"d_ff\": true,"},
                                          {"\"d_model\": 8", "\"d_model\": 18446744073709551615"},
                                          {"\"encoder_layers\": 1", "\"encoder_layers\": 1000000000"},
                                          {"\"max_source_length\": 50", "\"max_source_length\": -1"},
                                          {"\"max_source_length\": 50", "\"max_source_length\": \"50\""},
                                          {"\"dropout\": 0.1", "\"dropout\": 1e300"}}) {
    std::string altered = text;
    altered.replace(altered.find(from), from.size(), to);
    write_file(folder / "config.json", altered);
    EXPECT_THROW(read_info(folder.path()), Error) << to;
  }
  EXPECT_THROW(read_info(folder / "nowhere"), Error);
}

TEST_F(ModelFiles, MessagesAreOneShortLineWhateverTheFileHolds) {
  for (const std::string& name : {std::string("a\\nb\\u001b[31m"), std::string(100000, 'x')}) {
    const std::string message = message_of_reading(with_header(R"({")" + name + R"(":17} )"));
    EXPECT_LT(message.size(), 400u);
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
  }
}

// Anything that is not a regular file must neither block nor be read without end.
TEST_F(ModelFiles, PipesDevicesFoldersAndLoopsInPlaceOfFilesAreRefused) {
  write_info(folder.path(), {config, "en", "ko"});
  const fs::path weights = write();
  const fs::path info = folder / "config.json";
  for (const fs::path& file : {weights, info}) {
    const auto refused = [&] {
      EXPECT_THROW(file == info ? void(read_info(folder.path())) : void(Safetensors{file}), Error) << file;
      fs::remove_all(file);
    };
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    refused();
    fs::create_symlink("/dev/zero", file);
    refused();
    fs::create_symlink(file, file);
    refused();
    fs::create_directory(file);
    refused();
  }
}

TEST_F(ModelFiles, AHugeConfigIsRefused) {
  write_file(folder / "config.json", std::string(3 << 20, '['));
  EXPECT_THROW(read_info(folder.path()), Error);
}

TEST_F(ModelFiles, AWriterThatIsNotCommittedLeavesTheOldFile) {
  write_file(folder / "file", "old");
  {
    FileWriter writer(folder / "file");
    writer.write(std::string_view("new"));
  }
  EXPECT_EQ(read_file(folder / "file"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

// `--checkpoint last` is suggested only if it works.
TEST(WeightsFile, SaysWhatToWaitForWhileTrainingHasNotWrittenIt) {
  const TestFolder folder;
  const auto message = [&](const std::string& checkpoint) -> std::string {
    try {
      return weights_file(folder / "", checkpoint).string();
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_NE(message("").find("pass a folder written by 'heed train'"), std::string::npos) << message("");
  make_folder(folder / "training");
  write_file(folder / "training" / "config.yaml", "seed: 1\n");
  for (const char* checkpoint : {"", "best", "last", "average"}) {
    EXPECT_NE(message(checkpoint).find("has not reached its first checkpoint yet: wait for it"), std::string::npos);
  }
  write_file(folder / "training" / "checkpoint.safetensors", "");
  EXPECT_NE(message("").find("wait, or use --checkpoint last"), std::string::npos) << message("");
  EXPECT_NE(message("best").find("or has no validation set: wait, or use --checkpoint last"), std::string::npos)
      << message("best");
  EXPECT_EQ(message("last"), (folder / "training" / "checkpoint.safetensors").string());
}

}  // namespace
}  // namespace heed
