// The lines of one call: cut into requests, gathered again and emitted in order.
//
// Requests may be done on any thread. Whoever completes the next line in order emits it and those behind it that are
// complete, too. An exception from `emit` or of a request stops the emitting and is kept for the caller.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "decoding/line_codec.h"
#include "heed/translator.h"

namespace heed {

// The error, if it is one, with the number of its line, from 1, in front.
std::exception_ptr at_line(std::size_t line, const std::exception_ptr& error);

class Job {
 public:
  // What is referred to must outlive the job.
  Job(const LineCodec& codec, const SearchOptions& options, const Translator::Stream& stream)
      : codec_(codec), options_(options), stream_(stream) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() { wait_until_unfinished(0); }

  // Requests for these lines, the longest first: at the end only short ones are at work. Each must be done in the end.
  std::vector<std::unique_ptr<Request>> add(std::span<const Line> lines);

  // Waits until at most this many requests are unfinished; rethrows what went wrong.
  void wait(std::size_t most_unfinished);

 private:
  struct PendingLine {
    std::size_t number;
    std::vector<Tokens> parts;
    std::vector<std::vector<Hypothesis>> found;  // of each part
    std::size_t missing;
  };

  void finish(PendingLine& line, std::size_t part, std::vector<Hypothesis> hypotheses, const std::exception_ptr& error);
  void emit_known();
  void emit(const PendingLine& line);
  void note(std::size_t line, const std::string& text) const;
  void wait_until_unfinished(std::size_t most);

  const LineCodec& codec_;
  const SearchOptions& options_;
  const Translator::Stream& stream_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<PendingLine> lines_;  // in order; those at the front leave when they have been emitted
  std::size_t next_number_ = 0;    // used by add() alone
  std::size_t unfinished_ = 0;
  std::exception_ptr error_;
};

// Translates lines on the caller's own threads, as validation does in the middle of a training.
std::vector<std::vector<Translation>> translate_lines(StepModels models, const LineCodec& codec,
                                                      std::span<const Line> lines, const SearchOptions& options,
                                                      Index batch, const Workspace& workspace);

}  // namespace heed
