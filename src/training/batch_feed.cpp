#include "training/batch_feed.h"

#include <algorithm>

namespace heed {
namespace {

// Updates prepared ahead: enough to hide the sorting of a new epoch.
constexpr std::size_t portions_ahead = 8;

}  // namespace

DataPosition same_share(std::span<const WeightedCorpus> corpora, const EpochOptions& from, const EpochOptions& to,
                        DataPosition position) {
  if (position.batch == 0 || from.batch_tokens == to.batch_tokens) return position;
  const Index before = Epoch(corpora, from, position.epoch).batches();
  const Index after = Epoch(corpora, to, position.epoch).batches();
  if (position.batch >= before) return {position.epoch + 1, 0};
  const Index batch = divide_up(position.batch * after, before);
  return batch >= after ? DataPosition{position.epoch + 1, 0} : DataPosition{position.epoch, batch};
}

BatchFeed::BatchFeed(std::vector<WeightedCorpus> corpora, const EpochOptions& options, Index batches_per_update,
                     DataPosition start)
    : corpora_(std::move(corpora)),
      options_(options),
      batches_per_update_(batches_per_update),
      start_(start),
      thread_([this] { prepare(); }) {}

BatchFeed::~BatchFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Portion BatchFeed::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || failure_ != nullptr; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  Portion portion = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return portion;
}

Portion BatchFeed::make_portion(const Epoch& epoch, DataPosition from) const {
  Portion portion;
  const Index end = std::min(from.batch + batches_per_update_, epoch.batches());
  for (Index i = from.batch; i < end; ++i) {
    BatchBuilder builder;
    for (const Epoch::Pair& pair : epoch.batch(i)) {
      const EncodedCorpus& corpus = *corpora_[pair.corpus].corpus;
      builder.add(corpus.source(pair.pair), corpus.target(pair.pair));
    }
    portion.batches.push_back(std::move(builder));
  }
  portion.ends_epoch = end == epoch.batches();
  portion.epoch_batches = epoch.batches();
  portion.after = portion.ends_epoch ? DataPosition{from.epoch + 1, 0} : DataPosition{from.epoch, end};
  return portion;
}

bool BatchFeed::hand_over(Portion portion) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.size() < portions_ahead || stopping_; });
    if (stopping_) return false;
    ready_.push_back(std::move(portion));
  }
  changed_.notify_all();
  return true;
}

void BatchFeed::prepare() {
  try {
    for (DataPosition position = start_;;) {
      const Epoch epoch(corpora_, options_, position.epoch);
      for (const Index number = position.epoch; position.epoch == number;) {
        Portion portion = make_portion(epoch, position);
        position = portion.after;
        if (!hand_over(std::move(portion))) return;
      }
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  changed_.notify_all();
}

}  // namespace heed
