// No allocation in a decoding step: a search of twice as many steps allocates just as often.
#include "allocations.h"

#include "decoding/search_case.h"
#include "decoding/steps_of.h"

namespace heed {
namespace {

constexpr int steps = 12;

// How often a search allocates while it translates the sources to exactly this many pieces.
long allocations_of(Search& search, const Sources& sources, SearchOptions options, int length) {
  options.min_length = options.max_length = length;
  std::size_t results = 0;
  std::vector<std::unique_ptr<Request>> requests;
  for (const std::vector<int>& source : sources) {
    requests.push_back(std::make_unique<Request>(
        Request{.source = source,
                .options = options,
                .done = [&](const std::vector<Hypothesis>& found, const std::exception_ptr& error) {
                  EXPECT_EQ(error, nullptr);
                  for (const Hypothesis& h : found) {
                    results += h.tokens.size() == static_cast<std::size_t>(length) ? 1 : 0;
                  }
                }}));
  }
  std::size_t next = 0;
  const long before = allocation_count();
  search.run([&] { return next < requests.size() ? std::move(requests[next++]) : nullptr; });
  const long count = allocation_count() - before;
  EXPECT_EQ(results, sources.size() * static_cast<std::size_t>(options.n_best)) << "every step was made";
  return count;
}

void expect_none_in_a_step(StepModels models, const SearchOptions& options, const Workspace& workspace,
                           const std::string& what) {
  // All of one length, so that it does not matter which slot of the batch a sentence used before.
  const Sources sources = make_sources(small_config(), {9, 9, 9, 9, 9, 9});
  Search search(models, 4, workspace);
  allocations_of(search, sources, options, 2 * steps);
  const long some = allocations_of(search, sources, options, steps);
  EXPECT_EQ(allocations_of(search, sources, options, 2 * steps), some) << what;
  EXPECT_GT(some, 0) << "results are allocated";
}

void expect_none_in_any_step(const MixerKinds& kinds) {
  Config config = config_with_output_bias();
  config.source_vocab = config.target_vocab = 1100;
  config.decoder_layers = 2;
  config.decoder_mixer = kinds;
  SearchCase c(config, 2);
  const Transformer integers(config, quantize(config, c.model.values()));
  const StepsOf plain{&c.model};
  const StepsOf int8{&integers};
  const StepsOf both{&c.model, &integers};
  for (const StepModels models : {StepModels(plain), StepModels(int8), StepModels(both)}) {
    const std::string what = models.size() == 2 ? "ensemble" : models[0] == plain.all()[0] ? "f32" : "int8";
    expect_none_in_a_step(models, {.beam = 1}, c.workspace, what + ", greedy");
    expect_none_in_a_step(models, {.beam = 4, .n_best = 2}, c.workspace, what + ", beam");
    expect_none_in_a_step(models, {.beam = 4, .no_repeat = 2, .suppress_unk = true, .alignment = true}, c.workspace,
                          what + ", rules");
    expect_none_in_a_step(models, {.beam = 4, .n_best = 2, .soft_alignment = true}, c.workspace,
                          what + ", soft alignment");
    expect_none_in_a_step(models, {.n_best = 3, .alternatives = true}, c.workspace, what + ", alternatives");
    expect_none_in_a_step(models, {.n_best = 3, .sampling = {.on = true, .top_k = 50, .top_p = 0.9f}}, c.workspace,
                          what + ", sampling");
  }
}

TEST(Allocations, NoneInADecodingStep) { expect_none_in_any_step({MixerKind::attention}); }

TEST(Allocations, NoneInADecodingStepOfAnyMixer) {
  for (MixerCase mixers : mixer_cases()) {
    mixers.config.output_bias = true;
    SearchCase c(mixers.config, 2);
    const Transformer integers(mixers.config, quantize(mixers.config, c.model.values()));
    for (const Transformer* model : {&std::as_const(c.model), &integers}) {
      const StepsOf models{model};
      expect_none_in_a_step(models, {.beam = 1}, c.workspace, mixers.name + ", greedy");
      expect_none_in_a_step(models, {.beam = 4, .n_best = 2}, c.workspace, mixers.name + ", beam");
    }
  }
}

}  // namespace
}  // namespace heed
