// Learns to reverse words from examples and then reverses words that it has never seen.
//
// The whole job in one file: batches of pairs, updates by the paper's recipe, greedy decoding. Usage: reverse [WORD…]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "base/progress.h"
#include "base/random.h"
#include "heed/error.h"
#include "kernels/isa.h"
#include "training/trainer.h"

namespace {

using heed::Index;

constexpr Index updates = 1500;
constexpr Index words_per_batch = 64;
constexpr Index shortest = 3;
constexpr Index longest = 11;
constexpr int first_letter = 3;  // after <unk>, <s> and </s>
constexpr int letters = 26;
constexpr std::uint64_t seed = 1;

std::string random_word(std::uint64_t key) {
  const auto length = shortest + static_cast<Index>(heed::uniform_below(key, 0, longest - shortest + 1));
  std::string word;
  for (Index i = 0; i < length; ++i) {
    word += static_cast<char>('a' + heed::uniform_below(key, 1 + static_cast<std::uint64_t>(i), letters));
  }
  return word;
}

std::string reversed(std::string word) {
  std::reverse(word.begin(), word.end());
  return word;
}

std::vector<int> encode_word(const std::string& word) {
  std::vector<int> tokens;
  for (const char letter : word) tokens.push_back(first_letter + (letter - 'a'));
  tokens.push_back(heed::end_token);
  return tokens;
}

std::string decode_word(std::span<const int> tokens) {
  std::string word;
  for (const int token : tokens) {
    if (token == heed::end_token) break;
    word += token < first_letter ? '?' : static_cast<char>('a' + (token - first_letter));
  }
  return word;
}

// Lets the model write each answer letter by letter, always taking the likeliest.
std::vector<std::string> solve(const heed::Trainer& trainer, const std::vector<std::string>& words) {
  const heed::Config& config = trainer.model().config();
  const heed::Parameters& parameters = trainer.model().parameters();
  const heed::Workspace& workspace = trainer.workspace();
  const heed::Arena::Scope scope(workspace.arena);
  heed::BatchBuilder questions;
  for (const std::string& word : words) questions.add(encode_word(word), {});
  const heed::Ragged source = questions.batch().source;
  const heed::Memory memory{heed::encode(config, parameters, source, {}, workspace, nullptr), source.offsets};

  std::vector<std::vector<int>> answers(words.size());
  for (Index step = 0; step <= longest; ++step) {
    const heed::Arena::Scope step_scope(workspace.arena);
    heed::BatchBuilder prefixes;
    for (std::vector<int> prefix : answers) {
      prefix.push_back(heed::end_token);  // stands where the next letter will be; nothing looks at it
      prefixes.add({}, prefix);
    }
    const heed::Ragged target = prefixes.batch().target;
    const auto hidden = heed::decode(config, parameters, target, memory, {}, workspace, nullptr);
    const auto logits = workspace.arena.matrix(hidden.rows, config.target_vocab);
    heed::linear(hidden, parameters.output, logits, workspace);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      const std::span<float> last = logits.row_span(target.offsets[s + 1] - 1);
      answers[s].push_back(static_cast<int>(std::max_element(last.begin(), last.end()) - last.begin()));
    }
  }
  std::vector<std::string> out;
  for (const std::vector<int>& answer : answers) out.push_back(decode_word(answer));
  return out;
}

// Losses as a row of blocks, from the highest to the lowest.
std::string curve(const std::vector<double>& losses) {
  constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double top = *std::max_element(losses.begin(), losses.end());
  std::string text;
  for (const double loss : losses) text += blocks[std::min(7, static_cast<int>(8.0 * loss / top))];
  return text;
}

std::set<std::string> train(heed::Trainer& trainer) {
  std::set<std::string> seen;
  std::vector<double> losses;
  heed::Progress progress("learning", updates);
  heed::BatchBuilder batch;
  for (Index update = 0; update < updates; ++update) {
    batch.clear();
    for (Index i = 0; i < words_per_batch; ++i) {
      const auto number = static_cast<std::uint64_t>(update * words_per_batch + i);
      const std::string word = random_word(heed::random_key(seed, number));
      seen.insert(word);
      batch.add(encode_word(word), encode_word(reversed(word)));
    }
    const heed::Batch view = batch.batch();
    const heed::UpdateReport report = trainer.update({&view, 1});
    if (update % (updates / 60) == 0) losses.push_back(report.plain_per_token());
    progress.show(update + 1, fmt::format("loss {:.4f}", report.plain_per_token()));
  }
  fmt::print("loss a letter, from {:.3f} to {:.4f}:\n{}\n\n", losses.front(), losses.back(), curve(losses));
  return seen;
}

double share_solved(const heed::Trainer& trainer, const std::set<std::string>& seen) {
  constexpr std::uint64_t tests = 1000;
  std::vector<std::string> words;
  for (std::uint64_t number = 0; words.size() < tests; ++number) {
    const std::string word = random_word(heed::random_key(seed + 1, number));
    if (seen.count(word) == 0) words.push_back(word);
  }
  const std::vector<std::string> answers = solve(trainer, words);
  Index right = 0;
  for (std::size_t i = 0; i < words.size(); ++i) right += answers[i] == reversed(words[i]) ? 1 : 0;
  fmt::print("{} of {} unseen words reversed exactly\n", right, words.size());
  return static_cast<double>(right) / static_cast<double>(words.size());
}

int run(std::vector<std::string> words) {
  if (words.empty()) words = {"attention", "transformer", "encoder", "decoder", "heed"};
  for (const std::string& word : words) {
    const bool fits = static_cast<Index>(word.size()) >= shortest && static_cast<Index>(word.size()) <= longest;
    if (fits && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; })) continue;
    throw heed::Error("word '" + word + "': give 3 to 11 letters from a to z");
  }
  heed::kernels::choose_isa();
  heed::Config config = heed::preset("tiny");
  config.encoder_layers = config.decoder_layers = 2;
  config.source_vocab = config.target_vocab = first_letter + letters;
  config.dropout = 0.0f;
  heed::Trainer trainer(config, {.schedule = {.warmup = 200, .peak = 0.001}, .clip = 1.0, .seed = seed},
                        heed::available_cores());
  fmt::print("A Transformer of {} parameters learns to reverse words on {} threads ({}).\n",
             trainer.model().parameter_count(), heed::available_cores(), heed::kernels::isa_name());
  const std::set<std::string> seen = train(trainer);
  const double share = share_solved(trainer, seen);
  fmt::print("\n");
  const std::vector<std::string> answers = solve(trainer, words);
  for (std::size_t i = 0; i < words.size(); ++i) fmt::print("  {:<11} → {}\n", words[i], answers[i]);
  return share >= 0.99 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a pipe sees each line as it comes
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "reverse: {}\n", error.what());
    return 1;
  }
}
