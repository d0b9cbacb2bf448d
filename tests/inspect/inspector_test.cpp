#include "heed/inspector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decoding/translator_case.h"
#include "error_message.h"
#include "reference/transformer.h"

namespace heed {
namespace {

const std::string sentence = "a b c d e . !";

// Two layers a side, so that there are first and last ones.
Config two_layers(Norm norm = Norm::after) {
  Config config = small_config();
  config.encoder_layers = config.decoder_layers = 2;
  config.norm = norm;
  return config;
}

Inspection inspect(const TranslatorCase& c, const std::string& text, const InspectOptions& options = {},
                   NumberType type = NumberType::stored) {
  c.write(c.folder.path());
  return Inspector(c.folder.path(), {.type = type, .threads = 2}).inspect(text, options);
}

std::vector<int> tokens_of(const TranslatorCase& c, const std::vector<std::string>& pieces) {
  std::vector<int> tokens;
  for (const std::string& piece : pieces)
    tokens.push_back(piece == "</s>" ? end_token : c.tokenizers.source->id_of(piece));
  return tokens;
}

// The attention of the scalar reference on the pair that was looked at.
reference::Result reference_of(const TranslatorCase& c, const Inspection& seen) {
  BatchBuilder builder;
  builder.add(tokens_of(c, seen.source.pieces), tokens_of(c, seen.target.pieces));
  return reference::run(c.model->config(), formula_parameters(c.model->config()), builder.batch(), {});
}

void expect_near(const AttentionMaps& maps, const std::vector<double>& wanted, const std::string& name) {
  ASSERT_EQ(maps.weights.size(), wanted.size()) << name;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(maps.weights[i]), wanted[i], 1e-6) << name << " at " << i;
  }
}

void expect_rows_of_one(const std::vector<float>& weights, std::size_t columns, const std::string& name) {
  for (std::size_t row = 0; row < weights.size(); row += columns) {
    double sum = 0.0;
    for (std::size_t i = 0; i < columns; ++i) sum += static_cast<double>(weights[row + i]);
    EXPECT_NEAR(sum, 1.0, 1e-6) << name << ", row " << row / columns;
  }
}

TEST(Inspector, AttentionIsThatOfTheReference) {
  for (const MixerCase& mixers : mixer_cases()) {
    const TranslatorCase c(mixers.config);
    const Inspection seen = inspect(c, sentence);
    const reference::Result wanted = reference_of(c, seen);
    const auto compare = [&](const std::vector<AttentionMaps>& layers, const std::string& stack,
                             const std::string& part) {
      for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string name = stack + "." + std::to_string(i) + "." + part + ".";
        if (layers[i].heads == 0) {
          EXPECT_EQ(wanted.attention.count(name), 0u) << mixers.name << " " << name;
          continue;
        }
        expect_near(layers[i], wanted.attention.at(name), mixers.name + " " + name);
        expect_rows_of_one(layers[i].weights, static_cast<std::size_t>(layers[i].keys), name);
      }
    };
    compare(seen.maps.encoder, "encoder", "self_attention");
    compare(seen.maps.decoder, "decoder", "self_attention");
    compare(seen.maps.cross, "decoder", "encoder_attention");
  }
}

