#include "model/config.h"

#include <gtest/gtest.h>

#include "heed/error.h"

namespace heed {
namespace {

Config good() {
  Config c = preset("tiny");
  c.source_vocab = c.target_vocab = 100;
  return c;
}

// The message of the error, or nothing.
std::string refusal(const Config& config) {
  try {
    check(config);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Config, PresetsFit) {
  for (const char* name : {"tiny", "small", "base", "big"}) {
    Config c = preset(name);
    c.source_vocab = c.target_vocab = 1000;
    EXPECT_EQ(refusal(c), "") << name;
  }
  EXPECT_THROW(preset("huge"), Error);
}

TEST(Config, ErrorsNameTheFieldItsValueAndWhatFits) {
  const auto expect = [](Config c, const std::string& field, const std::string& value) {
    const std::string text = refusal(c);
    EXPECT_NE(text.find(field), std::string::npos) << text;
    EXPECT_NE(text.find(value), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  Config c = good();
  c.d_model = 129;
  c.heads = 3;
  expect(c, "d-model", "130");
  c = good();
  c.heads = 7;
  expect(c, "heads", "7");
  c.d_k = c.d_v = 5;
  EXPECT_EQ(refusal(c), "");
  c = good();
  c.source_vocab = 0;
  expect(c, "vocab-size", "0");
  c = good();
  c.encoder_layers = 0;
  expect(c, "encoder-layers", "0");
  c = good();
  c.d_ff = -5;
  expect(c, "d-ff", "-5");
  c = good();
  c.d_ff = Index{1} << 60;
  expect(c, "d-ff", "1152921504606846976");
  c = good();
  c.heads = c.d_k = c.d_v = Index{1} << 29;
  expect(c, "heads times d-k", "288230376151711744");
  c = good();
  c.target_vocab = 50;
  expect(c, "tie", "50");
  c = good();
  c.dropout = 1.0f;
  expect(c, "dropout", "1");
  c = good();
  c.label_smoothing = -0.1f;
  expect(c, "label-smoothing", "-0.1");
  c = good();
  c.positions = Positions::learned;
  c.max_positions = 0;
  expect(c, "max-positions", "0");
  c = good();
  c.decoder_mixer = {MixerKind::attention, MixerKind::window};
  expect(c, "window", "window is 0");
  c.window = -1;
  expect(c, "window", "-1");
  c.window = 1;
  EXPECT_EQ(refusal(c), "");
  c.globals = -1;
  expect(c, "globals", "-1");
  c = good();
  c.window = 5;
  EXPECT_EQ(refusal(c), "");
  c = good();
  c.positions = Positions::learned;
  c.position_start = c.max_positions = 10;
  expect(c, "position-start", "there are 10 learned positions");
  c.position_start = 9;
  EXPECT_EQ(refusal(c), "");
  EXPECT_EQ(c.most_positions(), 1);
  c = good();
  c.position_start = -1;
  expect(c, "position-start", "-1; choose 0 to 1048576");
  c = good();
  c.layer_norm_epsilon = 0.0f;
  expect(c, "layer-norm-epsilon", "0; choose 1e-12 to 0.1");
  c.layer_norm_epsilon = std::numeric_limits<float>::quiet_NaN();
  expect(c, "layer-norm-epsilon", "nan");
  c = good();
  c.decoder_d_ff = -1;
  expect(c, "decoder-d-ff", "-1; choose 0 to");
  c = good();
  c.tie = Tie::embeddings;
  c.target_vocab = 50;
  expect(c, "tie is embeddings", "100 and 50");
  c = good();
  c.positions = Positions::halves_paper;
  c.d_model = 129;
  c.heads = 3;
  expect(c, "d-model is 129", "130");
  c = good();
  c.encoder_mixer.assign(5, MixerKind::attention);
  expect(c, "encoder-mixer", "a list of 5 for 4 layers");
  c = good();
  c.d_model = c.d_ff = Index{1} << 30;
  c.encoder_layers = c.decoder_layers = 1024;
  expect(c, "d-model", "1073741824");
}

TEST(Config, OddWidthsFitWithoutSinusoids) {
  Config c = good();
  c.d_model = 9;
  c.heads = 3;
  c.positions = Positions::none;
  EXPECT_EQ(refusal(c), "");
}

}  // namespace
}  // namespace heed
