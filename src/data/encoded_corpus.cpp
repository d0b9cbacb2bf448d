#include "data/encoded_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/special_tokens.h"
#include "base/throwing_tasks.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t pairs_at_a_time = 8192;
constexpr Index pairs_per_task = 64;

struct Header {
  char magic[8];
  std::uint64_t checksum;  // of everything after this field
  EncodingCounts counts;
};
constexpr char magic[8] = {'h', 'e', 'e', 'd', 't', 'o', 'k', '1'};
constexpr std::size_t checked_from = offsetof(Header, counts);

struct EncodedPair {
  std::vector<int> source;
  std::vector<int> target;
};

[[noreturn]] void damaged(const fs::path& file) {
  throw Error(fmt::format("'{}': the encoded corpus is damaged; delete the file to encode it again", file.string()));
}

// Encodes a block of pairs on all threads.
class BlockEncoder {
 public:
  BlockEncoder(const TokenizerPair& tokenizers, ThreadPool& threads) : tokenizers_(tokenizers), threads_(threads) {}

  std::span<const EncodedPair> encode(const std::vector<std::pair<std::string, std::string>>& lines) {
    encoded_.resize(lines.size());
    const auto count = static_cast<Index>(lines.size());
    run_throwing(threads_, divide_up(count, pairs_per_task), [&](Index task) {
      const Index end = std::min(count, (task + 1) * pairs_per_task);
      for (Index i = task * pairs_per_task; i < end; ++i) {
        const auto& [source, target] = lines[static_cast<std::size_t>(i)];
        encoded_[static_cast<std::size_t>(i)] = {tokenizers_.source->encode(source),
                                                 tokenizers_.target->encode(target)};
      }
    });
    return encoded_;
  }

 private:
  const TokenizerPair& tokenizers_;
  ThreadPool& threads_;
  std::vector<EncodedPair> encoded_;
};

// File layout: header, tokens, offsets. Tokens are streamed; offsets, known only at the end, come last.
class EncodedWriter {
 public:
  EncodedWriter(const fs::path& file, Index max_length) : file_(file), max_length_(max_length) {
    const Header empty{};
    file_.write(std::as_bytes(std::span(&empty, 1)));
  }

  void add(const EncodedPair& pair) {
    if (pair.source.empty() || pair.target.empty()) {
      ++counts_.empty;
    } else if (static_cast<Index>(std::max(pair.source.size(), pair.target.size())) > max_length_) {
      ++counts_.too_long;
    } else {
      ++counts_.pairs;
      counts_.source_tokens += append(pair.source);
      counts_.target_tokens += append(pair.target);
    }
  }

  void flush() {
    write(std::as_bytes(std::span(tokens_)));
    tokens_.clear();
  }

  void commit() {
    flush();
    if (offsets_.back() % 2 == 1) write(std::as_bytes(std::span(&end_token, 1)));  // aligns the offsets
    write(std::as_bytes(std::span(offsets_)));
    Header header{.magic = {}, .checksum = 0, .counts = counts_};
    std::memcpy(header.magic, magic, sizeof magic);
    hash_.add(std::as_bytes(std::span(&header.counts, 1)));
    header.checksum = hash_.value();
    file_.write_at(0, std::as_bytes(std::span(&header, 1)));
    file_.commit();
  }

 private:
  void write(std::span<const std::byte> bytes) {
    hash_.add(bytes);
    file_.write(bytes);
  }

  Index append(const std::vector<int>& ids) {
    counts_.unknown += std::count(ids.begin(), ids.end(), unknown_token);
    tokens_.insert(tokens_.end(), ids.begin(), ids.end());
    tokens_.push_back(end_token);
    offsets_.push_back(offsets_.back() + ids.size() + 1);
    return static_cast<Index>(ids.size()) + 1;
  }

