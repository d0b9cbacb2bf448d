// The lines of one call: split into requests, joined again and emitted in order.
//
// Requests may finish on any thread. The one that completes the next line in order emits it and the completed lines
// after it. An exception from `emit` or a request stops emission and is kept for the caller.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "decoding/codec.h"
#include "decoding/engine.h"
#include "heed/translator.h"

namespace heed {

// An Error with its line number, from 1, in front; any other exception, or null, unchanged.
std::exception_ptr at_line(std::size_t line, const std::exception_ptr& error);

class Job {
 public:
  // The references must outlive the job.
  Job(const Codec& codec, const SearchOptions& options, const Translator::Stream& stream)
      : codec_(codec), options_(options), stream_(stream) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() { wait_until_unfinished(0); }

  // Requests for these lines, longest first, so that only short ones remain at the end. Each must be finished
  // eventually.
  std::vector<std::unique_ptr<Request>> add(std::span<const Line> lines);

  // Waits until at most this many requests are unfinished; rethrows the first error.
  void wait(std::size_t most_unfinished);

 private:
  struct PendingLine {
    std::size_t number;
    EncodedLine encoded;
    std::vector<std::vector<Hypothesis>> found;  // of each part
    std::size_t missing;
  };

  void finish(PendingLine& line, std::size_t part, std::vector<Hypothesis> hypotheses, const std::exception_ptr& error);
  void emit_known();
  void emit(const PendingLine& line);
  void note(std::size_t line, const std::string& text) const;
  void wait_until_unfinished(std::size_t most);

  const Codec& codec_;
  const SearchOptions& options_;
  const Translator::Stream& stream_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<PendingLine> lines_;  // in order; removed from the front once emitted
  std::size_t next_number_ = 0;    // used by add() alone
  std::size_t unfinished_ = 0;
  std::exception_ptr error_;
};

// Reads lines until several batches of sentences wait, so that the engine's batches of this size stay full.
void translate_stream(Engine& engine, std::size_t batch, const Codec& codec, const Translator::Stream& stream,
                      const SearchOptions& options);

// Translates lines on the caller's own threads, as validation does during training.
std::vector<std::vector<Translation>> translate_lines(StepModels models, const Codec& codec,
                                                      std::span<const Line> lines, const SearchOptions& options,
                                                      Index batch, const Workspace& workspace);

}  // namespace heed
