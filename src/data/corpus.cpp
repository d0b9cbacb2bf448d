#include "data/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figures.h"
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

void check_utf8(const std::string& line, const std::filesystem::path& file, Index number) {
  if (const auto bad = find_invalid_utf8(line)) {
    throw Error(fmt::format("corpus '{}': line {} is not UTF-8 (byte {}); run 'heed corpus check'", file.string(),
                            number, *bad + 1));
  }
}

// One-pass sampling: keeps the lines with the smallest random keys.
class Sampler {
 public:
  explicit Sampler(const SampleOptions& options) : options_(options) {}

  void offer(const std::string& line) {
    const std::uint64_t key = random_key(options_.seed, ++ordinal_);
    if (line.empty()) return;
    if (static_cast<Index>(heap_.size()) == options_.most) {
      if (key >= heap_.front().key) return;
      std::pop_heap(heap_.begin(), heap_.end(), smaller);
      heap_.pop_back();
    }
    heap_.push_back({key, ordinal_, line});
    std::push_heap(heap_.begin(), heap_.end(), smaller);
  }

  std::vector<std::string> lines() {
    std::sort(heap_.begin(), heap_.end(), [](const Drawn& a, const Drawn& b) { return a.ordinal < b.ordinal; });
    std::vector<std::string> lines;
    lines.reserve(heap_.size());
    for (Drawn& drawn : heap_) lines.push_back(std::move(drawn.line));
    return lines;
  }

 private:
  struct Drawn {
    std::uint64_t key;
    std::uint64_t ordinal;
    std::string line;
  };
  static bool smaller(const Drawn& a, const Drawn& b) { return a.key < b.key; }

  SampleOptions options_;
  std::uint64_t ordinal_ = 0;
  std::vector<Drawn> heap_;
};

}  // namespace

std::string CorpusFiles::name() const {
  if (target.empty()) return fmt::format("'{}'", source.string());
  return fmt::format("'{}' and '{}'", source.string(), target.string());
}

PairReader::PairReader(const CorpusFiles& files) : files_(files), source_(files.source) {
  if (!files.target.empty()) target_.emplace(files.target);
}

bool PairReader::next(std::string& source, std::string& target) {
  return target_ ? next_of_two(source, target) : next_of_one(source, target);
}

bool PairReader::next_of_two(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_->next(target);
  if (has_source != has_target) {
    const Index sources = count_rest(source_);
    const Index targets = count_rest(*target_);
    throw Error(fmt::format("'{}' has {} and '{}' has {}; they must be line-aligned: run 'heed corpus check'",
                            files_.source.string(), counted(sources, "line"), files_.target.string(), targets));
  }
  if (!has_source) return false;
  check_utf8(source, files_.source, source_.line_number());
  check_utf8(target, files_.target, target_->line_number());
  drop_carriage_return(source);
  drop_carriage_return(target);
  return true;
}

bool PairReader::next_of_one(std::string& source, std::string& target) {
  if (!source_.next(source)) return false;
  check_utf8(source, files_.source, source_.line_number());
  drop_carriage_return(source);
  files_.split(files_.source.string(), source_.line_number(), source, target);
  return true;
}

void split_at_tab(const std::string& file, Index number, std::string& source, std::string& target) {
  const std::size_t tab = source.find('\t');
  if (tab == std::string::npos || source.find('\t', tab + 1) != std::string::npos) {
    throw Error(
        fmt::format("corpus '{}': line {} has {} tabs; a TSV needs exactly one per line; if the target is in a file of "
                    "its own, pass it with --target (--valid-target for validation)",
                    file, number, std::count(source.begin(), source.end(), '\t')));
  }
  target.assign(source, tab + 1);
  source.resize(tab);
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

std::vector<std::string> sample_lines(std::span<const CorpusFiles> corpora, std::optional<Side> side,
                                      const SampleOptions& options) {
  Sampler sampler(options);
  for (const CorpusFiles& files : corpora) {
    PairReader reader(files);
    for (std::string source, target; reader.next(source, target);) {
      if (side != Side::target) sampler.offer(source);
      if (side != Side::source) sampler.offer(target);
    }
  }
  return sampler.lines();
}

std::vector<std::string> sample_lines(std::span<const std::filesystem::path> files, const SampleOptions& options) {
  Sampler sampler(options);
  for (const std::filesystem::path& file : files) {
    LineReader reader(file);
    for (std::string line; reader.next(line);) {
      check_utf8(line, file, reader.line_number());
      drop_carriage_return(line);
      sampler.offer(line);
    }
  }
  return sampler.lines();
}

}  // namespace heed
