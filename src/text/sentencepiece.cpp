#include "text/sentencepiece.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>

#include "base/special_tokens.h"
#include "heed/error.h"
#include "text/protobuf.h"
#include "text/sentencepiece_file.h"
#include "text/utf8.h"

namespace heed {
namespace {

constexpr std::string_view mark = "\xe2\x96\x81";

constexpr std::size_t longest_line = 100000;

// White space, control characters and others that normalisation reduces to at most a space.
bool is_nothing(char32_t c) {
  return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202f) || c == 0x205f || c == 0x2581 || c == 0x3000 || c == 0xfeff || c == 0xfffd;
}

bool has_text(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    if (!is_nothing(next_character(line, at))) return true;
  }
  return false;
}

// Without usable lines the trainer fails silently or, for one kind, aborts the program.
void check_lines(std::span<const std::string> lines) {
  if (std::none_of(lines.begin(), lines.end(), has_text)) {
    throw Error("there is no text to learn a tokenizer from; pass files that contain text");
  }
  const auto fits = [](const std::string& line) { return line.size() <= longest_line && has_text(line); };
  if (std::any_of(lines.begin(), lines.end(), fits)) return;
  throw Error(fmt::format("every line has more than {} bytes, too many to learn a tokenizer from; split the lines",
                          longest_line));
}

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::span<const std::string> lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::span<const std::string> lines_;
  std::size_t at_ = 0;
};

std::unordered_map<std::string, std::string> trainer_settings(const TokenizerOptions& options) {
  const bool identity = options.normalization == Normalization::identity;
  return {{"model_type", name_of(options.kind)},
          {"vocab_size", std::to_string(options.vocab_size)},
          {"byte_fallback", "true"},
          {"character_coverage", "0.9995"},
          {"normalization_rule_name", identity ? "identity" : "nmt_nfkc"},
          {"add_dummy_prefix", identity ? "false" : "true"},
          {"remove_extra_whitespaces", identity ? "false" : "true"},
          {"unk_id", std::to_string(unknown_token)},
          {"bos_id", std::to_string(start_token)},
          {"eos_id", std::to_string(end_token)},
          {"pad_id", "-1"},
          {"max_sentence_length", std::to_string(longest_line)},
          // The expectation step adds one partial sum per thread, so the number affects the result.
          {"num_threads", "4"},
          {"minloglevel", "3"}};
}

// SentencePiece's messages begin with a source location, which is dropped.
std::string reason(const sentencepiece::util::Status& status) {
  std::string text = status.error_message();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  const std::size_t bracket = text.find("] ");
  return bracket == std::string::npos ? text : text.substr(bracket + 2);
}

bool loads(sentencepiece::SentencePieceProcessor& processor, const std::string& bytes) {
  try {
    return processor.LoadFromSerializedProto(bytes).ok();
  } catch (const std::exception&) {  // from the library's own tables
    return false;
  }
}

// Whether the trainer's settings in a file name BPE. What they hold besides is left to the library.
bool is_bpe(std::string_view bytes) {
  constexpr std::uint64_t trainer_field = 2, type_field = 3, bpe = 2;
  bool found = false;
  try {
    protobuf::Message message(bytes);
    for (protobuf::Field field; message.next(field);) {
      if (field.number != trainer_field) continue;
      protobuf::Message trainer(field.bytes);
      for (protobuf::Field setting; trainer.next(setting);) {
        if (setting.number == type_field) found = setting.value == bpe;
      }
    }
  } catch (const protobuf::Malformed&) {
    return false;
  }
  return found;
}

// The digits after `words` in a message of SentencePiece; empty if it lacks those words.
std::string number_behind(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return {};
  const std::size_t from = at + words.size();
  return text.substr(from, text.find_first_not_of("0123456789", from) - from);
}

std::string remedy(const std::string& why) {
  if (const std::string most = number_behind(why, "value <= "); !most.empty()) {
    return fmt::format("the text allows at most {}; choose a smaller vocab-size", most);
  }
  if (const std::string least = number_behind(why, " vs "); !least.empty()) {
    return fmt::format("the characters of the text need at least {}; choose a larger vocab-size", least);
  }
  return why;
}

}  // namespace

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::train(const TokenizerOptions& options,
                                                               std::span<const std::string> lines) {
  check_lines(lines);
  Lines iterator(lines);
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_settings(options), &iterator, &bytes);
  if (!status.ok()) {
    throw Error(fmt::format("cannot learn a {} tokenizer with a vocab-size of {}: {}", name_of(options.kind),
                            options.vocab_size, remedy(reason(status))));
  }
  return std::make_shared<SentencePieceTokenizer>(bytes, "new tokenizer");
}

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::read(const std::string& bytes, const std::string& name) {
  return std::make_shared<SentencePieceTokenizer>(bytes, name);
}

