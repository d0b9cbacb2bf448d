#include "decoding/search_case.h"
#include "decoding/steps_of.h"

#include <algorithm>

namespace heed {

SearchCase::SearchCase(const Config& config, int threads, Purpose purpose) : pool(threads), model(config, purpose) {
  set_values(model, formula_parameters(config));
  model.pack(workspace);
}

void SearchCase::favour(int token, float shift) {
  for (const Tensor& t : list_tensors(model.config())) {
    if (t.name == "output.bias") model.values()[static_cast<std::size_t>(t.offset + token)] += shift;
  }
  model.pack(workspace);
}

void SearchCase::scale_output(float factor) {
  for (const Tensor& t : list_tensors(model.config())) {
    if (t.name != "output.weight") continue;
    for (Index i = 0; i < t.rows * t.cols; ++i) model.values()[static_cast<std::size_t>(t.offset + i)] *= factor;
  }
  model.pack(workspace);
}

Results SearchCase::search(const Sources& sources, const SearchOptions& options, Index batch) {
  BatchBuilder builder;
  for (const std::vector<int>& source : sources) builder.add(source, {});
  const StepsOf models{&model};
  return heed::search(models, builder.batch().source, options, batch, workspace);
}

std::vector<Hypothesis> SearchCase::find(const std::vector<int>& source, const std::vector<int>& prefix, Task task,
                                         const SearchOptions& options) {
  std::vector<Hypothesis> found;
  std::exception_ptr error;
  auto request =
      std::make_unique<Request>(Request{.source = source,
                                        .prefix = prefix,
                                        .task = task,
                                        .options = options,
                                        .done = [&](std::vector<Hypothesis> hypotheses, const std::exception_ptr& e) {
                                          found = std::move(hypotheses);
                                          error = e;
                                        }});
  const StepsOf models{&model};
  Search(models, 1, workspace).run([&] { return std::move(request); });
  if (error != nullptr) std::rethrow_exception(error);
  return found;
}

Sources make_sources(const Config& config, const std::vector<Index>& lengths) {
  Sources sources;
  for (const Index length : lengths) {
    std::vector<int> source;
    for (Index i = 0; i + 1 < length; ++i) {
      source.push_back(static_cast<int>((7 * i + 5 * static_cast<Index>(sources.size()) + 1) % config.source_vocab));
    }
    source.push_back(end_token);
    sources.push_back(source);
  }
  return sources;
}

Config config_with_output_bias() {
  Config config = small_config();
  config.output_bias = true;
  return config;
}

std::vector<int> greedy(SearchCase& c, const std::vector<int>& source, std::size_t most) {
  std::vector<int> tokens;
  while (tokens.size() < most) {
    const std::vector<double> next = next_log_probabilities(c.model, source, tokens, c.workspace);
    const auto best = static_cast<int>(std::max_element(next.begin(), next.end()) - next.begin());
    if (best == end_token) break;
    tokens.push_back(best);
  }
  return tokens;
}

double forced_loss(SearchCase& c, const std::vector<int>& source, const Hypothesis& hypothesis) {
  std::vector<int> target = hypothesis.tokens;
  target.push_back(end_token);
  BatchBuilder builder;
  builder.add(source, target);
  return compute_loss(c.model, builder.batch(), 0.0f, c.workspace).plain;
}

std::string text_of(const Hypothesis& hypothesis) {
  std::string text;
  for (const int token : hypothesis.tokens) text += std::to_string(token) + " ";
  return text + (hypothesis.finished ? "" : "(cut)");
}

void expect_equal(const std::vector<Hypothesis>& got, const std::vector<Hypothesis>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(text_of(got[i]), text_of(want[i])) << what << ", " << i;
    EXPECT_NEAR(got[i].log_probability, want[i].log_probability, 1e-4) << what;
    EXPECT_NEAR(got[i].score, want[i].score, 1e-4) << what;
  }
}

void expect_same_bits(const Results& a, const Results& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t s = 0; s < a.size(); ++s) {
    ASSERT_EQ(a[s].size(), b[s].size()) << what;
    for (std::size_t i = 0; i < a[s].size(); ++i) {
      EXPECT_EQ(text_of(a[s][i]), text_of(b[s][i])) << what << ", sentence " << s;
      EXPECT_EQ(a[s][i].log_probability, b[s][i].log_probability) << what << ", sentence " << s;
      EXPECT_EQ(a[s][i].score, b[s][i].score) << what << ", sentence " << s;
      EXPECT_EQ(a[s][i].log_probabilities, b[s][i].log_probabilities) << what << ", sentence " << s;
      EXPECT_EQ(a[s][i].alignment, b[s][i].alignment) << what << ", sentence " << s;
      EXPECT_EQ(a[s][i].attention, b[s][i].attention) << what << ", sentence " << s;
    }
  }
}

}  // namespace heed
