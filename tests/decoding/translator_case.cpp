#include "decoding/translator_case.h"

#include "model/files.h"
#include "model/model_info.h"

namespace heed {

TranslatorCase::TranslatorCase(Config config, TokenizerOptions tokenizer_options) {
  const Texts text{"a b c d e f g h . ! ? 0 1 2 3 4 5 6 7 8 9"};
  const auto tokenizer = train_tokenizer(tokenizer_options, text);
  tokenizers = {tokenizer, tokenizer};
  config.source_vocab = config.target_vocab = tokenizer->size();
  model.emplace(config, Purpose::inference);
  set_values(*model, formula_parameters(config));
  model->pack(workspace);
}

void TranslatorCase::set_output_bias(int token, float value) {
  for (const Tensor& t : list_tensors(model->config())) {
    if (t.name == "output.bias") model->values()[static_cast<std::size_t>(t.offset + token)] = value;
  }
  model->pack(workspace);
}

void TranslatorCase::turn_weights(float factor) {
  for (std::size_t i = 0; i < model->values().size(); i += 3) model->values()[i] *= factor;
  model->pack(workspace);
}

void TranslatorCase::write(const std::filesystem::path& to) const {
  make_folder(to);
  write_info(to,
             {model->config(), "en", "ko", max_source_length, recorded.beam, recorded.alpha, recorded.length_penalty});
  save_tokenizers(tokenizers, to);
  std::vector<float> values(model->values().begin(), model->values().end());
  write_weights(to / "model.safetensors", layout_of(model->config()), {{"", values}}, tokenizer_facts(tokenizers));
}

Translator TranslatorCase::load(const ModelOptions& with) const {
  write(folder.path());
  return Translator(folder.path(), with);
}

Translations TranslatorCase::translate(const Texts& texts, const SearchOptions& search) {
  if (!translator) translator.emplace(load(options));
  return heed::translate(*translator, lines_of(texts), search, notes);
}

Translations translate(const Translator& translator, const std::vector<Line>& lines, const SearchOptions& options,
                       Texts& notes) {
  Translations all;
  bool given = false;
  translator.translate(
      {[&](std::vector<Line>& next) {
         next = lines;
         return !std::exchange(given, true);
       },
       [&](std::size_t line, const std::vector<Translation>& translations) {
         EXPECT_EQ(line, all.size()) << "in order";
         all.push_back(translations);
       },
       [&](std::size_t line, const std::string& note) { notes.push_back(std::to_string(line) + " " + note); }},
      options);
  EXPECT_EQ(all.size(), lines.size());
  return all;
}

std::vector<Line> lines_of(const Texts& texts) {
  std::vector<Line> lines;
  for (const std::string& text : texts) lines.push_back({text});
  return lines;
}

void expect_same_bits(const Translations& a, const Translations& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t line = 0; line < a.size(); ++line) {
    ASSERT_EQ(a[line].size(), b[line].size()) << what << ", line " << line;
    for (std::size_t i = 0; i < a[line].size(); ++i) {
      EXPECT_EQ(a[line][i].text, b[line][i].text) << what << ", line " << line;
      EXPECT_EQ(a[line][i].pieces, b[line][i].pieces) << what << ", line " << line;
      EXPECT_EQ(a[line][i].piece_scores, b[line][i].piece_scores) << what << ", line " << line;
      EXPECT_EQ(a[line][i].log_probability, b[line][i].log_probability) << what << ", line " << line;
      EXPECT_EQ(a[line][i].score, b[line][i].score) << what << ", line " << line;
    }
  }
}

}  // namespace heed
