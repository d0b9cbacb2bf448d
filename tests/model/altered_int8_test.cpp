#include "model/int8_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "heed/error.h"
#include "test_folder.h"

namespace heed {
namespace {

class AlteredInt8Files : public testing::Test {
 protected:
  AlteredInt8Files() : config(preset("tiny")) {
    config.encoder_layers = config.decoder_layers = 1;
    config.d_model = 8;
    config.d_ff = 12;
    config.heads = 2;
    config.source_vocab = config.target_vocab = 11;
    std::vector<float> values(static_cast<std::size_t>(count_parameters(config)));
    initialise(layout_of(config), 1, values.data());
    weights = quantize(config, values);
  }

  // Writes the file with one element of a tensor changed, and a checksum that matches.
  template <class T>
  void write_altered(const std::string& name, std::size_t at, T value) {
    write_int8_weights(folder / "sound", config, weights, {});
    const Safetensors sound(folder / "sound");
    const NamedTensor* tensor = sound.find(name);
    ASSERT_NE(tensor, nullptr);
    std::string bytes(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
    std::memcpy(bytes.data() + at * sizeof value, &value, sizeof value);
    std::vector<NamedTensor> tensors = sound.tensors();
    for (NamedTensor& other : tensors) {
      if (other.name == name) other.bytes = std::as_bytes(std::span(bytes));
    }
    Metadata metadata = sound.metadata();
    write_safetensors(folder / "altered", tensors, metadata);
  }
  void read(Verify verify) { read_int8_weights(Safetensors(folder / "altered"), config, verify); }

  TestFolder folder;
  Config config;
  Int8Weights weights;
};

const std::string inner = "encoder.0.feed_forward.inner";

TEST_F(AlteredInt8Files, ComeBack) {
  write_altered(inner + ".sums", 0, weights.parameters.encoder.layers[0].feed_forward.inner.int8.sums[0]);
  EXPECT_NO_THROW(read(Verify::checksum));
}

TEST_F(AlteredInt8Files, ScalesThatAreNotNumbersAreRefused) {
  for (const float scale : {std::nanf(""), INFINITY, -INFINITY}) {
    write_altered(inner + ".scales", 3, scale);
    EXPECT_THROW(read(Verify::structure), Error);
  }
}

TEST_F(AlteredInt8Files, SumsThatNoWeightsHaveAreRefused) {
  write_altered(inner + ".sums", 3, std::int32_t{127 * 8 + 1});
  EXPECT_THROW(read(Verify::structure), Error);
}

TEST_F(AlteredInt8Files, SumsOfOtherWeightsAreFoundWhenAsked) {
  write_altered(inner + ".sums", 3,
                std::int32_t{weights.parameters.encoder.layers[0].feed_forward.inner.int8.sums[3] + 1});
  EXPECT_NO_THROW(read(Verify::structure));
  EXPECT_THROW(read(Verify::checksum), Error);
}

}  // namespace
}  // namespace heed
