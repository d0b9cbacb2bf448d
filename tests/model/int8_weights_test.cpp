#include "model/int8_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/files.h"
#include "error_message.h"
#include "heed/error.h"
#include "model/cases.h"
#include "test_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// A model with the fixtures' weights in f32, in integers, and in integers read back from a file.
struct Case {
  explicit Case(const Config& c) : config(c), plain(config, Purpose::inference) {
    set_values(plain, formula_parameters(config));
    plain.pack(workspace);
    Int8Weights weights = quantize(config, plain.values());
    write_int8_weights(file, config, weights, {});
    bytes = read_file(file);
  }

  double loss(const Transformer& model) {
    return compute_loss(model, make_batch(config, {{5, 7}, {1, 1}, {9, 4}}).batch(), 0.0f, workspace).plain;
  }
  Transformer quantized() { return {config, quantize(config, plain.values())}; }
  Transformer stored() { return {config, read_int8_weights(Safetensors(file), config, Verify::checksum)}; }

  std::string message_of_reading(const std::string& other_bytes, Verify verify = Verify::checksum) {
    return error_message([&] {
      write_file(folder / "spoilt", other_bytes);
      read_int8_weights(Safetensors(folder / "spoilt"), config, verify);
    });
  }

  Config config;
  ThreadPool pool{2};
  Arena arena;
  Workspace workspace{pool, arena};
  TestFolder folder;
  fs::path file = folder / "model.safetensors";
  Transformer plain;
  std::string bytes;
};

// Shapes that do not fill a panel or a group.
Config odd_config() {
  Config config = small_config();
  config.d_model = 22;
  config.d_ff = 37;
  config.attention_bias = true;
  return config;
}

bool same_bytes(const kernels::Int8Matrix& a, const kernels::Int8Matrix& b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  const Index channels = a.panel_count() * kernels::int8_panel_channels;
  return std::equal(a.panels, a.panels + kernels::int8_panels_size(a.rows, a.cols), b.panels) &&
         std::equal(a.sums, a.sums + channels, b.sums) && std::equal(a.scales, a.scales + channels, b.scales);
}

TEST(Int8Files, GiveTheSameBitsAsQuantizingAtLoad) {
  std::vector<Config> configs;
  for (const Fixture& fixture : read_fixtures()) configs.push_back(fixture.config);
  configs.push_back(odd_config());
  for (const Config& config : configs) {
    Case c(config);
    const Transformer quantized = c.quantized();
    const Transformer stored = c.stored();
    EXPECT_EQ(c.loss(stored), c.loss(quantized));
    EXPECT_NEAR(c.loss(stored) / c.loss(c.plain), 1.0, 0.02);
    EXPECT_NE(c.loss(stored), c.loss(c.plain));
    EXPECT_TRUE(same_bytes(stored.parameters().output.int8, quantized.parameters().output.int8));
    const FeedForward& a = stored.parameters().decoder.layers.back().feed_forward;
    const FeedForward& b = quantized.parameters().decoder.layers.back().feed_forward;
    EXPECT_TRUE(same_bytes(a.inner.int8, b.inner.int8));
    EXPECT_TRUE(same_bytes(a.outer.int8, b.outer.int8));
  }
}

TEST(Int8Files, AreReadInPlaceAndAligned) {
  Case c(odd_config());
  const Transformer stored = c.stored();
  for (const Layer& layer : stored.parameters().decoder.layers) {
    for (const Linear* linear : {&layer.mixer.input, &layer.memory.memory, &layer.feed_forward.inner}) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(linear->int8.panels) % 64, 0u);
      EXPECT_EQ(linear->weight.data, nullptr);
    }
  }
  EXPECT_TRUE(stored.values().empty());
}

TEST(Int8Files, TheSameWeightsMakeTheSameBytes) {
  Case c(odd_config());
  Int8Weights again = quantize(c.config, c.plain.values());
  write_int8_weights(c.folder / "again", c.config, again, {});
  EXPECT_EQ(read_file(c.folder / "again"), c.bytes);
  EXPECT_LT(c.bytes.size(), c.plain.values().size_bytes());
}

