#include "text/space_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/error.h"
#include "text/utf8.h"

namespace heed {
namespace {

constexpr std::string_view header = "heed space tokenizer 1\n";
constexpr std::string_view joint = "@@";
constexpr std::string_view white = " \t\r\n\v\f";
const std::vector<std::string> special{"<unk>", "<s>", "</s>"};

template <class Visit>
void for_each_piece(std::string_view line, const Visit& visit) {
  for (std::size_t from = line.find_first_not_of(white); from != std::string_view::npos;) {
    const std::size_t to = std::min(line.find_first_of(white, from), line.size());
    visit(line.substr(from, to - from));
    from = line.find_first_not_of(white, to);
  }
}

struct Joiner {
  std::string text;
  bool joins = true;

  void add(std::string_view piece) {
    if (!joins) text += ' ';
    joins = piece.ends_with(joint);
    if (joins) piece.remove_suffix(joint.size());
    text += piece;
  }
};

}  // namespace

std::shared_ptr<const Tokenizer> SpaceTokenizer::train(const TokenizerOptions& options,
                                                       std::span<const std::string> lines) {
  std::unordered_map<std::string, std::size_t> counts;
  for (const std::string& line : lines) {
    for_each_piece(line, [&](std::string_view piece) { ++counts[std::string(piece)]; });
  }
  for (const std::string& piece : special) counts.erase(piece);
  if (counts.empty()) throw Error("there is no text to learn a tokenizer from; pass files that contain text");
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> pieces = special;
  const std::size_t room = static_cast<std::size_t>(options.vocab_size) - special.size();
  for (std::size_t i = 0; i < std::min(room, ranked.size()); ++i) pieces.push_back(ranked[i].first);
  return std::make_shared<SpaceTokenizer>(std::move(pieces));
}

SpaceTokenizer::SpaceTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t id = 0; id < pieces_.size(); ++id) ids_.emplace(pieces_[id], static_cast<int>(id));
}

bool SpaceTokenizer::recognises(std::string_view bytes) { return bytes.starts_with(header); }

std::shared_ptr<const Tokenizer> SpaceTokenizer::read(const std::string& bytes, const std::string& name) {
  std::vector<std::string> pieces;
  for_each_piece(std::string_view(bytes).substr(header.size()), [&](std::string_view p) { pieces.emplace_back(p); });
  const bool special_first =
      pieces.size() > special.size() && std::equal(special.begin(), special.end(), pieces.begin());
  if (!special_first || !bytes.ends_with('\n') || find_invalid_utf8(bytes)) {
    throw Error(fmt::format("'{}': damaged; restore the original tokenizer", name));
  }
  auto tokenizer = std::make_shared<SpaceTokenizer>(std::move(pieces));
  if (tokenizer->ids_.size() != tokenizer->pieces_.size()) {
    throw Error(fmt::format("'{}': a piece occurs twice; restore the original tokenizer", name));
  }
  return tokenizer;
}

std::string SpaceTokenizer::serialised() const {
  std::string bytes(header);
  for (const std::string& piece : pieces_) bytes.append(piece).append(1, '\n');
  return bytes;
}

int SpaceTokenizer::id_of(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? 0 : found->second;
}

std::vector<int> SpaceTokenizer::encode(std::string_view line) const {
  if (find_invalid_utf8(line)) return encode(replace_invalid_utf8(line));
  std::vector<int> ids;
  for_each_piece(line, [&](std::string_view piece) { ids.push_back(id_of(piece)); });
  return ids;
}

std::string SpaceTokenizer::decode(std::span<const int> ids) const {
  Joiner joiner;
  for (const int id : ids) joiner.add(pieces_[static_cast<std::size_t>(id)]);
  return joiner.text;
}

std::string join_pieces(std::string_view line) {
  Joiner joiner;
  for_each_piece(line, [&](std::string_view piece) { joiner.add(piece); });
  return joiner.text;
}

}  // namespace heed
