#include "decoding/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "heed/error.h"

namespace heed {
namespace {

// With fewer rows a thread waits for weights from memory, and threads that share one batch get more done.
constexpr Index rows_for_a_thread = 16;

Index rows_of(const Request& request) { return std::max(request.options.beam, request.options.n_best); }

}  // namespace

Engine::Team::Team(StepModels models, int threads_, Index batch, std::size_t memory)
    : threads(threads_), arena(memory), workspace{threads, arena}, search(models, batch, workspace) {}

Engine::Engine(std::vector<const StepModel*> models, int threads, Index batch) : models_(std::move(models)) {
  const std::size_t memory = machine_memory() / static_cast<std::size_t>(threads + 1);
  if (threads > 1) together_ = std::make_unique<Team>(models_, threads, batch, memory);
  for (int i = 0; i < threads; ++i) singles_.push_back(std::make_unique<Team>(models_, 1, batch, memory));
  try {
    for (const auto& single : singles_) workers_.emplace_back([this, &single] { work(*single); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(fmt::format("thread {} of {} cannot be started ({}); choose fewer threads", workers_.size() + 1,
                            threads, error.code().message()));
  }
}

Engine::~Engine() { stop(); }

void Engine::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Engine::submit(std::vector<std::unique_ptr<Request>> requests) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& request : requests) {
      queued_rows_ += rows_of(*request);
      queue_.push_back(std::move(request));
    }
  }
  changed_.notify_all();
}

bool Engine::enough_for_all() const {
  const auto threads = static_cast<Index>(singles_.size());
  return threads == 1 || queued_rows_ >= rows_for_a_thread * threads;
}

// The team of all threads admits no more sentences when there are enough for each thread to have a batch of its own.
std::unique_ptr<Request> Engine::next(Mode mode) {
  const std::lock_guard lock(mutex_);
  if (queue_.empty() || (mode == Mode::together && enough_for_all())) return nullptr;
  std::unique_ptr<Request> request = std::move(queue_.front());
  queue_.pop_front();
  queued_rows_ -= rows_of(*request);
  return request;
}

// Whether an idle worker may begin; chooses the mode when no team is active.
bool Engine::may_begin() {
  if (queue_.empty()) return false;
  if (at_work_ == 0) mode_ = enough_for_all() ? Mode::apart : Mode::together;
  return at_work_ == 0 || mode_ == Mode::apart;
}

void Engine::work(Team& single) {
  while (true) {
    Mode mode;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return may_begin() || (stopping_ && queue_.empty()); });
      if (queue_.empty()) return;
      mode = mode_;
      ++at_work_;
    }
    (mode == Mode::apart ? single : *together_).search.run([&] { return next(mode); });
    {
      const std::lock_guard lock(mutex_);
      --at_work_;
    }
    changed_.notify_all();
  }
}

}  // namespace heed
