#include "training/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/files.h"
#include "base/say.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr Index bar_steps = 1000000;  // fine enough to estimate the remaining time of a long run

Index steps(double share) { return static_cast<Index>(share * static_cast<double>(bar_steps)); }

std::string now() { return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr))); }

std::optional<double> per_token(double sum, Index tokens) {
  return tokens == 0 ? std::nullopt : std::optional(sum / static_cast<double>(tokens));
}

nlohmann::ordered_json or_null(const std::optional<double>& figure) {
  return figure ? nlohmann::ordered_json(*figure) : nlohmann::ordered_json();
}

std::string shown(const std::optional<double>& figure, int digits) {
  return figure ? fmt::format("{:.{}f}", *figure, digits) : "n/a";
}

}  // namespace

std::optional<double> LogWindow::cost() const { return per_token(loss.smoothed, loss.tokens); }

std::optional<double> LogWindow::perplexity() const {
  const std::optional<double> plain = per_token(loss.plain, loss.tokens);
  return plain ? std::optional(std::exp(*plain)) : std::nullopt;
}

std::optional<double> LogWindow::speed() const {
  if (loss.tokens == 0) return std::nullopt;
  return static_cast<double>(loss.tokens) / std::max(seconds, 1e-9);
}

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

void TrainingLog::begin(const RunState& state, const RunFacts& facts) {
  append(nlohmann::ordered_json{{"type", state.update == 0 ? "start" : "resume"},
                                {"update", state.update},
                                {"time", now()},
                                {"version", facts.version},
                                {"parameters", facts.parameters},
                                {"threads", facts.threads},
                                {"seed", facts.seed},
                                {"instruction_set", facts.instruction_set}}
             .dump());
  print(fmt::format("[{}] heed {} : {} {} : {} : seed {} : {}", now(), facts.version, with_commas(facts.parameters),
                    plural(facts.parameters, "parameter"), counted(facts.threads, "thread"), facts.seed,
                    facts.instruction_set));
}

void TrainingLog::change(const RunState& state, const SettingChange& change) {
  const std::string name = flag_name(change.name);
  append(nlohmann::ordered_json{
      {"type", "change"}, {"update", state.update}, {"name", name}, {"from", change.from}, {"to", change.to}}
             .dump());
  print(fmt::format("Changed after update {}: {} from {} to {}", state.update, name, change.from, change.to));
}

void TrainingLog::tick(const RunState& state, const LogWindow& window, const RunProgress& progress) {
  if (!terminal_) return;
  if (bar_ == nullptr) bar_ = std::make_unique<Progress>("training", bar_steps, steps(progress.share));
  bar_->show(std::min(steps(progress.share), bar_steps - 1),
             fmt::format("update {}  cost {}  {} target tokens/s", state.update, shown(window.cost(), 3),
                         shown(window.speed(), 0)));
}

void TrainingLog::update(const RunState& s, const LogWindow& w, const RunProgress& progress) {
  append(nlohmann::ordered_json{{"type", "train"},
                                {"update", s.update},
                                {"epoch", s.epoch()},
                                {"sentences", s.sentences},
                                {"tokens", s.tokens},
                                {"cost", or_null(w.cost())},
                                {"perplexity", or_null(w.perplexity())},
                                {"seconds", s.seconds},
                                {"seconds_left", or_null(progress.seconds_left)},
                                {"tokens_per_second", or_null(w.speed())},
                                {"gradient_norm", or_null(w.gradient_norm)},
                                {"learning_rate", w.learning_rate},
                                {"skipped", w.skipped}}
             .dump());
  if (w.skipped > 0) {
    print(fmt::format("{} skipped: {} gradient was not finite", counted(w.skipped, "update"),
                      plural(w.skipped, "its", "their")));
  }
  if (terminal_) return tick(s, w, progress);
  const std::string left = progress.seconds_left ? " : " + clock_time(*progress.seconds_left) + " left" : "";
  print(
      fmt::format("[{}] Ep. {} : Up. {} : Sen. {} : Cost {} : Perplexity {} : Time {:.1f}s : {} target tokens/s : "
                  "gNorm {} : L.r. {:.4e}{}",
                  now(), s.epoch(), s.update, s.sentences, shown(w.cost(), 4), shown(w.perplexity(), 2), w.seconds,
                  shown(w.speed(), 0), shown(w.gradient_norm, 4), w.learning_rate, left));
}

void TrainingLog::validation(const RunState& s, const Validation& v, bool best) {
  nlohmann::ordered_json record{
      {"type", "valid"}, {"update", s.update}, {"epoch", s.epoch()}, {"perplexity", v.perplexity}, {"cost", v.cost}};
  std::string line = fmt::format("[valid] Ep. {} : Up. {} : perplexity {:.3f} : cost {:.4f}", s.epoch(), s.update,
                                 v.perplexity, v.cost);
  for (const auto& [name, score] : {std::pair{"bleu", v.bleu}, {"chrf", v.chrf}, {"brackets", v.brackets}}) {
    if (!score) continue;
    record[name] = *score;
    line += fmt::format(" : {} {:.2f}", name, *score);
  }
  record["seconds"] = s.seconds;
  record["best"] = best;
  record["samples"] = nlohmann::ordered_json::array();
  for (const Sample& sample : v.samples) {
    record["samples"].push_back(
        {{"source", sample.source}, {"reference", sample.reference}, {"hypothesis", sample.hypothesis}});
  }
  append(record.dump());
  line += best ? " : new best"
               : fmt::format(" : no improvement for {} (best at update {})", counted(s.stalled, "validation"),
                             s.best_update);
  print(line);
}

void TrainingLog::end(const RunState& state, End reason, const std::string& message) {
  if (bar_ != nullptr) bar_->clear();
  bar_.reset();
  nlohmann::ordered_json record{
      {"type", "end"}, {"update", state.update}, {"reason", name_of(reason)}, {"seconds", state.seconds}};
  if (!message.empty()) record["message"] = message;
  append(record.dump());
}

}  // namespace heed
