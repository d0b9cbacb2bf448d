#include "interchange/imported_tokenizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "heed/error.h"
#include "interchange/sentencepiece_order.h"
#include "interchange/shown.h"
#include "text/sentencepiece_file.h"
#include "text/space_tokenizer.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

// Names of the settings, which may have the folders of another machine, as far as the package has them.
std::vector<std::string> in_package(const Package& package, const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const std::string& path : named) {
    const std::string name = fs::path(path).filename().string();
    if (package.has(name)) names.push_back(name);
  }
  if (names.size() != named.size() || names.size() > 2) return {};
  // The same file twice is one for both sides.
  if (names.size() == 2 && names[0] == names[1]) names.pop_back();
  return names;
}

bool is_of_side(const std::string& name, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](auto mark) { return name.find(mark) != std::string::npos; });
}

// Files named vocab… or ….vocab.… with one of the known endings: one, or one for each side.
std::vector<std::string> by_usual_names(const Package& package) {
  std::vector<std::string> source, target, both;
  for (const std::string& name : package.names()) {
    const bool known = name.ends_with(".spm") || name.ends_with(".yml") || name.ends_with(".yaml") ||
                       name.ends_with(".txt") || name.ends_with(".json");
    if (!known || name.find("vocab") == std::string::npos) continue;
    if (is_of_side(name, {"srcvocab", "src.vocab", "vocab.src", "source.vocab"})) {
      source.push_back(name);
    } else if (is_of_side(name, {"trgvocab", "trg.vocab", "vocab.trg", "tgt.vocab", "target.vocab"})) {
      target.push_back(name);
    } else {
      both.push_back(name);
    }
  }
  if (source.size() == 1 && target.size() == 1) return {source[0], target[0]};
  return both.size() == 1 ? both : std::vector<std::string>();
}

SideFiles vocabulary_files(Package& package, const ImportOptions& options, const std::vector<std::string>& named) {
  if (!options.vocabularies.empty()) return named_files(options.vocabularies, "--vocab");
  std::vector<std::string> names = in_package(package, named);
  if (names.empty()) names = by_usual_names(package);
  if (names.empty()) {
    throw Error(
        fmt::format("'{}': its vocabulary is not beside it under a usual name; pass --vocab FILE, or --vocab "
                    "SOURCE TARGET",
                    package.path()));
  }
  return read_files(package, names);
}

bool is_sentencepiece(const std::string& bytes) { return bytes.starts_with('\n') && is_safe_sentencepiece_file(bytes); }

const SideFile& of_side(const SideFiles& files, std::size_t side) { return files[std::min(side, files.size() - 1)]; }

Vocabulary vocabulary_of(const SideFile& file) {
  return is_sentencepiece(file.bytes) ? sentencepiece_vocabulary(file.bytes, file.place)
                                      : read_vocabulary(file.bytes, file.place);
}

std::shared_ptr<const Tokenizer> space_tokenizer(const TokenOrder& order, const std::string& place) {
  std::vector<std::string> pieces;
  for (const TokenRow& row : order.rows) {
    if (row.token.empty() || row.token.find_first_of(" \t\r\n\v\f") != std::string::npos) {
      throw Error(
          fmt::format("'{}': the token '{}' is empty or holds white space, which text that is split at spaces "
                      "cannot have; pass the SentencePiece model that it goes with by --spm",
                      place, shown(row.token)));
    }
    pieces.push_back(row.token);
  }
  return read_tokenizer(SpaceTokenizer(std::move(pieces)).serialised(), place);
}

// One object means one vocabulary.
TokenizerPair pair_of(std::shared_ptr<const Tokenizer> source, std::shared_ptr<const Tokenizer> target) {
  if (source->serialised() == target->serialised()) target = source;
  return {std::move(source), std::move(target)};
}

TokenizerPair reordered_tokenizers(const VocabularyOrders& orders, const SideFiles& models) {
  const auto tokenizer = [&](std::size_t side, const TokenOrder& order) {
    const SideFile& file = of_side(models, side);
    return read_tokenizer(reordered_sentencepiece(file.bytes, order, file.place), file.place);
  };
  return pair_of(tokenizer(0, orders.source), tokenizer(1, orders.target));
}

