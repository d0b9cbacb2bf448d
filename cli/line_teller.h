// What a command that turns lines into lines tells on standard error: notes about lines, and progress if the input is a
// file. There is no progress bar if the results go to the same terminal.
#pragma once

#include <optional>
#include <string>

#include "base/progress.h"

namespace heed::cli {

class LineTeller {
 public:
  struct Files {
    const std::string& input;   // empty: standard input
    const std::string& output;  // empty: standard output
  };

  LineTeller(const char* doing, const Files& files, bool quiet);

  void done(std::size_t lines) {
    if (progress_) progress_->show(static_cast<Index>(lines));
  }
  void note(std::size_t line, const std::string& text);

 private:
  bool quiet_;
  std::optional<Progress> progress_;
};

}  // namespace heed::cli
