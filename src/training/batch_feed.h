// Prepares (prefetches) the batches of the next updates on a background thread, so that a step never waits for data.
//
// The sequence depends only on the corpora, the seed and the position. Call next() from one thread only.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "data/epoch.h"
#include "model/batch.h"

namespace heed {

// A run's position in the data: the next batch to take.
struct DataPosition {
  Index epoch = 1;
  Index batch = 0;
};

// The position at the same fraction of the epoch after the batch size changes, rounded up to a whole batch. The pairs
// are grouped differently then, so some pairs of this epoch are seen twice and some not at all; the next epoch is
// complete again.
DataPosition same_share(std::span<const WeightedCorpus> corpora, const EpochOptions& from, const EpochOptions& to,
                        DataPosition position);

// The micro-batches of one update: their gradients are accumulated.
struct Portion {
  std::vector<BatchBuilder> batches;
  DataPosition after;  // start of the next portion
  bool ends_epoch = false;
  Index epoch_batches = 0;  // of the whole epoch
};

class BatchFeed {
 public:
  BatchFeed(std::vector<WeightedCorpus> corpora, const EpochOptions& options, Index batches_per_update,
            DataPosition start);
  ~BatchFeed();
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  // The last update of an epoch may have fewer batches. Rethrows an exception of the background thread.
  Portion next();

 private:
  void prepare();
  Portion make_portion(const Epoch& epoch, DataPosition from) const;
  bool hand_over(Portion portion);

  std::vector<WeightedCorpus> corpora_;
  EpochOptions options_;
  Index batches_per_update_;
  DataPosition start_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Portion> ready_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::thread thread_;  // last, so that it starts after everything else is initialised
};

}  // namespace heed