class Importer {
 public:
  Importer(SideFiles vocabularies, SideFiles pieces, const VocabularyRows& rows)
      : vocabularies_(std::move(vocabularies)), pieces_(std::move(pieces)), rows_(rows) {
    if (is_sentencepiece(vocabularies_[0].bytes) != is_sentencepiece(of_side(vocabularies_, 1).bytes)) {
      throw Error(
          fmt::format("'{}' and '{}': one is a SentencePiece model, the other a list of tokens; pass two of a "
                      "kind",
                      vocabularies_[0].place, vocabularies_[1].place));
    }
    one_level_ = is_sentencepiece(vocabularies_[0].bytes);
  }

  ImportedVocabularies run() {
    ImportedVocabularies all;
    TokenOrder& source = all.orders.source;
    TokenOrder& target = all.orders.target;
    source = order_of(0, rows_.source);
    target = order_of(1, rows_.target);
    if (rows_.shared) {
      require_same(source, target);
      target = source;
    }
    if (!one_level_) return make_tokenizers(std::move(all.orders), rows_.shared, pieces_, vocabularies_[0].place);
    all.tokenizers = reordered_tokenizers(all.orders, vocabularies_);
    return all;
  }

 private:
  TokenOrder order_of(std::size_t side, Index rows) const {
    const SideFile& file = of_side(vocabularies_, side);
    return heed_order(vocabulary_of(file), rows, file.place);
  }

  // Both sides read one matrix, so an id must mean the same token on both.
  void require_same(const TokenOrder& source, const TokenOrder& target) const {
    const Index shared = std::min(rows_.source, static_cast<Index>(std::min(source.rows.size(), target.rows.size())));
    for (Index id = 0; id < shared; ++id) {
      const auto i = static_cast<std::size_t>(id);
      if (source.rows[i].token == target.rows[i].token && source.rows[i].from == target.rows[i].from) continue;
      throw Error(
          fmt::format("'{}' and '{}' differ in '{}', but the model has one matrix for both; pass one vocabulary",
                      vocabularies_[0].place, of_side(vocabularies_, 1).place, shown(source.rows[i].token)));
    }
  }

  SideFiles vocabularies_, pieces_;
  VocabularyRows rows_;
  bool one_level_ = false;  // the vocabulary is the SentencePiece model itself
};

}  // namespace

SideFiles named_files(const std::vector<fs::path>& paths, const char* flag) {
  if (paths.size() > 2) {
    throw Error(
        fmt::format("{} names {} files; pass one for both languages, or source and target", flag, paths.size()));
  }
  SideFiles files;
  for (const fs::path& path : paths) files.push_back({path.string(), read_single_file(path)});
  return files;
}

SideFiles read_files(Package& package, const std::vector<std::string>& names) {
  SideFiles files;
  for (const std::string& name : names) files.push_back({package.place(name), std::string(package.bytes(name))});
  return files;
}

SideFiles sentencepiece_files(Package& package, const ImportOptions& options) {
  if (!options.sentencepieces.empty()) return named_files(options.sentencepieces, "--spm");
  if (package.has("source.spm") && package.has("target.spm")) return read_files(package, {"source.spm", "target.spm"});
  return {};
}

ImportedVocabularies make_tokenizers(VocabularyOrders orders, bool shared, const SideFiles& pieces,
                                     const std::string& place) {
  ImportedVocabularies all;
  all.orders = std::move(orders);
  TokenOrder& source = all.orders.source;
  TokenOrder& target = all.orders.target;
  if (pieces.empty()) {
    all.tokenizers = pair_of(space_tokenizer(source, place), space_tokenizer(target, place));
    all.notes.emplace_back(
        "the vocabulary is a list of tokens without a SentencePiece model: text must be split "
        "into them beforehand, at spaces");
    return all;
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const SideFile& file = of_side(pieces, side);
    add_missing_pieces(file.bytes, file.place, side == 0 || shared ? source : target);
  }
  if (shared) target = source;
  all.tokenizers = reordered_tokenizers(all.orders, pieces);
  return all;
}

ImportedVocabularies import_vocabularies(Package& package, const ImportOptions& options,
                                         const std::vector<std::string>& named, const VocabularyRows& rows) {
  SideFiles vocabularies = vocabulary_files(package, options, named);
  if (is_sentencepiece(vocabularies[0].bytes) && !options.sentencepieces.empty()) {
    throw Error(
        fmt::format("'{}' is itself a SentencePiece model; --spm goes with lists of tokens", vocabularies[0].place));
  }
  return Importer(std::move(vocabularies), sentencepiece_files(package, options), rows).run();
}

}  // namespace heed::interchange
