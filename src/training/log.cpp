#include "training/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/say.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr Index bar_steps = 1000;

Index steps(double share) { return static_cast<Index>(share * static_cast<double>(bar_steps)); }

std::string now() { return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr))); }

double per_token(double sum, Index tokens) { return sum / static_cast<double>(std::max<Index>(tokens, 1)); }

}  // namespace

double LogWindow::cost() const { return per_token(loss.smoothed, loss.tokens); }
double LogWindow::perplexity() const { return std::exp(per_token(loss.plain, loss.tokens)); }
double LogWindow::speed() const { return static_cast<double>(loss.tokens) / std::max(seconds, 1e-9); }

TrainingLog::TrainingLog(fs::path file, std::uintmax_t bytes)
    : file_(std::move(file)), bytes_(bytes), terminal_(isatty(STDERR_FILENO) != 0) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file_, error);
  if (error) {
    bytes_ = 0;
    return;
  }
  bytes_ = std::min(bytes_, size);
  fs::resize_file(file_, bytes_, error);
  if (error)
    throw Error(fmt::format("'{}': cannot write ({}); check the permissions", file_.string(), error.message()));
}

void TrainingLog::append(const std::string& record) {
  const std::string line = record + '\n';
  append_to_file(file_, line);
  bytes_ += line.size();
}

void TrainingLog::print(const std::string& line) {
  if (bar_ != nullptr) return bar_->print(line);
  say(line);
}

void TrainingLog::note(const std::string& text) { print(text); }

void TrainingLog::begin(const RunState& state) {
  append(nlohmann::ordered_json{
      {"type", state.update == 0 ? "start" : "resume"}, {"update", state.update}, {"time", now()}}
             .dump());
}

void TrainingLog::tick(const RunState& state, const LogWindow& window, double share) {
  if (!terminal_) return;
  if (bar_ == nullptr) bar_ = std::make_unique<Progress>("training", bar_steps, steps(share));
  bar_->show(std::min(steps(share), bar_steps - 1),
             fmt::format("update {}  cost {:.3f}  {:.0f} tokens/s", state.update, window.cost(), window.speed()));
}

void TrainingLog::update(const RunState& s, const LogWindow& w, double share) {
  append(nlohmann::ordered_json{{"type", "train"},
                                {"update", s.update},
                                {"epoch", s.epoch()},
                                {"sentences", s.sentences},
                                {"tokens", s.tokens},
                                {"cost", w.cost()},
                                {"perplexity", w.perplexity()},
                                {"seconds", s.seconds},
                                {"tokens_per_second", w.speed()},
                                {"gradient_norm", w.gradient_norm},
                                {"learning_rate", w.learning_rate},
                                {"skipped", w.skipped}}
             .dump());
  if (w.skipped > 0) print(fmt::format("{} updates skipped: their gradient was not finite", w.skipped));
  if (terminal_) return tick(s, w, share);
  print(
      fmt::format("[{}] Ep. {} : Up. {} : Sen. {} : Cost {:.4f} : Perplexity {:.2f} : Time {:.1f}s : {:.0f} tokens/s : "
                  "gNorm {:.4f} : L.r. {:.4e}",
                  now(), s.epoch(), s.update, s.sentences, w.cost(), w.perplexity(), w.seconds, w.speed(),
                  w.gradient_norm, w.learning_rate));
}

void TrainingLog::validation(const RunState& s, const Validation& v, bool best) {
  nlohmann::ordered_json record{
      {"type", "valid"}, {"update", s.update}, {"epoch", s.epoch()}, {"perplexity", v.perplexity}, {"cost", v.cost}};
  std::string line = fmt::format("[valid] Ep. {} : Up. {} : perplexity {:.3f} : cost {:.4f}", s.epoch(), s.update,
                                 v.perplexity, v.cost);
  if (v.bleu) {
    record["bleu"] = *v.bleu;
    line += fmt::format(" : bleu {:.2f}", *v.bleu);
  }
  if (v.chrf) {
    record["chrf"] = *v.chrf;
    line += fmt::format(" : chrf {:.2f}", *v.chrf);
  }
  record["seconds"] = s.seconds;
  record["best"] = best;
  record["samples"] = nlohmann::ordered_json::array();
  for (const Sample& sample : v.samples) {
    record["samples"].push_back(
        {{"source", sample.source}, {"reference", sample.reference}, {"hypothesis", sample.hypothesis}});
  }
  append(record.dump());
  line += best ? " : new best" : fmt::format(" : stalled {} times (best at update {})", s.stalled, s.best_update);
  print(line);
}

void TrainingLog::end(const RunState& state, const std::string& reason) {
  if (bar_ != nullptr) bar_->clear();
  bar_.reset();
  append(
      nlohmann::ordered_json{{"type", "end"}, {"update", state.update}, {"reason", reason}, {"seconds", state.seconds}}
          .dump());
}

}  // namespace heed
