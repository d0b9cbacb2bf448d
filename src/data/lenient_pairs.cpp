#include "data/pairs.h"

#include <fmt/format.h>

namespace heed {

std::string CorpusFiles::name() const {
  return tsv() ? fmt::format("'{}'", source.string()) : fmt::format("'{}' and '{}'", source.string(), target.string());
}

PairReader::PairReader(const CorpusFiles& files) : source_(files.source) {
  if (!files.tsv()) target_.emplace(files.target);
}

bool PairReader::next(Pair& pair) {
  pair.complete = true;
  if (target_) {
    if (!source_.next(pair.source)) return false;
    if (target_->next(pair.target)) return true;
    source_ahead_ = 1;
    return false;
  }
  if (!source_.next(line_)) return false;
  const std::size_t tab = line_.find('\t');
  pair.complete = tab != std::string::npos;
  pair.source = line_.substr(0, tab);
  pair.target = pair.complete ? line_.substr(tab + 1) : std::string();
  if (const std::size_t more = pair.target.find('\t'); more != std::string::npos) pair.target.resize(more);
  return true;
}

PairReader::Rest PairReader::count_rest() {
  Rest rest{source_ahead_, 0};
  while (source_.next(line_)) ++rest.source;
  while (target_ && target_->next(line_)) ++rest.target;
  return rest;
}

}  // namespace heed
