// Worker threads that translate the requests of any number of callers.
//
// All sentences wait in one queue. When there are enough of them, each thread works on a batch of its own; otherwise
// all threads share one batch, which makes a single sentence fast. Either way there is one copy of the weights.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "decoding/search.h"

namespace heed {

class Engine {
 public:
  // The models must outlive the engine. A batch holds at most `batch` sentences.
  Engine(std::vector<const StepModel*> models, int threads, Index batch);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Finishes every request first.
  ~Engine();

  void submit(std::vector<std::unique_ptr<Request>> requests);

 private:
  // A batch with its threads and memory.
  struct Team {
    Team(StepModels models, int threads, Index batch, std::size_t memory);

    ThreadPool threads;
    Arena arena;
    Workspace workspace;
    Search search;
  };
  enum class Mode { together, apart };

  void stop() noexcept;
  void work(Team& single);
  bool may_begin();
  std::unique_ptr<Request> next(Mode mode);
  bool enough_for_all() const;

  std::vector<const StepModel*> models_;
  std::unique_ptr<Team> together_;              // all threads; null if there is only one
  std::vector<std::unique_ptr<Team>> singles_;  // one thread each
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Request>> queue_;
  Index queued_rows_ = 0;  // hypotheses of the queued requests
  Mode mode_ = Mode::together;
  int at_work_ = 0;  // active teams
  bool stopping_ = false;
  std::vector<std::thread> workers_;  // one for each of singles_
};

}  // namespace heed
