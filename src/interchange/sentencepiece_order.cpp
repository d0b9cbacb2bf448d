#include "interchange/sentencepiece_order.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "base/special_tokens.h"
#include "heed/error.h"
#include "interchange/shown.h"
#include "text/protobuf.h"
#include "text/sentencepiece_file.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

enum class Kind : std::uint64_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

struct Piece {
  std::string text;
  float score = 0.0f;
  Kind kind = Kind::normal;

  // Whether text is split into it.
  bool produced() const { return kind == Kind::normal || kind == Kind::user_defined || kind == Kind::byte; }
};

struct Model {
  std::vector<Piece> pieces;
  std::string trainer;  // how it was trained, without what names special tokens
  std::string rest;     // rules of normalisation
};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; pass the model's own SentencePiece file", name, what));
}

Piece read_piece(std::string_view bytes) {
  Piece piece;
  protobuf::Message message(bytes);
  for (protobuf::Field field; message.next(field);) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) std::memcpy(&piece.score, field.bytes.data(), sizeof piece.score);
    if (field.number == 3) piece.kind = static_cast<Kind>(field.value);
  }
  return piece;
}

// Ids and spellings of special tokens follow from heed's, which are SentencePiece's defaults but for those of padding.
bool names_special_tokens(std::uint64_t number) {
  constexpr std::uint64_t first_id = 40, last_id = 43, first_spelling = 45, last_spelling = 48;
  return (number >= first_id && number <= last_id) || (number >= first_spelling && number <= last_spelling);
}

std::string trainer_settings(std::string_view bytes) {
  std::string kept;
  protobuf::Message message(bytes);
  for (protobuf::Field field; message.next(field);) {
    if (!names_special_tokens(field.number)) kept += field.whole;
  }
  return kept;
}

Model read_model(std::string_view bytes, const std::string& name) {
  constexpr std::uint64_t piece_field = 1, trainer_field = 2, self_test_field = 4;
  // It also checks the sizes of scores.
  if (!is_safe_sentencepiece_file(bytes)) fail(name, "not a SentencePiece model, or a damaged one");
  Model model;
  try {
    protobuf::Message message(bytes);
    for (protobuf::Field field; message.next(field);) {
      if (field.number == piece_field) {
        model.pieces.push_back(read_piece(field.bytes));
      } else if (field.number == trainer_field) {
        model.trainer += trainer_settings(field.bytes);
      } else if (field.number != self_test_field) {  // which expects the pieces of the original
        model.rest += field.whole;
      }
    }
  } catch (const protobuf::Malformed&) {
    fail(name, "not a SentencePiece model, or a damaged one");
  }
  std::unordered_set<std::string_view> seen;
  for (const Piece& piece : model.pieces) {
    if (piece.text.empty() || find_invalid_utf8(piece.text)) fail(name, "a piece is empty or not UTF-8");
    if (!seen.insert(piece.text).second) fail(name, fmt::format("the piece '{}' is there twice", shown(piece.text)));
  }
  return model;
}

std::string piece_field(const std::string& text, float score, Kind kind) {
  return protobuf::field(
      1, protobuf::field(1, text) + protobuf::field(2, score) + protobuf::field(3, static_cast<std::uint64_t>(kind)));
}

std::string trainer_field(const std::string& settings) {
  constexpr std::uint64_t none = ~std::uint64_t{0};  // −1
  return protobuf::field(2, settings + protobuf::field(40, std::uint64_t{unknown_token}) +
                                protobuf::field(41, std::uint64_t{start_token}) +
                                protobuf::field(42, std::uint64_t{end_token}) + protobuf::field(43, none));
}

}  // namespace

Vocabulary sentencepiece_vocabulary(std::string_view model, const std::string& name) {
  Vocabulary vocabulary;
  for (Piece& piece : read_model(model, name).pieces) {
    if (piece.kind == Kind::unknown) piece.text = "<unk>";
    vocabulary.tokens.push_back(std::move(piece.text));
  }
  find_special_tokens(vocabulary, name);
  return vocabulary;
}

void add_missing_pieces(std::string_view model, const std::string& name, TokenOrder& order) {
  std::unordered_set<std::string> known;
  for (const TokenRow& row : order.rows) known.insert(row.token);
  const Index unknown = order.rows[unknown_token].from;
  for (const Piece& piece : read_model(model, name).pieces) {
    if (piece.produced() && known.insert(piece.text).second) order.rows.push_back({piece.text, unknown, false});
  }
}

std::string reordered_sentencepiece(std::string_view model, const TokenOrder& order, const std::string& name) {
  const Model old = read_model(model, name);
  std::unordered_map<std::string_view, const Piece*> pieces;
  for (const Piece& piece : old.pieces) pieces.emplace(piece.text, &piece);
  std::string bytes;
  for (Index id = 0; id < order.size(); ++id) {
    const std::string& token = order.rows[static_cast<std::size_t>(id)].token;
    const auto found = pieces.find(token);
    if (id == unknown_token) {
      bytes += piece_field(token, 0.0f, Kind::unknown);
    } else if (id == start_token || id == end_token) {
      bytes += piece_field(token, 0.0f, Kind::control);
    } else if (found == pieces.end() || found->second->kind == Kind::unknown) {
      bytes += piece_field(token, added_piece_score, Kind::unused);
    } else {
      bytes += piece_field(token, found->second->score, found->second->kind);
    }
  }
  return bytes + trainer_field(old.trainer) + old.rest;
}

}  // namespace heed::interchange