  FileWriter file_;
  Index max_length_;
  EncodingCounts counts_;
  Hash hash_;
  std::vector<int> tokens_;
  std::vector<std::uint64_t> offsets_{0};
};

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add(bytes.subspan(sizeof(Header)));
  hash.add(bytes.subspan(checked_from, sizeof(EncodingCounts)));
  return hash.value();
}

}  // namespace

EncodedCorpus::EncodedCorpus(const fs::path& file) : file_(file) {
  const std::span<const std::byte> bytes = file_.bytes();
  Header header{};
  if (bytes.size() < sizeof header) damaged(file);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.checksum != checksum_of(bytes)) damaged(file);
  counts_ = header.counts;
  // Each count by itself first, so that no sum or product can overflow.
  const auto most = static_cast<Index>(bytes.size());
  for (const Index count : {counts_.pairs, counts_.source_tokens, counts_.target_tokens}) {
    if (count < 0 || count > most) damaged(file);
  }
  const auto tokens = static_cast<std::size_t>(counts_.source_tokens + counts_.target_tokens);
  const auto sides = 2 * static_cast<std::size_t>(counts_.pairs);
  const std::size_t token_bytes = (tokens + tokens % 2) * sizeof(int);
  if (bytes.size() != sizeof header + token_bytes + (sides + 1) * sizeof(std::uint64_t)) damaged(file);
  tokens_ = {reinterpret_cast<const int*>(bytes.data() + sizeof header), tokens};
  offsets_ = {reinterpret_cast<const std::uint64_t*>(bytes.data() + sizeof header + token_bytes), sides + 1};
  if (offsets_.front() != 0 || offsets_.back() != tokens || !std::is_sorted(offsets_.begin(), offsets_.end())) {
    damaged(file);
  }
}

Index usual_source_length(std::span<const EncodedCorpus> corpora) {
  std::vector<Index> pairs_of_length;
  Index pairs = 0;
  for (const EncodedCorpus& corpus : corpora) {
    pairs += corpus.counts().pairs;
    for (Index pair = 0; pair < corpus.counts().pairs; ++pair) {
      const std::size_t tokens = corpus.source(pair).size();
      const std::size_t pieces = tokens == 0 ? 0 : tokens - 1;
      if (pieces >= pairs_of_length.size()) pairs_of_length.resize(pieces + 1);
      ++pairs_of_length[pieces];
    }
  }
  constexpr Index per_mille = 999;
  Index length = 0;
  for (Index covered = 0; length < static_cast<Index>(pairs_of_length.size()); ++length) {
    covered += pairs_of_length[static_cast<std::size_t>(length)];
    if (covered * 1000 >= pairs * per_mille) break;
  }
  return length;
}

fs::path encoded_file(const fs::path& folder, const CorpusFacts& facts, const TokenizerPair& tokenizers,
                      const EncodingOptions& options) {
  std::uint64_t key = random_key(facts.fingerprint, static_cast<std::uint64_t>(options.max_length));
  key = random_key(key, hash_of(tokenizers.source->serialised()));
  if (!tokenizers.shared()) key = random_key(key, hash_of(tokenizers.target->serialised()));
  return folder / fmt::format("corpus-{:016x}.tokens", key);
}

void encode_corpus(const CorpusFiles& files, const TokenizerPair& tokenizers, const EncodingOptions& options,
                   const fs::path& file, ThreadPool& threads, const std::function<void(double)>& progress) {
  PairReader reader(files);
  BlockEncoder encoder(tokenizers, threads);
  EncodedWriter writer(file, options.max_length);
  std::vector<std::pair<std::string, std::string>> lines(pairs_at_a_time);
  for (bool more = true; more;) {
    lines.resize(pairs_at_a_time);
    std::size_t count = 0;
    while (count < pairs_at_a_time && (more = reader.next(lines[count].first, lines[count].second))) ++count;
    lines.resize(count);
    for (const EncodedPair& pair : encoder.encode(lines)) writer.add(pair);
    writer.flush();
    progress(reader.share_read());
  }
  writer.commit();
}

}  // namespace heed