TEST(Int8Files, EveryTruncationIsRefused) {
  Case c(small_config());
  for (const Verify verify : {Verify::structure, Verify::checksum}) {
    for (std::size_t cut = 0; cut < c.bytes.size(); cut += 1 + c.bytes.size() / 40) {
      EXPECT_NE(c.message_of_reading(c.bytes.substr(0, cut), verify), "") << cut;
    }
  }
  EXPECT_NE(c.message_of_reading(c.bytes + "x", Verify::structure), "");
  EXPECT_EQ(c.message_of_reading(c.bytes), "");
}

TEST(Int8Files, EveryFlippedBitIsRefused) {
  Case c(small_config());
  const std::size_t header = 8 + static_cast<unsigned char>(c.bytes[0]) + 256u * static_cast<unsigned char>(c.bytes[1]);
  for (std::size_t at = header; at < c.bytes.size(); at += 1 + c.bytes.size() / 60) {
    std::string altered = c.bytes;
    altered[at] = static_cast<char>(altered[at] ^ 1 << at % 8);
    EXPECT_NE(c.message_of_reading(altered).find("checksum"), std::string::npos) << at;
  }
}

TEST(Int8Files, AFileOfAnotherShapeIsNamed) {
  Case c(small_config());
  Config wider = c.config;
  wider.d_ff = 20;
  const Case other(wider);
  EXPECT_NE(c.message_of_reading(other.bytes).find("was written for d_ff 20"), std::string::npos);
  // An older file does not record its shape.
  const Safetensors stored(other.file);
  write_safetensors(c.folder / "older", stored.tensors(), {{"numbers", "int8"}});
  const std::string message = c.message_of_reading(read_file(c.folder / "older"));
  EXPECT_NE(message.find("feed_forward.inner.panels"), std::string::npos) << message;
  EXPECT_NE(message.find("I8 of shape [2, 2, 16, 4]"), std::string::npos) << message;
  EXPECT_NE(message.find("needs I8 of [1, 2, 16, 4]"), std::string::npos) << message;
}

TEST(Int8Files, AreToldFromFilesOfFloats) {
  Case c(small_config());
  write_weights(c.folder / "floats", layout_of(c.config), {{"", c.plain.values()}}, {});
  EXPECT_TRUE(holds_int8(Safetensors(c.file)));
  EXPECT_FALSE(holds_int8(Safetensors(c.folder / "floats")));
  EXPECT_NE(c.message_of_reading(read_file(c.folder / "floats")).find("is missing"), std::string::npos);
  const std::string message = error_message([&] {
    read_weights(c.file, layout_of(c.config), {{"", c.plain.values()}}, Verify::checksum);
  });
  EXPECT_NE(message.find("is missing"), std::string::npos) << message;
}

TEST(Int8Files, TypesThatAreNotTheirsAreRefused) {
  Case c(small_config());
  std::string altered = c.bytes;
  altered.replace(altered.find("\"I32\""), 5, "\"F32\"");
  const std::string message = c.message_of_reading(altered, Verify::structure);
  EXPECT_NE(message.find("embedding.sums' is F32 of shape [16], but config.json needs I32"), std::string::npos)
      << message;
}

TEST(Int8Files, TensorsOffTheirAlignmentAreRefused) {
  std::string json =
      R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"F32","shape":[15],"data_offsets":[2,62]}} )";
  json.append(4 - json.size() % 4, ' ');
  const std::uint64_t length = json.size();
  Case c(small_config());
  const std::string message =
      c.message_of_reading(std::string(reinterpret_cast<const char*>(&length), 8) + json + std::string(62, '\0'));
  EXPECT_NE(message.find("the offsets of tensor 'b'"), std::string::npos) << message;
}

TEST(Int8Files, WeightsThatAreNotNumbersAreNamed) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Case c(small_config());
    for (const Tensor& t : list_tensors(c.config)) {
      if (t.name == "decoder.0.feed_forward.outer.weight") {
        c.plain.values()[static_cast<std::size_t>(t.offset + 3)] = bad;
      }
    }
    const std::string message = error_message([&] { c.quantized(); });
    EXPECT_EQ(message, "'decoder.0.feed_forward.outer' holds NaN or infinity; use another checkpoint");
  }
}

}  // namespace
}  // namespace heed