TEST(Inspector, AttentionIsThatOfTheSearch) {
  TranslatorCase c(two_layers());
  const Inspection seen = inspect(c, sentence, {.search = {.beam = 1}});
  for (int layer = 0; layer < 2; ++layer) {
    const Translation translation =
        c.translate({sentence}, {.beam = 1, .soft_alignment = true, .alignment_layer = layer + 1}).at(0).at(0);
    const AttentionMaps& maps = seen.maps.cross[static_cast<std::size_t>(layer)];
    ASSERT_EQ(translation.soft_alignment.size(), static_cast<std::size_t>(maps.queries));
    for (int i = 0; i < maps.queries; ++i) {
      for (int j = 0; j < maps.keys; ++j) {
        const float mean = (maps.at(0, i, j) + maps.at(1, i, j)) / 2;
        EXPECT_NEAR(mean, translation.soft_alignment[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-6f);
      }
    }
  }
}

TEST(Inspector, ProbabilitiesAreThoseOfTheSearch) {
  for (const NumberType type : {NumberType::f32, NumberType::int8}) {
    TranslatorCase c(two_layers(Norm::before));
    c.options.type = type;
    const Inspection seen = inspect(c, sentence, {}, type);
    const Translation best = c.translate({sentence}).at(0).at(0);
    EXPECT_EQ(seen.translation, best.text);
    EXPECT_EQ(seen.piece_log_probabilities, best.piece_scores);
    EXPECT_EQ(seen.log_probability, best.log_probability);
    EXPECT_EQ(seen.score, best.score);
    ASSERT_EQ(seen.choices.size(), seen.target.pieces.size());
    // 8-bit keys and values are rounded in the search's cache and not in the pass that looks at the choices.
    const float tolerance = type == NumberType::f32 ? 1e-5f : 0.05f;
    for (std::size_t i = 0; i < seen.choices.size(); ++i) {
      for (const PieceChoice& choice : seen.choices[i]) {
        if (choice.piece != seen.target.pieces[i]) continue;
        EXPECT_NEAR(choice.probability, std::exp(seen.piece_log_probabilities[i]), tolerance) << i;
      }
      EXPECT_TRUE(std::ranges::is_sorted(seen.choices[i], std::ranges::greater(), &PieceChoice::probability));
    }
  }
}

TEST(Inspector, AGivenTranslationIsScoredAsRescoreDoes) {
  const TranslatorCase c(two_layers());
  const Inspection seen = inspect(c, sentence, {.target = "c b a"});
  const Line line{sentence};
  const std::string target = "c b a";
  const Translation scored = c.load().rescore(std::span(&line, 1), std::span(&target, 1)).front();
  EXPECT_TRUE(seen.given);
  EXPECT_EQ(seen.translation, target);
  EXPECT_NEAR(seen.log_probability, scored.log_probability, 1e-5);
  ASSERT_EQ(seen.piece_log_probabilities.size(), scored.piece_scores.size());
}

// Sets the columns of W^O that read one head to 0.
void remove_head(TranslatorCase& c, const Config& config, const HeadPlace& place) {
  const std::string name =
      std::string(place.part == AttentionPart::encoder ? "encoder." : "decoder.") + std::to_string(place.layer) +
      (place.part == AttentionPart::cross ? ".encoder_attention." : ".self_attention.") + "output.weight";
  const Index d_v = config.attention_shape().d_v;
  bool found = false;
  for (const Tensor& tensor : list_tensors(c.model->config())) {
    if (tensor.name != name) continue;
    found = true;
    for (Index row = 0; row < tensor.rows; ++row) {
      float* weights = c.model->values().data() + tensor.offset + row * tensor.cols + place.head * d_v;
      std::fill_n(weights, d_v, 0.0f);
    }
  }
  EXPECT_TRUE(found) << name;
}

TEST(Inspector, ASilencedHeadIsTheModelWithoutItsOutput) {
  Config with_window = two_layers();
  with_window.encoder_mixer = with_window.decoder_mixer = {MixerKind::window, MixerKind::attention};
  with_window.window = 2;
  for (const Config& config : {two_layers(Norm::after), two_layers(Norm::before), with_window}) {
    const TranslatorCase whole(config);
    const Inspection seen = inspect(whole, sentence, {.silence = true});
    ASSERT_EQ(seen.silenced.size(), 12u);
    bool differs = false;
    for (const SilencedHead& head : seen.silenced) {
      TranslatorCase c(config);
      remove_head(c, config, head.place);
      const Translator translator = c.load();
      const Translation wanted = translator.translate(sentence);
      EXPECT_EQ(head.text, wanted.text);
      EXPECT_NEAR(head.log_probability, wanted.log_probability, 1e-5);
      const Line line{sentence};
      const Translation scored = translator.rescore(std::span(&line, 1), std::span(&seen.translation, 1)).front();
      EXPECT_NEAR(head.of_translation, scored.log_probability, 1e-5);
      differs = differs || std::abs(head.of_translation - seen.log_probability) > 1e-3;
    }
    EXPECT_TRUE(differs);
  }
}

TEST(Inspector, TheSearchTreeLeadsToTheResults) {
  TranslatorCase c(two_layers());
  for (const int beam : {1, 4}) {
    const Inspection seen = inspect(c, sentence, {.search = {.beam = beam, .n_best = beam}});
    const auto ends = [&](const FoundTranslation& found) {
      for (std::size_t step = 0; step < seen.search.size(); ++step) {
        for (const SearchNode& node : seen.search[step]) {
          if (node.state != SearchNode::State::ended || node.score != found.score) continue;
          std::vector<std::string> pieces;
          std::size_t at = step;
          for (int parent = node.parent; parent >= 0;
               parent = seen.search[at][static_cast<std::size_t>(parent)].parent) {
            pieces.insert(pieces.begin(), seen.search[--at][static_cast<std::size_t>(parent)].piece);
          }
          if (at == 0 && pieces == found.pieces) return true;
        }
      }
      return false;
    };
    for (const FoundTranslation& found : seen.n_best) {
      EXPECT_TRUE(ends(found)) << found.text;
      EXPECT_DOUBLE_EQ(found.score, found.log_probability / found.penalty);
    }
    for (std::size_t step = 0; step < seen.search.size(); ++step) {
      std::size_t kept = 0;
      for (const SearchNode& node : seen.search[step]) {
        kept += node.state != SearchNode::State::pruned;
        const double before = step == 0 ? 0.0 : seen.search[step - 1][static_cast<std::size_t>(node.parent)].sum;
        EXPECT_NEAR(node.sum, before + node.log_probability, 1e-6);
        EXPECT_EQ(node.parent == -1, step == 0);
      }
      EXPECT_LE(kept, static_cast<std::size_t>(beam));
    }
  }
}

TEST(Inspector, RolloutSharesSumToOne) {
  const TranslatorCase c(two_layers());
  const Inspection seen = inspect(c, sentence);
  const std::size_t columns = seen.target.pieces.size() + seen.source.pieces.size();
  ASSERT_EQ(seen.rollout.size(), seen.target.pieces.size() * columns);
  expect_rows_of_one(seen.rollout, columns, "rollout");
  // The first prediction has seen the start and the source, and no later input.
  for (std::size_t j = 1; j < seen.target.pieces.size(); ++j) EXPECT_EQ(seen.rollout[j], 0.0f);
  Config recurrent = two_layers();
  recurrent.decoder_mixer = {MixerKind::ssru};
  EXPECT_TRUE(inspect(TranslatorCase(recurrent), sentence).rollout.empty());
}

TEST(Inspector, NumbersOfAHeadMakeItsMap) {
  const TranslatorCase c(two_layers());
  const Inspection seen = inspect(c, sentence, {.all_numbers = true});
  ASSERT_EQ(seen.numbers.size(), 12u);
  for (const HeadNumbers& head : seen.numbers) {
    const auto& part = head.place.part == AttentionPart::encoder   ? seen.maps.encoder
                       : head.place.part == AttentionPart::decoder ? seen.maps.decoder
                                                                   : seen.maps.cross;
    const AttentionMaps& maps = part[static_cast<std::size_t>(head.place.layer)];
    for (int i = 0; i < maps.queries; ++i) {
      std::vector<double> weights;
      double sum = 0.0;
      for (int j = 0; j < maps.keys; ++j) {
        double dot = 0.0;
        for (int d = 0; d < head.d_k; ++d) {
          dot += static_cast<double>(head.query[static_cast<std::size_t>(i * head.d_k + d)]) *
                 static_cast<double>(head.key[static_cast<std::size_t>(j * head.d_k + d)]);
        }
        const bool hidden = head.place.part == AttentionPart::decoder && j > i;
        weights.push_back(hidden ? 0.0 : std::exp(dot / std::sqrt(head.d_k)));
        sum += weights.back();
      }
      for (int j = 0; j < maps.keys; ++j) {
        EXPECT_NEAR(maps.at(head.place.head, i, j), weights[static_cast<std::size_t>(j)] / sum, 1e-6);
      }
    }
  }
}

TEST(Inspector, PiecesKnowTheirWords) {
  const TranslatorCase c(two_layers());
  const Inspection seen = inspect(c, sentence);
  EXPECT_EQ(seen.source.words, (std::vector<std::string>{"a", "b", "c", "d", "e", ".", "!", "</s>"}));
  ASSERT_EQ(seen.norms.encoder.size(), 3u);
  ASSERT_EQ(seen.norms.decoder[2].size(), seen.target.pieces.size());
}

TEST(Inspector, WhatCannotBeLookedAtIsNamed) {
  const TranslatorCase c(two_layers());
  const auto error = [&](const std::string& text, const InspectOptions& options) {
    return error_message([&] { inspect(c, text, options); });
  };
  EXPECT_EQ(error(" \t", {}), "the sentence is empty; write one to look at");
  std::string words = "a";
  for (int i = 0; i < 255; ++i) words += " a";
  EXPECT_EQ(error(words, {}), "the sentence is too long to look into: 257 pieces, and 256 fit; shorten it");
  EXPECT_NE(error("a", {.target = words}).find("the target is too long to look into"), std::string::npos);
  EXPECT_NE(error("a", {.target = "zzz"}).find("the target 'zzz' holds text that the tokenizer cannot write"),
            std::string::npos);
  EXPECT_EQ(error("a", {.numbers = {{AttentionPart::cross, 2, 0}}}),
            "the model has no head 1 in layer 3 of cross-attention; 'heed model describe' lists its layers");
  EXPECT_NE(error("a", {.search = {.sampling = {.on = true}}}).find("sampling"), std::string::npos);
}

}  // namespace
}  // namespace heed
