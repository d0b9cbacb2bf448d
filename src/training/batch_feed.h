// Prepares the batches of the next updates on a thread of its own, so that a step never waits for data.
//
// The sequence depends on the corpora, the seed and the position alone. next() is called from one thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "data/epoch.h"
#include "model/batch.h"

namespace heed {

// Where in the data a run stands: the next batch to take.
struct DataPosition {
  Index epoch = 1;
  Index batch = 0;
};

// The same share of the epoch when its pairs are cut into batches of another size, rounded up to a whole batch. Pairs
// share batches with others then, so some of this epoch's pairs are seen twice and some not at all; the next epoch is
// whole again.
DataPosition same_share(std::span<const WeightedCorpus> corpora, const EpochOptions& from, const EpochOptions& to,
                        DataPosition position);

// The batches of one update.
struct Portion {
  std::vector<BatchBuilder> batches;
  DataPosition after;  // where the next portion begins
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

  // The last update of an epoch may have fewer batches. Throws what the preparing thread threw.
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
  std::thread thread_;  // last, so that it finds everything else in place
};

}  // namespace heed
