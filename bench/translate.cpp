#include "bench/translate.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/random.h"
#include "bench/clock.h"
#include "decoding/engine.h"
#include "decoding/model_folder.h"
#include "heed/error.h"

namespace heed::bench {
namespace {

namespace fs = std::filesystem;

// RAII: a folder for the model.
class ModelHome {
 public:
  ModelHome() {
    std::string name = (fs::temp_directory_path() / "heed-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error("'" + name + "' cannot be created; set TMPDIR to a folder with free space");
    folder_ = name;
  }
  ModelHome(const ModelHome&) = delete;
  ModelHome& operator=(const ModelHome&) = delete;
  ~ModelHome() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

void write_random_model(const fs::path& file, const Config& config, NumberType type) {
  Transformer model(config, Purpose::inference);
  initialise(layout_of(config), 1, model.values().data());
  if (type != NumberType::int8) return write_weights(file, layout_of(config), {{"", model.values()}}, {});
  Int8Weights weights = quantize(config, model.values());
  write_int8_weights(file, config, weights, {});
}

// In a child process, so that the peak memory of this one is that of translation only.
void make_model(const fs::path& folder, const Config& config, NumberType type) {
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a process to write the model; free some memory");
  if (child == 0) {
    try {
      write_random_model(folder / "model.safetensors", config, type);
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0)
    throw Error("'" + folder.string() + "': the model cannot be written; set TMPDIR to a folder with free space");
}

std::vector<int> random_source(const TranslateBench& bench, Index sentence) {
  std::vector<int> source;
  for (Index i = 0; i + 1 < bench.source_length; ++i) {
    const auto words = static_cast<std::uint64_t>(bench.config.source_vocab - 3);
    source.push_back(3 + static_cast<int>(uniform_below(random_key(1, static_cast<std::uint64_t>(sentence)),
                                                        static_cast<std::uint64_t>(i), words)));
  }
  source.push_back(end_token);
  return source;
}

// Translates sentences [first, first + count) and waits for the last.
void translate(Engine& engine, const TranslateBench& bench, Index first, Index count) {
  std::mutex mutex;
  std::condition_variable changed;
  Index missing = count;
  SearchOptions options = bench.search;
  options.scores = false;
  options.min_length = options.max_length = static_cast<int>(bench.target_length) - 1;
  std::vector<std::unique_ptr<Request>> requests;
  for (Index i = first; i < first + count; ++i) {
    requests.push_back(
        std::make_unique<Request>(Request{.source = random_source(bench, i),
                                          .options = options,
                                          .done = [&](const std::vector<Hypothesis>&, const std::exception_ptr&) {
                                            const std::lock_guard lock(mutex);
                                            --missing;
                                            changed.notify_all();
                                          }}));
  }
  engine.submit(std::move(requests));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return missing == 0; });
}

// With a batch of 1, one sentence at a time: what a waiting user sees.
void run_round(Engine& engine, const TranslateBench& bench) {
  const Index at_a_time = bench.model.batch == 1 ? 1 : bench.sentences;
  for (Index first = 0; first < bench.sentences; first += at_a_time) {
    translate(engine, bench, first, std::min(at_a_time, bench.sentences - first));
  }
}

}  // namespace

TranslateBenchResult bench_translate(const TranslateBench& bench, const std::function<void(int done)>& progress) {
  const ModelHome home;
  make_model(home.folder(), bench.config, bench.model.type);
  TranslateBenchResult result;
  result.file_mb = static_cast<double>(fs::file_size(home.folder() / "model.safetensors")) / 1e6;

  const double start = seconds_now();
  std::unique_ptr<const Transformer> model;
  {
    ThreadPool threads(bench.model.threads);
    Arena arena;
    model = load_model(Safetensors(weights_file(home.folder())), bench.config, bench.model, {threads, arena});
  }
  const TranslationModel steps(*model);
  Engine engine({&steps}, bench.model.threads, bench.model.batch);
  result.load_ms = 1e3 * (seconds_now() - start);

  translate(engine, bench, 0, std::min<Index>(bench.model.batch, bench.sentences));
  std::vector<double> seconds;
  for (int round = 0; round < bench.rounds; ++round) {
    seconds.push_back(seconds_of([&] { run_round(engine, bench); }));
    progress(round + 1);
  }
  const double each = median(seconds) / static_cast<double>(bench.sentences);
  result.ms_per_sentence = 1e3 * each;
  result.tokens_per_second = static_cast<double>(bench.target_length) / each;
  result.peak_mb = static_cast<double>(peak_memory()) / 1e6;
  return result;
}

}  // namespace heed::bench
