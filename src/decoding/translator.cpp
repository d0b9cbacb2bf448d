#include "heed/translator.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figures.h"
#include "decoding/engine.h"
#include "decoding/job.h"
#include "decoding/line_codec.h"
#include "decoding/model_folder.h"

namespace heed {
namespace {

// The user's setting, or the smallest length that a model records; 0 if none does.
Index max_source_length(const std::vector<ModelFolder>& folders, const ModelOptions& options) {
  if (options.max_source_length > 0) return options.max_source_length;
  Index smallest = 0;
  for (const ModelFolder& folder : folders) {
    const Index length = folder.info.max_source_length;
    if (length > 0 && (smallest == 0 || length < smallest)) smallest = length;
  }
  return smallest;
}

void check(const Translator::Stream& stream) {
  if (!stream.next) throw Error("the stream has no function 'next'; set one that fills in lines to translate");
  if (!stream.emit) throw Error("the stream has no function 'emit'; set one that takes the translations");
}

}  // namespace

class Translator::Implementation {
 public:
  Implementation(std::span<const std::filesystem::path> folders, const ModelOptions& options)
      : folders_(load_model_folders(folders, options, ModelTask::translate)),
        models_(step_models(folders_)),
        codec_(folders_[0].tokenizers, models_, max_source_length(folders_, options), folders_[0].info.source_end),
        batch_(static_cast<std::size_t>(options.batch)),
        engine_(models_, threads_of(options), options.batch) {}

  const ModelInfo& info() const { return folders_[0].info; }
  SearchOptions default_options() const { return default_search(info()); }
  std::vector<std::string> notes() const { return all_notes(folders_); }

  void translate(const Stream& stream, const SearchOptions& options) {
    check(stream);
    check(options);
    check_alignment_layer(options, models_);
    translate_stream(engine_, batch_, codec_, stream, options);
  }

  std::vector<Translation> rescore(std::span<const Line> sources, std::span<const std::string> targets) {
    if (sources.size() != targets.size()) {
      throw Error(fmt::format("there {} {} and {}; pass the same number of each", plural(sources.size(), "is", "are"),
                              counted(sources.size(), "source"), counted(targets.size(), "target")));
    }
    SearchOptions options = default_options();
    options.beam = 1;
    std::vector<Translation> scored(sources.size());
    Rescoring rescoring{sources.size()};
    std::vector<std::unique_ptr<Request>> requests;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Tokens source = codec_.encode_whole(sources[i].text);
      requests.push_back(std::make_unique<Request>(
          Request{.source = source,
                  .prefix = codec_.encode_target(targets[i]),
                  .task = Task::score,
                  .options = options,
                  .done = [&, source, i](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
                    if (error == nullptr) {
                      const std::vector<Hypothesis> found[] = {std::move(hypotheses)};
                      scored[i] = codec_.decode({.parts = {source}}, found, options).front();
                    }
                    rescoring.finish(at_line(i, error));
                  }}));
    }
    engine_.submit(std::move(requests));
    rescoring.wait();
    return scored;
  }

 private:
  // Counts the unfinished requests.
  struct Rescoring {
    std::size_t unfinished;
    std::exception_ptr first_error = nullptr;
    std::mutex mutex = {};
    std::condition_variable changed = {};

    void finish(const std::exception_ptr& error) {
      const std::lock_guard lock(mutex);
      if (first_error == nullptr) first_error = error;
      --unfinished;
      changed.notify_all();
    }
    void wait() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return unfinished == 0; });
      if (first_error != nullptr) std::rethrow_exception(first_error);
    }
  };

  std::vector<ModelFolder> folders_;
  std::vector<const StepModel*> models_;
  LineCodec codec_;
  std::size_t batch_;
  Engine engine_;
};

Translator::Translator(const std::filesystem::path& folder, const ModelOptions& options)
    : Translator(std::span(&folder, 1), options) {}
Translator::Translator(std::span<const std::filesystem::path> folders, const ModelOptions& options)
    : implementation_(std::make_unique<Implementation>(folders, options)) {}
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

Translator::Implementation& Translator::implementation() const {
  if (implementation_ == nullptr) throw Error("this Translator was moved from; use the one that it was moved to");
  return *implementation_;
}

const std::string& Translator::source_language() const { return implementation().info().source_language; }
const std::string& Translator::target_language() const { return implementation().info().target_language; }

SearchOptions Translator::default_options() const { return implementation().default_options(); }

std::vector<std::string> Translator::notes() const { return implementation().notes(); }

Translation Translator::translate(std::string_view text, const SearchOptions& options) const {
  const Line line{std::string(text)};
  return translate(std::span(&line, 1), options).front().front();
}

std::vector<std::vector<Translation>> Translator::translate(std::span<const Line> lines,
                                                            const SearchOptions& options) const {
  std::vector<std::vector<Translation>> all(lines.size());
  bool given = false;
  translate({[&](std::vector<Line>& next) {
               next.assign(lines.begin(), lines.end());
               return !std::exchange(given, true);
             },
             [&](std::size_t line, const std::vector<Translation>& translations) { all[line] = translations; },
             {}},
            options);
  return all;
}

void Translator::translate(const Stream& stream, const SearchOptions& options) const {
  implementation().translate(stream, options);
}

std::vector<Translation> Translator::rescore(std::span<const Line> sources,
                                             std::span<const std::string> targets) const {
  return implementation().rescore(sources, targets);
}

}  // namespace heed
