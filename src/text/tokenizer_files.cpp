#include "text/tokenizer_files.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/hash.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Tokenizer> load(const fs::path& file) { return read_tokenizer(read_file(file), file.string()); }

void save(const Tokenizer& tokenizer, const fs::path& folder, const std::string& name) {
  std::string pieces;
  for (int id = 0; id < tokenizer.size(); ++id) pieces.append(tokenizer.piece(id)).append(1, '\n');
  write_file(folder / (name + ".vocab"), pieces);
  write_file(folder / (name + ".model"), tokenizer.serialised());
}

}  // namespace

bool same_tokenizers(const TokenizerPair& a, const TokenizerPair& b) {
  return a.source->serialised() == b.source->serialised() && a.target->serialised() == b.target->serialised();
}

TokenizerFacts tokenizer_facts(const TokenizerPair& tokenizers) {
  const auto fingerprint = [](const Tokenizer& t) { return fmt::format("{:016x}", hash_of(t.serialised())); };
  return {{"source_tokenizer", fingerprint(*tokenizers.source)}, {"target_tokenizer", fingerprint(*tokenizers.target)}};
}

void check_tokenizers(const fs::path& folder, const TokenizerPair& tokenizers, const TokenizerFacts& facts) {
  for (const auto& [name, fingerprint] : tokenizer_facts(tokenizers)) {
    const auto stored = facts.find(name);
    if (stored == facts.end() || stored->second == fingerprint) continue;
    const std::string file = tokenizers.shared() ? "tokenizer" : name.substr(0, name.find('_'));
    throw Error(fmt::format("'{}' is not the tokenizer that the weights were trained with; restore the model's own",
                            (folder / (file + ".model")).string()));
  }
}

TokenizerPair load_tokenizers(const fs::path& folder) {
  if (file_exists(folder / "source.model")) return {load(folder / "source.model"), load(folder / "target.model")};
  const auto tokenizer = load(folder / "tokenizer.model");
  return {tokenizer, tokenizer};
}

void save_tokenizers(const TokenizerPair& tokenizers, const fs::path& folder) {
  // Remove stale files of an earlier attempt.
  for (const char* name : {"source.model", "target.model", "tokenizer.model"}) {
    std::error_code none;
    fs::remove(folder / name, none);
    fs::remove((folder / name).replace_extension(".vocab"), none);
  }
  if (tokenizers.shared()) return save(*tokenizers.source, folder, "tokenizer");
  save(*tokenizers.target, folder, "target");
  save(*tokenizers.source, folder, "source");
}

}  // namespace heed
