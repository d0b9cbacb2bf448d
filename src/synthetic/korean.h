// Korean word forms: particles that depend on a word's last sound, and verbs and adjectives in polite style.
//
// Words and stems are UTF-8 and end in a Hangul syllable; a stem is the dictionary form without 다. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace heed::synthetic::korean {

enum class Particle {
  topic,    // 은, 는
  subject,  // 이, 가
  object,   // 을, 를
  with,     // 과, 와
  by,       // 으로, 로
};

std::string attach(std::string_view noun, Particle particle);

// How an irregular stem changes before a vowel. Stems in 하, ㅡ and ㄹ follow rules without exception, so are regular.
enum class Change {
  none,
  b,    // ㅂ turns into 우 (오 in 돕다): 덥다, 더워
  d,    // ㄷ turns into ㄹ: 걷다, 걸어
  s,    // ㅅ is dropped: 짓다, 지어
  h,    // ㅎ is dropped and the ending contracts: 빨갛다, 빨개
  reu,  // 르 doubles its ㄹ: 부르다, 불러
};

struct Stem {
  std::string_view text;
  Change change = Change::none;
};

std::string connective(Stem stem);              // -아/어: 먹어, 도와
std::string present(Stem stem);                 // -아요/어요: 먹어요
std::string past(Stem stem);                    // -았어요/었어요: 먹었어요
std::string prospective(Stem stem);             // -(으)ㄹ, before 거예요 and 수 있어요: 먹을
std::string descriptive(Stem stem);             // an adjective before its noun, -(으)ㄴ, 있는: 작은, 재미있는
std::string plain(Stem stem);                   // the dictionary form: 먹다
std::string is_present(std::string_view noun);  // 이에요, 예요
std::string is_past(std::string_view noun);     // 이었어요, 였어요

}  // namespace heed::synthetic::korean
