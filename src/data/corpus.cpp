#include "data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "base/hash.h"
#include "base/random.h"
#include "heed/error.h"
#include "text/utf8.h"

namespace heed {
namespace {

constexpr Index pairs_between_reports = 10000;

Index count_rest(LineReader& reader) {
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
}

// A line as it lies in a file made on Windows ends in CR, which is no part of the text.
void drop_carriage_return(std::string& line) {
  if (line.ends_with('\r')) line.pop_back();
}

}  // namespace

std::string CorpusFiles::name() const {
  if (target.empty()) return fmt::format("'{}'", source.string());
  return fmt::format("'{}' and '{}'", source.string(), target.string());
}

PairReader::PairReader(const CorpusFiles& files) : files_(files), source_(files.source) {
  if (!files.target.empty()) target_.emplace(files.target);
}

bool PairReader::next(std::string& source, std::string& target) {
  return target_ ? next_of_two(source, target) : next_of_tsv(source, target);
}

void PairReader::check(const std::string& line, const std::filesystem::path& path) const {
  if (const auto bad = find_invalid_utf8(line)) {
    throw Error(fmt::format("corpus '{}': line {} is not UTF-8 (byte {}); run 'heed corpus check'", path.string(),
                            source_.line_number(), *bad + 1));
  }
}

bool PairReader::next_of_two(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_->next(target);
  if (has_source != has_target) {
    const Index sources = count_rest(source_);
    const Index targets = count_rest(*target_);
    throw Error(fmt::format("'{}' has {} lines and '{}' has {}; they must be line-aligned: run 'heed corpus check'",
                            files_.source.string(), sources, files_.target.string(), targets));
  }
  if (!has_source) return false;
  check(source, files_.source);
  check(target, files_.target);
  drop_carriage_return(source);
  drop_carriage_return(target);
  return true;
}

bool PairReader::next_of_tsv(std::string& source, std::string& target) {
  if (!source_.next(source)) return false;
  check(source, files_.source);
  drop_carriage_return(source);
  const std::size_t tab = source.find('\t');
  if (tab == std::string::npos || source.find('\t', tab + 1) != std::string::npos) {
    throw Error(fmt::format("corpus '{}': line {} has {} tabs where source and target need exactly one between them",
                            files_.source.string(), source_.line_number(),
                            std::count(source.begin(), source.end(), '\t')));
  }
  target.assign(source, tab + 1);
  source.resize(tab);
  return true;
}

CorpusFacts survey(const CorpusFiles& files, const std::function<void(double)>& progress) {
  PairReader reader(files);
  CorpusFacts facts;
  Hash hash;
  for (std::string source, target; reader.next(source, target);) {
    hash.add(source);
    hash.add("\t");
    hash.add(target);
    hash.add("\n");
    if (++facts.pairs % pairs_between_reports == 0) progress(reader.share_read());
  }
  facts.fingerprint = hash.value();
  return facts;
}

std::vector<std::string> sample_lines(std::span<const CorpusFiles> corpora, std::optional<Side> side, Index most,
                                      std::uint64_t seed) {
  // The lines with the smallest random keys are the sample: one pass, and no line's chance depends on the others.
  struct Drawn {
    std::uint64_t key;
    std::uint64_t ordinal;
    std::string line;
  };
  const auto smaller = [](const Drawn& a, const Drawn& b) { return a.key < b.key; };
  std::vector<Drawn> heap;
  std::uint64_t ordinal = 0;
  const auto offer = [&](const std::string& line) {
    const std::uint64_t key = random_key(seed, ++ordinal);
    if (line.empty()) return;
    if (static_cast<Index>(heap.size()) == most) {
      if (key >= heap.front().key) return;
      std::pop_heap(heap.begin(), heap.end(), smaller);
      heap.pop_back();
    }
    heap.push_back({key, ordinal, line});
    std::push_heap(heap.begin(), heap.end(), smaller);
  };
  for (const CorpusFiles& files : corpora) {
    PairReader reader(files);
    for (std::string source, target; reader.next(source, target);) {
      if (side != Side::target) offer(source);
      if (side != Side::source) offer(target);
    }
  }
  std::sort(heap.begin(), heap.end(), [](const Drawn& a, const Drawn& b) { return a.ordinal < b.ordinal; });
  std::vector<std::string> lines;
  lines.reserve(heap.size());
  for (Drawn& drawn : heap) lines.push_back(std::move(drawn.line));
  return lines;
}

}  // namespace heed
