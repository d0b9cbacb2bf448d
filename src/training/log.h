// The log of a run: lines on standard error, or a progress bar on a terminal, and the same records in log.jsonl.
//
// A figure that is not available, such as the cost of a window whose updates were all skipped, is null in the record
// and n/a in the line.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "training/checkpoint.h"

namespace heed {

struct Sample {
  std::string source;
  std::string reference;
  std::string hypothesis;
};

struct Validation {
  double cost = 0.0;  // smoothed, per token
  double perplexity = 0.0;
  std::optional<double> bleu;
  std::optional<double> chrf;
  std::optional<double> brackets = {};  // strict F of parse trees
  std::vector<Sample> samples = {};
};

// Sums since the last line. Skipped updates count only in `skipped` and `seconds`.
struct LogWindow {
  Loss loss;
  double seconds = 0.0;
  std::optional<double> gradient_norm;  // of the last update
  double learning_rate = 0.0;
  Index skipped = 0;

  std::optional<double> cost() const;  // smoothed, per token
  std::optional<double> perplexity() const;
  std::optional<double> speed() const;  // target tokens per second
};

// The fraction of the run that is done, and the remaining time if known.
struct RunProgress {
  double share = 0.0;
  std::optional<double> seconds_left;
};

// Program, model and machine, for the first line and the start record.
struct RunFacts {
  std::string version;
  Index parameters = 0;
  int threads = 1;
  std::uint64_t seed = 1;
  std::string instruction_set;
};

class TrainingLog {
 public:
  // Truncates the file to `bytes` and appends; the resumed run produces the records after that again.
  TrainingLog(std::filesystem::path file, std::uintmax_t bytes);

  void update(const RunState& state, const LogWindow& window, const RunProgress& progress);
  void validation(const RunState& state, const Validation& validation, bool best);
  void begin(const RunState& state, const RunFacts& facts);
  void change(const RunState& state, const SettingChange& change);
  // `message` is the error message of a failed run.
  void end(const RunState& state, End reason, const std::string& message = {});
  // Redraws the bar between two lines.
  void tick(const RunState& state, const LogWindow& window, const RunProgress& progress);

  std::uintmax_t bytes() const { return bytes_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  void append(const std::string& record);
  void print(const std::string& line);

  std::filesystem::path file_;
  std::uintmax_t bytes_;
  bool terminal_;
  std::unique_ptr<Progress> bar_;
};

}  // namespace heed