SentencePieceTokenizer::SentencePieceTokenizer(const std::string& bytes, const std::string& name)
    : bytes_(bytes), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  if (!is_safe_sentencepiece_file(bytes_) || !loads(*processor_, bytes_) || size() == 0) {
    throw Error(fmt::format("'{}': not a SentencePiece model, or a damaged one; restore the original tokenizer", name));
  }
  if (processor_->unk_id() != unknown_token || processor_->eos_id() != end_token) {
    throw Error(fmt::format("'{}': <unk> is {} and </s> is {}, but heed needs 0 and 2; train it with those ids", name,
                            processor_->unk_id(), processor_->eos_id()));
  }
  kind_ = is_bpe(bytes_) ? TokenizerKind::bpe : TokenizerKind::unigram;
  const std::vector<std::string> probe = processor_->EncodeAsPieces("  ");
  const bool keeps_spaces = processor_->DecodePieces(probe) == "  ";
  if (!keeps_spaces) return;
  for (const char byte : mark) {
    const int id = processor_->PieceToId(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
    if (id == unknown_token) return;
    space_mark_.push_back(id);
  }
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

int SentencePieceTokenizer::size() const { return processor_->GetPieceSize(); }

void SentencePieceTokenizer::append(std::string_view text, std::vector<int>& ids) const {
  std::vector<int> part;
  const auto status = processor_->Encode({text.data(), text.size()}, &part);
  if (!status.ok()) throw Error(fmt::format("cannot encode a line ({})", reason(status)));
  const auto unknown = [&](int id) { return id == unknown_token || is_added(id); };
  if (std::any_of(part.begin(), part.end(), unknown)) name_unknown(text, part);
  ids.insert(ids.end(), part.begin(), part.end());
}

// Whether only the imported vocabulary has it; BPE splits text into such pieces if they are single characters.
bool SentencePieceTokenizer::is_added(int id) const {
  return processor_->IsUnused(id) && processor_->GetScore(id) == added_piece_score;
}

// An imported vocabulary may have tokens that its SentencePiece model does not know. The program that it comes from
// looks text that the model leaves unknown up in the vocabulary, so it can still be one of them. SentencePiece takes
// unknown pieces that follow each other as one.
void SentencePieceTokenizer::name_unknown(std::string_view text, std::vector<int>& ids) const {
  std::vector<std::string> pieces;
  const auto status = processor_->Encode({text.data(), text.size()}, &pieces);
  if (!status.ok() || pieces.size() != ids.size()) return;
  std::vector<int> named;
  std::string run;
  const auto end_run = [&] {
    if (run.empty()) return;
    const int id = processor_->PieceToId(run);
    named.push_back(processor_->IsUnused(id) ? id : unknown_token);
    run.clear();
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == unknown_token || is_added(ids[i])) {
      run += pieces[i];
    } else {
      end_run();
      named.push_back(ids[i]);
    }
  }
  end_run();
  ids = std::move(named);
}

// Models of several target languages are told which one by a first token >>xx<<. Their SentencePiece model does not
// know it, so it is a piece of its own that no text is split into.
void SentencePieceTokenizer::take_language_token(std::string_view& line, std::vector<int>& ids) const {
  if (!line.starts_with(">>")) return;
  const std::size_t end = line.find("<<");
  if (end == std::string_view::npos) return;
  const std::string_view token = line.substr(0, end + 2);
  const int id = processor_->PieceToId({token.data(), token.size()});
  if (id == unknown_token || !processor_->IsUnused(id)) return;
  ids.push_back(id);
  line.remove_prefix(token.size());
}

std::vector<int> SentencePieceTokenizer::encode(std::string_view line) const {
  if (find_invalid_utf8(line)) return encode(replace_invalid_utf8(line));
  std::vector<int> ids;
  take_language_token(line, ids);
  // SentencePiece would decode a mark in the text as a space.
  for (std::size_t at = line.find(mark); !space_mark_.empty() && at != std::string_view::npos; at = line.find(mark)) {
    append(line.substr(0, at), ids);
    ids.insert(ids.end(), space_mark_.begin(), space_mark_.end());
    line.remove_prefix(at + mark.size());
  }
  append(line, ids);
  return ids;
}

std::string SentencePieceTokenizer::decode(std::span<const int> ids) const {
  std::string text;
  const auto status = processor_->Decode(std::vector<int>(ids.begin(), ids.end()), &text);
  if (!status.ok()) throw Error(fmt::format("cannot decode tokens ({})", reason(status)));
  return text;
}

std::string SentencePieceTokenizer::piece(int id) const { return processor_->IdToPiece(id); }

int SentencePieceTokenizer::id_of(std::string_view piece) const {
  return processor_->PieceToId({piece.data(), piece.size()});
}

}  // namespace heed
