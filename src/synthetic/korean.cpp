#include "synthetic/korean.h"

#include <cassert>

namespace heed::synthetic::korean {
namespace {

// Indices in Unicode's order of the sounds used here.
enum Vowel {
  a = 0,
  ae = 1,
  ya = 2,
  yae = 3,
  eo = 4,
  e = 5,
  yeo = 6,
  o = 8,
  wa = 9,
  wae = 10,
  oe = 11,
  u = 13,
  wo = 14,
  eu = 18,
  i = 20
};
enum Final { open = 0, n = 4, d = 7, l = 8, b = 17, s = 19, ss = 20, h = 27 };
constexpr int initial_l = 5;
constexpr int initial_h = 18;
constexpr char32_t first_syllable = 0xac00;
constexpr char32_t last_syllable = 0xd7a3;
constexpr int vowels = 21;
constexpr int finals = 28;
constexpr std::size_t bytes_of_syllable = 3;

// A syllable decomposed into its three sounds.
struct Syllable {
  int initial, vowel, final;
};

Syllable take_apart(std::string_view bytes) {
  assert(bytes.size() == bytes_of_syllable);
  const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[k])); };
  const char32_t code = (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  assert(code >= first_syllable && code <= last_syllable);
  const int place = static_cast<int>(code - first_syllable);
  return {place / (vowels * finals), place / finals % vowels, place % finals};
}

std::string put_together(Syllable s) {
  const char32_t code = first_syllable + static_cast<char32_t>((s.initial * vowels + s.vowel) * finals + s.final);
  return {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

std::string_view all_but_last(std::string_view word) { return word.substr(0, word.size() - bytes_of_syllable); }

Syllable last(std::string_view word) {
  assert(word.size() >= bytes_of_syllable);
  return take_apart(word.substr(word.size() - bytes_of_syllable));
}

std::string join(std::string_view first, std::string_view second) {
  std::string text(first);
  text += second;
  return text;
}

// The word with its last syllable replaced.
std::string with_last(std::string_view word, Syllable syllable) {
  return join(all_but_last(word), put_together(syllable));
}

std::string with_final(std::string_view word, int final) {
  Syllable syllable = last(word);
  syllable.final = final;
  return with_last(word, syllable);
}

// Bright vowels take 아, all others 어.
bool is_bright(int vowel) { return vowel == a || vowel == ya || vowel == o; }

bool ends_bright(std::string_view word) { return !word.empty() && is_bright(last(word).vowel); }

// A stem that ends in a vowel contracts with the following 아 or 어.
std::string contract(std::string_view stem) {
  Syllable s = last(stem);
  switch (s.vowel) {
    case a:
    case ae:
    case eo:
    case e:
    case yeo: return std::string(stem);
    case o: s.vowel = wa; break;
    case u: s.vowel = wo; break;
    case i: s.vowel = yeo; break;
    case oe: s.vowel = wae; break;
    case eu: s.vowel = ends_bright(all_but_last(stem)) ? a : eo; break;
    default: return join(stem, "어");
  }
  return with_last(stem, s);
}

bool is_ha(Syllable s) { return s.initial == initial_h && s.vowel == a && s.final == open; }

// 부르 + 어 = 불러: the syllable before takes an ㄹ, 르 becomes 라 or 러 after its vowel.
std::string double_l(std::string_view stem) {
  const std::string_view before = all_but_last(stem);
  return join(with_final(before, l), put_together({initial_l, ends_bright(before) ? a : eo, open}));
}

// Stems of one syllable keep a bright 와 (돕다, 도와); all others have 워 (아름답다, 아름다워).
std::string soften_b(std::string_view stem) {
  const bool keeps_bright = all_but_last(stem).empty() && last(stem).vowel == o;
  return join(with_final(stem, open), keeps_bright ? "와" : "워");
}

std::string melt_h(std::string_view stem) {
  Syllable s = last(stem);
  s.vowel = s.vowel == ya ? yae : ae;
  s.final = open;
  return with_last(stem, s);
}

// The stem with an ending in (으): `bare` becomes the final of an open syllable, `full` follows a consonant.
std::string with_eu(Stem stem, int bare, std::string_view full) {
  switch (stem.change) {
    case Change::b: return with_final(join(with_final(stem.text, open), "우"), bare);
    case Change::d: return join(with_final(stem.text, l), full);
    case Change::s: return join(with_final(stem.text, open), full);
    case Change::h: return with_final(stem.text, bare);
    case Change::none:
    case Change::reu: break;
  }
  const int final = last(stem.text).final;
  return final == open || final == l ? with_final(stem.text, bare) : join(stem.text, full);
}

}  // namespace

std::string attach(std::string_view noun, Particle particle) {
  const int final = last(noun).final;
  const bool is_open = final == open;
  switch (particle) {
    case Particle::topic: return join(noun, is_open ? "는" : "은");
    case Particle::subject: return join(noun, is_open ? "가" : "이");
    case Particle::object: return join(noun, is_open ? "를" : "을");
    case Particle::with: return join(noun, is_open ? "와" : "과");
    case Particle::by: break;
  }
  return join(noun, is_open || final == l ? "로" : "으로");
}

std::string connective(Stem stem) {
  switch (stem.change) {
    case Change::b: return soften_b(stem.text);
    case Change::d: return join(with_final(stem.text, l), ends_bright(stem.text) ? "아" : "어");
    case Change::s: return join(with_final(stem.text, open), ends_bright(stem.text) ? "아" : "어");
    case Change::h: return melt_h(stem.text);
    case Change::reu: return double_l(stem.text);
    case Change::none: break;
  }
  const Syllable s = last(stem.text);
  if (is_ha(s)) return with_last(stem.text, {initial_h, ae, open});
  if (s.final == open) return contract(stem.text);
  return join(stem.text, is_bright(s.vowel) ? "아" : "어");
}

std::string present(Stem stem) { return join(connective(stem), "요"); }

std::string past(Stem stem) { return join(with_final(connective(stem), ss), "어요"); }

std::string prospective(Stem stem) { return with_eu(stem, l, "을"); }

std::string descriptive(Stem stem) {
  if (stem.text.ends_with("있") || stem.text.ends_with("없")) return join(stem.text, "는");
  return with_eu(stem, n, "은");
}

std::string plain(Stem stem) { return join(stem.text, "다"); }

std::string is_present(std::string_view noun) { return join(noun, last(noun).final == open ? "예요" : "이에요"); }

std::string is_past(std::string_view noun) { return join(noun, last(noun).final == open ? "였어요" : "이었어요"); }

}  // namespace heed::synthetic::korean
