// What a run tells: lines on standard error, or a progress bar on a terminal, and the same records in log.jsonl.
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
  std::vector<Sample> samples;
};

// Sums since the last line.
struct LogWindow {
  Loss loss;
  double seconds = 0.0;
  double gradient_norm = 0.0;  // of the last update
  double learning_rate = 0.0;
  Index skipped = 0;

  double cost() const;  // smoothed, per token
  double perplexity() const;
  double speed() const;  // target tokens a second
};

class TrainingLog {
 public:
  // Goes on writing at `bytes`; what stands behind it belongs to a part of the run that is repeated.
  TrainingLog(std::filesystem::path file, std::uintmax_t bytes);

  // `share` of the run that is done, for the time left.
  void update(const RunState& state, const LogWindow& window, double share);
  void validation(const RunState& state, const Validation& validation, bool best);
  void begin(const RunState& state);
  void end(const RunState& state, const std::string& reason);
  void note(const std::string& text);
  // Redraws the bar between two lines.
  void tick(const RunState& state, const LogWindow& window, double share);

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
